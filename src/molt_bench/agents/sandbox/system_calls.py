"""System calls that nothing in a box may make: they reach around it, or leave traces outside. As a seccomp filter.

Most of a box is made of namespaces. What is left to forbid are things of the kernel that have no namespace: keys, locks
and watches on files that two boxes share, what is in the page cache, new namespaces, mounts, and typing into terminals.
"""

import struct
from functools import cache
from platform import machine
from typing import Final, NamedTuple

#: Numbers of the calls by the architecture of the kernel; i386 programs run on x86_64, too.
_X86_64: Final = {
    "keys": (248, 249, 250),  # add_key, request_key, keyctl
    "locks and watches on shared files": (73, 254, 301, 300),  # flock, inotify_add_watch, fanotify_mark, fanotify_init
    "the page cache": (27, 451, 327),  # mincore, cachestat, preadv2
    "namespaces": (272, 308),  # unshare, setns
    "mounts": (165, 166, 155, 161, 428, 429, 430, 431, 432, 433, 442),
    "the machine": (298, 321, 323, 175, 313, 176, 246, 320, 103, 163, 425, 312),
}
_I386: Final = {
    "keys": (286, 287, 288),
    "locks and watches on shared files": (143, 292, 339, 338),
    "the page cache": (218, 451, 378),
    "namespaces": (310, 346),
    "mounts": (21, 22, 52, 217, 61, 428, 429, 430, 431, 432, 433, 442),
    "the machine": (336, 357, 374, 128, 350, 129, 283, 103, 51, 425, 349),
}
_AARCH64: Final = {
    "keys": (217, 218, 219),
    "locks and watches on shared files": (32, 27, 263, 262),
    "the page cache": (232, 451, 286),
    "namespaces": (97, 268),
    "mounts": (40, 39, 41, 51, 428, 429, 430, 431, 432, 433, 442),
    "the machine": (241, 280, 282, 105, 273, 106, 104, 294, 116, 89, 425, 272),
}


class _Architecture(NamedTuple):
    """How a kernel names an architecture, and the numbers of its calls."""

    audit: int
    forbidden: dict[str, tuple[int, ...]]
    ioctl: int
    fcntl: tuple[int, ...]
    clone: int
    clone3: int = 435


_ARCHITECTURES: Final = {
    "x86_64": (
        _Architecture(0xC000003E, _X86_64, ioctl=16, fcntl=(72,), clone=56),
        _Architecture(0x40000003, _I386, ioctl=54, fcntl=(55, 221), clone=120),
    ),
    "aarch64": (_Architecture(0xC00000B7, _AARCH64, ioctl=29, fcntl=(25,), clone=220),),
}
#: Numbers of x32, a third way to call an x86_64 kernel, begin here.
_X32: Final = 0x40000000
#: Requests of ioctl that type into a terminal (TIOCSTI, TIOCLINUX); of fcntl, leases and notices of files that others
#: may share (F_SETLEASE, F_NOTIFY); flags of clone for a new user namespace.
_TYPING: Final = (0x5412, 0x541C)
_SHARED: Final = (1024, 1026)
_NEW_USER: Final = 0x10000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
#: Where the number, the architecture and the arguments of a call lie; arguments have eight bytes, the low ones first.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


@cache
def seccomp_filter(architecture: str | None = None) -> bytes:
    """Return the filter as a program for the kernel; b"" on an architecture whose calls are not known here."""
    known = _ARCHITECTURES.get(architecture or machine(), ())
    if not known:
        return b""
    parts = [_of(each) for each in known]
    code: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, _ARCHITECTURE)]
    for each, part in zip(known, parts, strict=True):
        code += [(_EQUAL, 0, len(part), each.audit), *part]
    code.append((_RETURN, 0, 0, _EPERM))  # an architecture that should not be there
    return b"".join(struct.pack("=HBBI", *each) for each in code)


def _of(known: _Architecture) -> list[tuple[int, int, int, int]]:
    """Return the part for one architecture, which ends in a return on every way."""
    found = [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _EPERM)]
    for number in sorted({number for numbers in known.forbidden.values() for number in numbers}):
        found += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ENOSYS)]  # as on a kernel that does not have it
    # The flags of clone3 lie in memory, where a filter cannot look: libraries then use clone.
    found += [(_EQUAL, 0, 1, known.clone3), (_RETURN, 0, 0, _ENOSYS)]
    found += [(_EQUAL, 0, 3, known.clone), (_LOAD, 0, 0, _ARGUMENTS), (_ANY_BIT, 0, 1, _NEW_USER)]
    found += [(_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, _NUMBER)]
    for numbers, values in (((known.ioctl,), _TYPING), (known.fcntl, _SHARED)):
        for number in numbers:
            tests = [step for value in values for step in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _EPERM))]
            found += [(_EQUAL, 0, len(tests) + 2, number), (_LOAD, 0, 0, _ARGUMENTS + 8), *tests]
            found += [(_LOAD, 0, 0, _NUMBER)]
    return [*found, (_RETURN, 0, 0, _ALLOW)]
