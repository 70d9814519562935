"""The limits of a box, besides memory and processor time, which are settings of a program."""

from typing import Final

#: Processes and threads together.
TASKS: Final = 1024
#: Open files of one process, and of all together where no cgroup counts the memory that they hold.
FILES: Final = 4096
#: What can be written to files, all of it in memory: in the home folder, and as shared memory.
DISK_BYTES: Final = 256 * 1024 * 1024
SHARED_MEMORY_BYTES: Final = 64 * 1024 * 1024
#: Files and folders in each of these, empty ones included.
ENTRIES: Final = 100_000
