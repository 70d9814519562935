"""What a box shows of the file system: the system's programs and libraries, and what a command needs besides.

A command needs its own folder and the interpreter that runs it. An interpreter may lie anywhere: in a virtual
environment, in one of pyenv, conda or nvm. It needs the folders it was installed to, links on the way included.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Final

#: Folders of the system; where one is a link, as /bin often is, so it is in the box.
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
#: What programs and libraries read in /etc. The rest may hold secrets, and root could read them.
SETTINGS: Final = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "nsswitch.conf"),
    *("passwd", "group", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs", "fonts", "mime.types"),
    *("java-8-openjdk", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk", "dotnet"),
)
#: The same for programs that may use the network.
NETWORK_SETTINGS: Final = ("resolv.conf", "hosts", "host.conf", "gai.conf", "protocols", "services")
#: Folders that are too much to show for the sake of one file in them.
_SHARED: Final = ("/", "/etc", "/var", "/run", "/home", "/root", "/tmp", "/var/tmp", "/opt", "/srv", "/mnt", "/media")
#: Folders below the home folder that hold more than programs.
_PRIVATE: Final = ("", ".local", ".local/share", ".config", ".cache", ".ssh", ".gnupg", "Desktop", "Documents")
#: Of these a box has its own.
_OWN: Final = ("/proc", "/sys", "/dev")
#: What marks the folder of a run.
_RECORDS: Final = frozenset({"journal.jsonl", "master-seed"})
#: How many folders are looked through for runs, the nearest first.
_LOOKED_THROUGH: Final = 10_000
#: What marks a folder that an interpreter was installed to.
_INSTALLED: Final = ("pyvenv.cfg", "conda-meta", "lib", "libexec")
_LINKS: Final = 40
_SHEBANG: Final = 256


def needed_by(command: Sequence[str]) -> list[str]:
    """Return the files and folders that a command needs besides the system's; see `command.resolved`.

    These are the folder of its program or script, what the interpreter was installed to, and the other files that it
    names, without their folders.
    """
    program, *arguments = command
    found = [*_of_program(program)] if os.path.isabs(program) else []  # else it is one of an image
    files = [word for word in map(_named, arguments) if word]
    script = next((word for word in files if os.path.isfile(word)), None)
    if script is not None:
        found += _of_program(script)
    return without_nested([*found, *files])


def needed_by_python(paths: Iterable[str]) -> list[str]:
    """Return the files and folders that this interpreter needs, with the modules on these paths."""
    import_paths = [os.path.abspath(path) for path in paths if os.path.exists(path or ".")]
    prefixes = [*_interpreter(sys.executable), sys.prefix, sys.base_prefix]
    return without_nested([*prefixes, *(path for path in import_paths if not is_shared(path))])


def _named(word: str) -> str:
    """Return the file or folder that an argument names, as `--model=/srv/model` does; "" if it names none."""
    path = word if os.path.isabs(word) else word.partition("=")[2]
    return path if os.path.isabs(path) and os.path.exists(path) else ""


def _of_program(path: str) -> Iterator[str]:
    """Yield what a program or a script needs: its folder, and the interpreter that its first line names."""
    yield from _interpreter(path)
    for each in {path, os.path.realpath(path)}:
        folder = os.path.dirname(each)
        yield each if is_shared(folder) else folder
    interpreter = _shebang(path)
    if interpreter is not None:
        yield from _interpreter(interpreter)


def _interpreter(path: str) -> Iterator[str]:
    """Yield the folders that an interpreter was installed to, if it was: following links, as those of venvs."""
    for _ in range(_LINKS):
        folder = os.path.dirname(path)
        prefix = os.path.dirname(folder)
        if os.path.basename(folder) == "shims" and not is_shared(prefix):
            yield prefix  # of pyenv and its like: a script that finds the version to run
        if os.path.basename(folder) == "bin" and not is_shared(prefix):
            marks = [os.path.join(prefix, mark) for mark in _INSTALLED]
            if any(map(os.path.exists, marks)):
                yield prefix
            with suppress(OSError), open(marks[0], encoding="utf-8", errors="replace") as file:
                for name, _, value in (line.partition("=") for line in file):
                    if name.strip() == "home":
                        yield os.path.dirname(value.strip())
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))


def _shebang(path: str) -> str | None:
    """Return the interpreter that the first line of a script names."""
    try:
        with open(path, "rb") as file:
            first = file.read(_SHEBANG)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = first[2:].split(b"\n")[0].decode("utf-8", "replace").split()
    if words and os.path.basename(words[0]) == "env":
        words = [shutil.which(word) or "" for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words and words[0] else None


@cache
def _wide() -> frozenset[str]:
    home = os.path.expanduser("~")
    homes = {os.path.normpath(os.path.join(each, part)) for each in {home, os.path.realpath(home)} for part in _PRIVATE}
    return frozenset({*_SHARED, *_OWN, *homes, os.path.realpath(tempfile.gettempdir()), tempfile.gettempdir()})


def is_shared(folder: str) -> bool:
    """Return whether a folder holds so much else that it is not shown for the sake of one program in it.

    So do the folders of users, those of runs, those that runs lie in, and links to any of these.
    """
    real = os.path.realpath(folder)
    if os.path.dirname(real) == "/home" or _within(real, _hidden) or _holds_runs(real):
        return True
    return any(_within(each, (path.rstrip("/"),)) for path in (folder, real) for each in _wide())


@cache
def _holds_runs(folder: str) -> bool:
    """Return whether a folder is that of a run, or has such folders in it: other runs may come to lie there."""
    names, folders = _entries(folder)
    return not _RECORDS.isdisjoint(names) or any(not _RECORDS.isdisjoint(_entries(each)[0]) for each in folders)


def _entries(folder: str) -> tuple[list[str], list[str]]:
    """Return the names in a folder, and the paths of the folders in it; none if it cannot be read."""
    try:
        with os.scandir(folder) as found:
            entries = [*found]
    except OSError:
        return [], []
    return [each.name for each in entries], [each.path for each in entries if each.is_dir(follow_symlinks=False)]


@cache
def _runs_below(folder: str) -> tuple[str, ...]:
    """Return the runs below a folder, the nearest first."""
    found, left = list[str](), [folder]
    for each in left:  # it grows, so that the nearest come first
        _, folders = _entries(each)
        runs = {path for path in folders if not _RECORDS.isdisjoint(_entries(path)[0])}
        is_shown = each == folder
        found += runs
        if len(left) < _LOOKED_THROUGH and (is_shown or not runs):
            left += [path for path in folders if path not in runs]
    return tuple(found)


def _of_others(shown: Iterable[str]) -> list[str]:
    """Return what a box shows besides the folders of our own interpreter, which are large, and as they should be."""
    return [path for path in shown if path not in (sys.prefix, sys.base_prefix)]


@cache
def special_files(shown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the pipes, sockets and devices in what a box shows, so that it has to cover them.

    That a folder is read-only keeps nobody from writing to these: two boxes that show them could talk to each other.
    """
    found, left = list[str](), _of_others(shown)
    for each in left:  # it grows
        with suppress(OSError), os.scandir(each) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                    found.append(entry.path)
    return tuple(found)


