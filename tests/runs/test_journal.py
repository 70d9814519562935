"""The journal: append-only, and the one truth of a run."""

import pytest

from molt_bench import make_agent, play_game
from molt_bench.bench.endings import Spent
from molt_bench.errors import JournalError
from molt_bench.runs.journal import Journal, read_journal
from molt_bench.runs.journal_lines import FORMAT, Game, Header, SessionEnd, games_in

HEADER = Header(FORMAT, 1, "0", "hash", {"a": 1})


def a_game(number=1):
    record = play_game((make_agent("random"), make_agent("tight")), seed=number, hands=3)
    return Game(number, record)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "journal.jsonl")


def written(path, *lines):
    journal = Journal(path)
    for line in lines:
        journal.write(line)
    journal.close()


def test_what_was_written_is_read(path):
    lines = (a_game(1), a_game(10**30), SessionEnd(1.5, Spent("maxMatches", 1)))
    written(path, HEADER, *lines)
    content = read_journal(path)
    assert content.header == HEADER
    assert content.lines == lines
    assert games_in(content.lines) == list(lines[:2])


def test_every_line_is_there_before_the_next_is_written(path):
    journal = Journal(path)
    journal.write(HEADER)
    for number in range(1, 4):
        journal.write(a_game(number))
        assert len(read_journal(path).lines) == number
    journal.close()


def test_a_torn_last_line_is_dropped_wherever_it_is_torn(path):
    written(path, HEADER, a_game(1), a_game(2))
    with open(path, "rb") as file:
        data = file.read()
    second = data.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(second, len(data), 37):
        with open(path, "wb") as file:
            file.write(data[:cut])
        content = read_journal(path)
        assert len(content.lines) == 1
        assert content.size == second


def test_going_on_cuts_the_torn_line_off(path):
    written(path, HEADER, a_game(1))
    with open(path, "ab") as file:
        file.write(b'{"line":"game","ma')
    journal, content = Journal.reopen(path)
    assert len(content.lines) == 1
    journal.write(a_game(2))
    journal.close()
    assert [line.match for line in read_journal(path).lines] == [1, 2]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda lines: [lines[0], b"{nonsense", lines[2]], "line 2 is damaged"),
        (lambda lines: [lines[0], lines[1][:50], lines[2]], "line 2 is damaged"),
        (lambda lines: [lines[0], b"", lines[2]], "line 2 is damaged"),
        (lambda lines: lines[1:], "line 1: expected the header"),
        (lambda lines: [], "line 1: expected the header"),
        (lambda lines: [lines[0].replace(b'"format":1', b'"format":99'), *lines[1:]], "this version reads format 1"),
        (lambda lines: [lines[0], lines[1].replace(b'"match":1', b'"match":"x"'), lines[2]], "line 2 is damaged"),
    ],
)
def test_damage_before_the_last_line_is_an_error_that_names_the_line(path, damage, said):
    written(path, HEADER, a_game(1), a_game(2))
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    with open(path, "wb") as file:
        file.writelines(line + b"\n" for line in damage(lines))
    with pytest.raises(JournalError, match=said):
        read_journal(path)


def test_a_missing_journal_is_an_error(path):
    with pytest.raises(JournalError, match="No such file"):
        read_journal(path)


def test_a_journal_is_never_overwritten(path):
    written(path, HEADER)
    with pytest.raises(JournalError, match="File exists"):
        Journal(path)


def test_only_one_process_writes_a_journal(path):
    first = Journal(path)
    first.write(HEADER)
    with pytest.raises(JournalError, match="is being written by another process"):
        Journal.reopen(path)
    first.close()
    again, _ = Journal.reopen(path)
    again.close()


def test_a_full_disk_ends_the_writing_not_the_run(path):
    warned = []
    journal = Journal(path, warn=warned.append)
    journal.write(HEADER)
    journal.close()
    journal._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 - the device that is always full
    for number in (1, 2):
        journal.write(a_game(number))
    assert warned == [journal.problem]
    assert "the run went on in memory" in journal.problem
    assert journal.line_count == 1
    journal.close()


@pytest.mark.parametrize("written", [False, True])
def test_an_interruption_between_a_line_and_its_hash_does_not_break_the_chain(path, monkeypatch, written):
    journal = Journal(path)
    journal.write(HEADER)

    def interrupted(*given, then=journal.append):
        if written:
            then(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(journal, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        journal.write(a_game(1))
    monkeypatch.undo()
    journal.catch_up()
    journal.write(SessionEnd(1.0))
    journal.close()
    assert [type(line) for line in read_journal(path).lines] == [*[Game] * written, SessionEnd]
