"""Programs that run as another user: who that is, a folder they can use, and doing as them what only they may.

We may neither signal their processes nor remove their files. Where the command begins with `sudo` or `doas`, the same
command can: it runs `kill` and `rm` as that user.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

import msgspec

#: Commands that run a program as another user, by name; the value says whether they do so for whoever is not root.
_SWITCHES: Final = {"sudo": True, "doas": True, "runuser": False, "su": False, "setpriv": False}
#: Their options that name the user, in the same word or in the next, and other options that take the next word.
_USER: Final = re.compile(r"(?:-[A-Za-z]*?u|--user=?|--reuid=?)(?P<user>.*)")
_WITH_VALUE: Final = re.compile(r"-[A-Za-z]*[CDRTUcghprt]|--(groups?|regid|host|prompt|chdir|chroot|role|type|command)")
_HELP_S: Final = 10.0


class OtherUser(msgspec.Struct, frozen=True):
    """The user that a program runs as.

    Attributes:
        name: Name or number; "" if it is not known.
        helper: Begins a command that runs as the user without asking for a password; empty if there is none.
    """

    name: str
    helper: tuple[str, ...] = ()

    @property
    def uid(self) -> int | None:
        """The user's number; None if there is no such user."""
        import pwd  # noqa: PLC0415 - not on every system

        try:
            return int(self.name) if self.name.isdigit() else pwd.getpwnam(self.name).pw_uid
        except KeyError:
            return None

    def run(self, *words: str) -> str:
        """Run a command as the user; return why that failed, or "" if it did not."""
        if not self.helper:
            return "there is no sudo in its command"
        try:
            done = subprocess.run(
                [*self.helper, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_HELP_S,
                cwd="/",
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
        said = done.stderr.strip().splitlines()
        return (said[-1] if said else f"exit status {done.returncode}") if done.returncode else ""


def user_of(command: Sequence[str]) -> OtherUser | None:
    """Return the user that a command runs its program as; None if that is ours.

    >>> user_of(["/usr/bin/sudo", "-n", "-u", "guest", "/srv/guest/bot"])
    OtherUser(name='guest', helper=('/usr/bin/sudo', '-n', '-u', 'guest'))
    >>> user_of(["/usr/sbin/runuser", "-u", "guest", "--", "./bot"])
    OtherUser(name='guest', helper=())
    >>> user_of(["./bot", "-u", "guest"]) is None
    True
    """
    program = os.path.basename(command[0])
    if program not in _SWITCHES:
        return None
    user = _user_in(command[1:]) or ("" if program == "su" else "root")
    return OtherUser(user, (command[0], "-n", "-u", user) if _SWITCHES[program] else ())


def _user_in(words: Sequence[str]) -> str:
    """Return the user that the options of such a command name; "" if they name none."""
    rest = iter(words)
    for word in rest:
        if word == "--" or not word.startswith("-"):
            break
        if found := _USER.fullmatch(word):
            return found["user"] or next(rest, "")
        if _WITH_VALUE.fullmatch(word):
            next(rest, "")
    return ""


def new_folder(user: OtherUser | None) -> str:
    """Return a new folder for a program to work in, of which nobody else knows.

    That of another user lies in one that can be entered but not listed, under a name that cannot be guessed: only root
    can give a folder away, everybody else has to leave it open.
    """
    folder = os.path.realpath(tempfile.mkdtemp(prefix="molt-bench-agent-"))
    if user is None:
        return folder
    os.chmod(folder, 0o711)
    inside = os.path.join(folder, token_hex(16))
    os.mkdir(inside, 0o700)
    uid = user.uid if user.name else None
    if os.geteuid() == 0 and uid is not None:
        os.chown(inside, uid, -1)
    else:
        os.chmod(inside, 0o1777)
    return inside


def remove_folder(folder: str, user: OtherUser | None) -> bool:
    """Remove a folder and all in it; return whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    if user is not None and user.helper and os.path.exists(folder):
        user.run("rm", "-rf", "--", folder)  # the folder itself is ours, but not what is in it
    if os.path.exists(folder):  # the program may have removed its own permissions
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(path).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
    if user is not None:
        with suppress(OSError):
            os.rmdir(os.path.dirname(folder))
    return not os.path.exists(folder)
