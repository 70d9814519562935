"""Whose doing the end of a program is, as far as that can be known."""

import signal

import pytest

from molt_bench.agents.external.exit_reason import ExitReason, name_of, stopped_by_signal

OWN = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS", "SIGPIPE", "SIGXCPU", "SIGALRM")


@pytest.mark.parametrize("number", sorted(signal.valid_signals() - {signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP}))
def test_only_signals_that_mistakes_cause_are_a_crash(number):
    kind, said = ExitReason(int(number)).fault()
    assert name_of(number) in said
    own = name_of(number) in OWN or name_of(number) in ("SIGXFSZ", "SIGVTALRM", "SIGPROF")
    assert (kind, "from outside" in said) == (("crash", False) if own else ("signal", True))


@pytest.mark.parametrize("code", range(256))
def test_of_exit_statuses_only_those_of_wrapped_signals_that_others_send_are_not_a_crash(code):
    kind, said = ExitReason(code << 8).fault()
    assert f"exit status {code}" in said
    assert (kind == "signal") is (code in (129, 130, 131, 137, 143))


def test_a_limit_of_ours_is_not_called_a_signal_from_outside():
    assert ExitReason(signal.SIGKILL, 605.0, cpu_limit_s=600).fault() == (
        "crash",
        "the program was ended by SIGKILL at its limit of 600 s of processor time",
    )
    assert ExitReason(signal.SIGKILL, 3.0, cpu_limit_s=600).fault()[0] == "signal"
    assert (
        ExitReason(signal.SIGXCPU, 600.0, cpu_limit_s=600)
        .fault()[1]
        .endswith("at its limit of 600 s of processor time")
    )


def test_a_box_does_not_say_how_long_a_killed_program_ran():
    kind, said = ExitReason(signal.SIGKILL, None, cpu_limit_s=600).fault()
    assert kind == "signal"
    assert said.endswith("unless it sent that itself, or was at its limit of 600 s of processor time")


def test_a_system_without_memory_is_mentioned_where_it_may_be_the_reason():
    assert "ran out of memory" in ExitReason(signal.SIGKILL, out_of_memory=True).fault()[1]
    assert "ran out of memory" not in ExitReason(signal.SIGTERM, out_of_memory=True).fault()[1]


def test_processes_that_stand_still_are_named():
    assert stopped_by_signal("no answer", [7]).startswith("no answer: its process 7 had been stopped")
    assert "its processes 7, 8 had" in stopped_by_signal("no answer", [7, 8])
