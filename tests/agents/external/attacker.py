"""A bot that tries one way to cheat, says on standard error what came of it, and then plays on, calling.

    attacker.py ATTACK [JSON]

ATTACK is the name of a function below. It gets the JSON, and returns what it got hold of, or nothing if it failed. What
it leaves for a later game, it finds there; of twins, who play at the same time, the second listens to the first.
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress

LIBC = ctypes.CDLL(None, use_errno=True)
TWIN_S = 2.0


def call(name, *arguments):
    """Call a function of the C library; raise what it fails with."""
    found = getattr(LIBC, name)(*arguments)
    if found == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return found


def read_file(path):
    with open(path, "rb") as file:
        return file.read(64)


def read_memory(pid):
    """Read the first bytes of a process's memory."""
    with open(f"/proc/{pid}/maps") as maps:
        start = int(maps.readline().split("-")[0], 16)
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(start)
        return memory.read(16)


def read_command_line(pid):
    return read_file(f"/proc/{pid}/cmdline")


def see_processes(_):
    """Look for processes that are not its own."""
    own = {str(os.getpid()), "1", str(os.getppid())}
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and pid not in own]


def trace(pid):
    attach, detach = 16, 17
    call("ptrace", attach, pid, 0, 0)
    os.waitpid(pid, 0)
    call("ptrace", detach, pid, 0, 0)
    return "attached"


def send_signal(pid):
    os.kill(pid, 0)
    return "may send signals"


# What is left for a later game.


def leave_file(path):
    path = os.path.expanduser(path)
    if os.path.exists(path):
        return f"found {path}"
    with open(path, "w") as file:
        file.write("left")
    return None


def leave_daemon(name):
    """Leave a process that has left its session and its parent."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if pid != str(os.getpid()) and name.encode() in read_command_line(pid) and b"sleep" in read_command_line(pid):
            return f"found process {pid}"
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.execv("/bin/sh", ["sh", "-c", f"sleep 60; : {name}"])
        os._exit(0)
    os.wait()
    return None


# What twins say to each other.


def _until(look):
    deadline = time.monotonic() + TWIN_S
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    return None


def talk_by_socket(role, name):
    """Say something over an abstract socket."""
    with socket.socket(socket.AF_UNIX) as end:
        if role == "first":
            end.bind(f"\0{name}")
            end.listen()
            end.settimeout(TWIN_S)
            with suppress(TimeoutError):
                end.accept()
            return None
        return _until(lambda: "heard" if end.connect_ex(f"\0{name}") == 0 else None)


# What uses the machine up.


def much_disk(megabytes):
    """Write a large file."""
    with open("large", "wb") as file:
        for _ in range(megabytes):
            file.write(b"x" * 1024 * 1024)
    return f"{megabytes} MB"


# What reaches around.


def plant_link(path):
    """Put a link to a file of the user where the bench will write."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink("/etc/passwd", path)
    return "planted"


def gain_rights(program):
    """Have a program with the bit of its owner run as that."""
    done = subprocess.run([program, "-u"], capture_output=True, text=True, check=False)
    return "ran as root" if done.stdout.strip() == "0" and _no_new_privileges() == "0" else None


def _no_new_privileges():
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith("NoNewPrivs"))


def write_settings(_):
    """Open settings of the kernel to write them, with which it runs programs or starts anew."""
    names = ("sys/kernel/core_pattern", "sysrq-trigger", "sys/kernel/modprobe", "sys/vm/drop_caches")
    return [name for name in names if os.access(f"/proc/{name}", os.W_OK)]


def through_others(path):
    """Read a file through the root folder and the open files of the first process, and of its parent."""
    found = []
    for pid in {1, os.getppid()} - {0}:
        ways = ["root", "cwd", *(f"fd/{number}" for number in os.listdir(f"/proc/{pid}/fd"))]
        found += [way for way in ways if os.path.exists(f"/proc/{pid}/{way}{path}")]
    return found


def see_machine(_):
    """Look into /sys."""
    return os.listdir("/sys/kernel")[:3]


def type_into_terminal(path):
    """Type a command into the user's terminal."""
    terminal = os.open(path, os.O_RDWR | os.O_NOCTTY)
    os.write(terminal, b"x")
    return "wrote to it"


def new_namespace(_):
    """Become root in a user namespace of its own."""
    call("unshare", 0x10000000)
    return "made one"


def loopback_service(port):
    """Connect to a server on this machine, such as the viewer."""
    with socket.create_connection(("127.0.0.1", port), timeout=2):
        return "connected"


def ask_names(_):
    """Send a question to a server of names."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.sendto(b"\x12\x34\1\0\0\1\0\0\0\0\0\0\0\0\1\0\1", ("192.0.2.1", 53))
    return "sent"


def socket_file(path):
    """Connect to a server by its file, such as an agent that holds keys."""
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(path)
    return "connected"


def main(attack, options="null"):
    sys.stdin.readline()
    given = json.loads(options)
    try:
        found = globals()[attack](*given) if isinstance(given, list) else globals()[attack](given)
        print("GOT", found, file=sys.stderr) if found else print("NOTHING", file=sys.stderr)
    except Exception as error:
        print("NOTHING", type(error).__name__, error, file=sys.stderr)
    sys.stderr.flush()
    print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    for line in sys.stdin:
        seen = json.loads(line)
        if seen["type"] == "observation":
            kind = "call" if seen["toCall"] else "check"
            print(json.dumps({"type": "action", "id": seen["id"], "kind": kind}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