def without_nested(paths: Iterable[str]) -> list[str]:
    """Return files and folders, without those that are shown with another, and without folders that no box shows.

    These are the kernel's own and shared ones, whoever names them: an argument may be `/` or the home folder.
    """
    found: list[str] = []
    for path in sorted({os.path.normpath(path) for path in paths}, key=lambda path: (len(path), path)):
        # What lies beside runs is named on its own, since these are covered with all that is around them.
        is_new = not _within(path, (*SYSTEM, *_OWN))  # the system is shown anyway
        is_new = is_new and (not _within(path, found) or _holds_runs(os.path.dirname(path)))
        if is_new and (os.path.isfile(path) or (os.path.isdir(path) and not is_shared(path))):
            found.append(path)
    return found


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


_hidden: Final[set[str]] = set()


def hide(run_folder: str) -> None:
    """Let no box of this process show the folder of a run that is under way, nor its neighbours."""
    _hidden.add(os.path.realpath(run_folder))
    for looked in (_holds_runs, _runs_below):
        looked.cache_clear()


def hidden_folders() -> tuple[str, ...]:
    """Return the folders of runs under way, for other processes of the run to hide."""
    return tuple(sorted(_hidden))


def covered(shown: Sequence[str]) -> list[str]:
    """Return the folders of runs that lie within what a box shows, so that it has to cover them.

    These are the runs under way and all others. All runs in the folder of a run are covered with it, unless that holds
    what is shown, too.
    """
    found, done = [], set[str]()
    below = {run for path in _of_others(shown) for run in _runs_below(os.path.realpath(path))}
    for folder in filter(os.path.isdir, sorted({*_hidden, *below})):
        if os.path.dirname(folder) in done:
            continue
        for each in (os.path.dirname(folder), folder):
            inside = [path for path in (*shown, *SYSTEM) if _within(each, (os.path.realpath(path),))]
            if inside and not any(_within(os.path.realpath(path), (each,)) for path in shown):
                found += [_as_shown(each, path) for path in inside]
                done.add(each)
                break
    return sorted({*found})


def _as_shown(folder: str, path: str) -> str:
    """Return where in the box a folder is that lies within a path, which may lead there through a link."""
    return os.path.normpath(os.path.join(path, os.path.relpath(folder, os.path.realpath(path))))
