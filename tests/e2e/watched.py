"""The program in a process that notes all that it runs, imports, starts, contacts and opens."""

import json
import os
import sys
import sysconfig
import traceback
from importlib.metadata import distribution

#: Events of other programs and of the network: none of them may happen.
FORBIDDEN = {
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pty.spawn",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "subprocess.Popen",
    "os.chdir",
}
#: What Python and the system's libraries read.
SYSTEM = ("/dev/", "/proc/", "/etc/", "/usr/share/", "/usr/lib/", "/sys/")


def run_task(task):
    """Run commands one after another, and write what each did; the process is watched to its end.

    Args:
        task: The `commands`, the `folders` with what they may open, and the file for the `log`.
    """
    import molt_bench
    from molt_bench import entry_points as groups
    from molt_bench.cli.app import main as program
    from molt_bench.runs.master_seed import environment_seed

    # What packages on the path register is read once in a process, and nothing of it is run.
    for group in (groups.AGENTS, groups.LUCK, groups.COMMANDS, groups.EXPORTS):
        groups.points(group)
    for group in (groups.EXECUTORS, groups.OBSERVERS, groups.FILES, groups.PAGES):
        groups.points(group)
    own = os.path.dirname(os.path.dirname(molt_bench.__file__))
    installed = str(distribution("molt-bench").locate_file(""))
    paths = [os.path.realpath(path) for path in sysconfig.get_paths().values()]
    code = [own, installed, sys.prefix, sys.base_prefix, *paths]
    data = [*code, *SYSTEM, *task["folders"]]
    found = []

    def within(path, roots):
        path = os.path.realpath(os.fsdecode(path))
        return any(path == root.rstrip("/") or path.startswith(root.rstrip("/") + "/") for root in roots)

    def watch(event, arguments):
        if event == "socket.getaddrinfo" and arguments[:2] == ("127.0.0.1", 0):
            return  # where the viewer listens
        if event in FORBIDDEN:
            found.append([event, repr(arguments)])
        elif event == "exec":
            name = arguments[0].co_filename
            if not name.startswith("<") and not within(name, code):
                found.append([event, name])
        elif event in ("open", "os.listdir", "os.scandir"):
            path = arguments[0]
            if isinstance(path, str | bytes | os.PathLike) and not within(path, data) and not _of_the_path(path):
                found.append([event, os.fsdecode(path)])

    sys.addaudithook(watch)
    done = []
    for command in task["commands"]:
        found.clear()
        sys.argv, status = ["molt-bench", *command], 0
        print(f"\0{json.dumps(command)}", file=sys.stderr, flush=True)
        environment_seed.cache_clear()
        try:
            program()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
            status = 70
        sys.stdout.flush()
        done.append({"command": command, "status": status, "events": [*found]})
        with open(task["log"], "w", encoding="utf-8") as file:
            json.dump(done, file)


def _of_the_path(path):
    """Return whether Python looks for modules there; what it runs is seen on its own."""
    return os.path.realpath(os.fsdecode(path)) in {os.path.realpath(each) for each in sys.path if each}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        run_task(json.load(file))
