"""Run the program as it would be elsewhere: `python elsewhere.py windows imports`, or a command of molt-bench.

What another system lacks is taken away before molt-bench is imported: modules, signals, functions of `os`, `/proc`. The
standard library and what we depend on are imported before that, since they have code of their own for each system.
"""

import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress

#: Imported beforehand: they look at what the system has themselves.
OTHERS = (
    *("aiohttp", "asyncio", "click", "concurrent.futures.process", "httpx2", "msgspec", "multiprocessing.spawn"),
    *("multiprocessing.popen_spawn_posix", "multiprocessing.resource_tracker", "multiprocessing.synchronize", "numpy"),
    *("openskill.models", "pydantic", "rich.console", "rich.live", "rich.table", "shutil", "subprocess"),
    *("starlette.applications", "sysconfig", "uvicorn", "websockets", "pydantic_ai"),
    *("tempfile", "webbrowser", "yaml", "zipfile", "getpass", "pathlib", "http.server", "socketserver"),
)
MODULES = {
    "windows": ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty", "syslog", "posix"),
    "macos": (),
}
SIGNALS = {
    "windows": "SIGKILL SIGHUP SIGUSR1 SIGUSR2 SIGSTOP SIGTSTP SIGCONT SIGCHLD SIGPIPE SIGALRM SIGQUIT SIGXCPU SIGXFSZ "
    "pthread_sigmask sigwait setitimer alarm",
    "macos": "SIGRTMIN SIGRTMAX",
}
FUNCTIONS = {
    "windows": "chown fchmod fchown fork forkpty geteuid getuid getgid getpgid getsid killpg lchown mkfifo nice "
    "pidfd_open pread pwrite sched_getaffinity sched_setaffinity setsid statvfs sync wait4 waitid WSTOPPED "
    "WEXITED WNOWAIT P_PID O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK sysconf getloadavg uname "
    "register_at_fork posix_fallocate",
    "macos": "pidfd_open sched_getaffinity sched_setaffinity memfd_create posix_fallocate",
}


def become(system: str) -> None:
    """Take away what a system lacks."""
    sysconfig.get_config_vars()  # which it reads by the system's name
    for name in OTHERS:
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    kill = signal.SIGKILL
    subprocess.Popen.kill = lambda self: self.send_signal(kill)  # it looks the name up, and has another way on Windows
    for name in MODULES[system]:
        sys.modules[name] = None  # type: ignore[assignment] - importing it fails
    for module, names in ((signal, SIGNALS), (os, FUNCTIONS)):
        for name in names[system].split():
            if hasattr(module, name):
                delattr(module, name)
    sys.platform = {"windows": "win32", "macos": "darwin"}[system]
    sys.addaudithook(_no_proc)


def _no_proc(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(("/proc", "/sys")):
        raise FileNotFoundError(2, "there is none here", arguments[0])


def import_everything() -> None:
    """Import every module but programs that others start, and those whose extra is not installed."""
    import molt_bench

    failed = []
    for found in pkgutil.walk_packages(molt_bench.__path__, "molt_bench."):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(EXTRAS):
                failed.append(f"{found.name}: {error!r}")
        except SystemExit:
            pass
        except Exception as error:
            failed.append(f"{found.name}: {error!r}")
    print("\n".join(failed))


#: Packages of extras that may be missing wherever the tests run.
EXTRAS = ("gymnasium", "inspect_ai", "mcp", "pettingzoo", "ray", "pandas", "polars")

if __name__ == "__main__":
    become(sys.argv[1])
    if sys.argv[2:] == ["imports"]:
        import_everything()
    else:
        from molt_bench.cli import main

        sys.argv[:] = ["molt-bench", *sys.argv[2:]]
        main()
