"""System calls that nothing in a box may make: they reach around it, or leave traces outside. As a seccomp filter.

Most of a box is made of namespaces. What is left to forbid are things of the kernel that have no namespace: keys, locks
and watches on files that two boxes share, what is in the page cache, kinds of sockets that other boxes can hear, new
namespaces, mounts, typing into terminals, and memory that no limit counts.

Devices such as /dev/null are files that all boxes share and may write: their times, modes and locks would say something
to another box. Programs set such things on files of their own, too, so the calls succeed, and do nothing.
"""

import os
import struct
from functools import cache
from platform import machine
from typing import Final, NamedTuple, TypeAlias

#: Calls by their names, and their numbers on x86_64, i386 (whose programs run on x86_64, too) and aarch64.
_Calls: TypeAlias = dict[str, tuple[int | None, int | None, int | None]]
_FORBIDDEN: Final[_Calls] = {
    # keys
    "add_key": (248, 286, 217),
    "request_key": (249, 287, 218),
    "keyctl": (250, 288, 219),
    # locks and watches on shared files
    "flock": (73, 143, 32),
    "inotify_init": (253, 291, None),  # a user has few of these, in all boxes together
    "inotify_init1": (294, 332, 26),
    "inotify_add_watch": (254, 292, 27),
    "fanotify_init": (300, 338, 262),
    "fanotify_mark": (301, 339, 263),
    # attributes of files
    "setxattr": (188, 226, 5),
    "lsetxattr": (189, 227, 6),
    "fsetxattr": (190, 228, 7),
    "removexattr": (197, 235, 14),
    "lremovexattr": (198, 236, 15),
    "fremovexattr": (199, 237, 16),
    "setxattrat": (463, 463, 463),
    "removexattrat": (466, 466, 466),
    "file_setattr": (469, 469, 469),
    # the page cache
    "mincore": (27, 218, 232),
    "cachestat": (451, 451, 451),
    "preadv2": (327, 378, 286),
    # memory that belongs to no process: unlinked files, pages that a pipe holds, and what System V leaves
    "vmsplice": (278, 316, 75),
    "memfd_create": (319, 356, 279),
    "memfd_secret": (447, 447, 447),
    "shmget": (29, 395, 194),
    "msgget": (68, 399, 186),
    "semget": (64, 393, 190),
    "ipc": (None, 117, None),
    # namespaces and mounts
    "unshare": (272, 310, 97),
    "setns": (308, 346, 268),
    "mount": (165, 21, 40),
    "umount": (None, 22, None),
    "umount2": (166, 52, 39),
    "pivot_root": (155, 217, 41),
    "chroot": (161, 61, 51),
    "open_tree": (428, 428, 428),
    "move_mount": (429, 429, 429),
    "fsopen": (430, 430, 430),
    "fsconfig": (431, 431, 431),
    "fsmount": (432, 432, 432),
    "fspick": (433, 433, 433),
    "mount_setattr": (442, 442, 442),
    "open_by_handle_at": (304, 342, 265),
    # the machine
    "perf_event_open": (298, 336, 241),
    "bpf": (321, 357, 280),
    "userfaultfd": (323, 374, 282),
    "init_module": (175, 128, 105),
    "finit_module": (313, 350, 273),
    "delete_module": (176, 129, 106),
    "kexec_load": (246, 283, 104),
    "kexec_file_load": (320, None, 294),
    "syslog": (103, 103, 116),
    "acct": (163, 51, 89),
    "io_uring_setup": (425, 425, 425),
    "kcmp": (312, 349, 272),
    "swapon": (167, 87, 224),
    # The arguments of these lie in memory, where a filter cannot look: libraries then use clone, and 64 bits.
    "clone3": (435, 435, 435),
    "socketcall": (None, 102, None),
}
#: Calls that change the times of files.
_TIMES: Final[_Calls] = {
    "utime": (132, 30, None),
    "utimes": (235, 271, None),
    "futimesat": (261, 299, None),
    "utimensat": (280, 320, 88),
    "utimensat_time64": (None, 412, None),
}
#: Calls that change their modes and owners, which whoever owns the devices could do: root.
_MODES: Final[_Calls] = {
    "chmod": (90, 15, None),
    "fchmod": (91, 94, 52),
    "fchmodat": (268, 306, 53),
    "fchmodat2": (452, 452, 452),
    "chown": (92, 182, None),
    "fchown": (93, 95, 55),
    "lchown": (94, 16, None),
    "fchownat": (260, 298, 54),
    "chown32": (None, 212, None),
    "fchown32": (None, 207, None),
    "lchown32": (None, 198, None),
}
#: Requests of ioctl that type into a terminal (TIOCSTI, TIOCLINUX).
_TYPING: Final = (0x5412, 0x541C)
#: Of fcntl: leases and notices of files that others may share, questions about their locks (F_SETLEASE, F_NOTIFY,
#: F_GETLK and its kin), and hints that stay with a file (F_SET_RW_HINT and its kin).
_SHARED: Final = (1024, 1026, 5, 12, 36, 1035, 1036, 1037, 1038)
#: Of fcntl: locks of parts of files (F_SETLK, F_SETLKW and their kin).
_LOCKS: Final = (6, 7, 13, 14, 37, 38)
#: The flag of clone for a new user namespace.
_NEW_USER: Final = 0x10000000
#: Families of sockets that a namespace holds: local ones, IP, and the kernel's answers about these. Others, such as
#: vsock and Bluetooth, reach other boxes, or other machines.
_FAMILIES: Final = (1, 2, 10, 16)


