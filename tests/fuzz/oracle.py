"""What must hold for every input, however odd: how the program ends, what it says, what it takes."""

import os
import resource
import sys
import traceback

from tests.e2e.shell import Fork

#: Seconds of processor time, and bytes of memory beside what this process has before it becomes the program.
MOST_CPU_S = 30
MOST_MEMORY = 200 * 2**20
STATUSES = {0, 1, 2, 5}


class Measured(Fork):
    """The program in a fork, with what it took."""

    def wait(self):
        if self.returncode is None:
            _, status, used = os.wait4(self.pid, 0)
            self.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_s = used.ru_utime + used.ru_stime
            self.memory = used.ru_maxrss * 1024
        return self.returncode


def ended_well(*arguments, about="", **options):
    """Run the program; check that it ends as it should, whatever it was given; return its status."""
    before = _memory_now()
    process = Measured(*arguments, **options)
    out, err = process.communicate()
    told = (about, arguments, process.returncode, err[-3000:])
    assert process.returncode in STATUSES, told
    assert "Traceback" not in err, told
    assert "Exception ignored" not in err, told
    mistakes = [line for line in err.splitlines() if line.startswith("molt-bench:") and "warning:" not in line]
    if process.returncode == 1:
        assert mistakes, told  # of a config, all that is wrong, a line each
        assert len({*mistakes}) == len(mistakes), told
        assert max(map(len, mistakes)) < 2000, told
    assert process.cpu_s < MOST_CPU_S, (*told, process.cpu_s)
    assert process.memory - before < MOST_MEMORY, (*told, process.memory, before)
    return process.returncode, out


def raises_ours_alone(function, about=""):
    """Call a function in a fork; check that it raises nothing but errors of the library."""
    from molt_bench.errors import MoltBenchError

    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        said = ""
        try:
            function()
        except MoltBenchError:
            pass
        except BaseException:
            said = traceback.format_exc()
        finally:
            os.write(writing, said.encode(errors="replace")[-4000:])
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(child, 0)
    assert not said, (about, said)


def _memory_now():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if sys.platform != "linux":

    def _memory_now():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