class _Architecture(NamedTuple):
    """How a kernel names an architecture, the place of its numbers above, and those of calls by their arguments."""

    audit: int
    place: int
    ioctl: int
    fcntl: tuple[int, ...]
    clone: int
    sockets: tuple[int, ...]


_ARCHITECTURES: Final = {
    "x86_64": (
        _Architecture(0xC000003E, 0, ioctl=16, fcntl=(72,), clone=56, sockets=(41, 53)),
        _Architecture(0x40000003, 1, ioctl=54, fcntl=(55, 221), clone=120, sockets=(359, 360)),
    ),
    "aarch64": (_Architecture(0xC00000B7, 2, ioctl=29, fcntl=(25,), clone=220, sockets=(198, 199)),),
}
#: Numbers of x32, a third way to call an x86_64 kernel, begin here.
_X32: Final = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ERRNO: Final = 0x00050000
_ALLOW, _NOTHING, _EPERM, _ENOSYS, _NO_FAMILY = 0x7FFF0000, _ERRNO, _ERRNO | 1, _ERRNO | 38, _ERRNO | 97
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
        # A jump reaches 255 steps: the first leads to the part, the second over it.
        code += [(_EQUAL, 0, 1, each.audit), (0x05, 0, 0, 1), (0x05, 0, 0, len(part)), *part]
    code.append((_RETURN, 0, 0, _EPERM))  # an architecture that should not be there
    return b"".join(struct.pack("=HBBI", *each) for each in code)


def _of(known: _Architecture) -> list[tuple[int, int, int, int]]:
    """Return the part for one architecture, which ends in a return on every way."""
    found = [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _EPERM)]
    for calls, answer in ((_FORBIDDEN, _ENOSYS), (_without_effect(), _NOTHING)):  # the first as on an older kernel
        for number in sorted({each for numbers in calls.values() if (each := numbers[known.place]) is not None}):
            found += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]
    found += [(_EQUAL, 0, 3, known.clone), (_LOAD, 0, 0, _ARGUMENTS), (_ANY_BIT, 0, 1, _NEW_USER)]
    found += [(_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, _NUMBER)]
    answers = {**dict.fromkeys(_SHARED, _EPERM), **dict.fromkeys(_LOCKS, _NOTHING)}
    for numbers, wanted in (((known.ioctl,), dict.fromkeys(_TYPING, _EPERM)), (known.fcntl, answers)):
        for number in numbers:
            tests = [step for value, said in wanted.items() for step in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, said))]
            found += [(_EQUAL, 0, len(tests) + 2, number), (_LOAD, 0, 0, _ARGUMENTS + 8), *tests]
            found += [(_LOAD, 0, 0, _NUMBER)]
    for number in known.sockets:
        tests = [(_EQUAL, len(_FAMILIES) - at, 0, value) for at, value in enumerate(_FAMILIES)]
        found += [(_EQUAL, 0, len(tests) + 3, number), (_LOAD, 0, 0, _ARGUMENTS), *tests]
        found += [(_RETURN, 0, 0, _NO_FAMILY), (_LOAD, 0, 0, _NUMBER)]
    return [*found, (_RETURN, 0, 0, _ALLOW)]


def _without_effect() -> _Calls:
    """Return the calls that do nothing in a box of ours."""
    return _TIMES | (_MODES if os.geteuid() == 0 else {})
