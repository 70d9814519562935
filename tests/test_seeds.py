"""Randomness by label."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.errors import ConfigError
from molt_bench.seeds import derive, label_bytes, load_seeds, seed_pool

LABELS = st.lists(st.one_of(st.integers(), st.text(st.characters(codec="utf-8"))), min_size=1, max_size=4)


@settings(max_examples=40)
@given(LABELS, LABELS)
def test_different_labels_are_never_written_the_same(first, second):
    def written(labels):
        return b"".join(map(label_bytes, labels))

    same = [(type(label), label) for label in first] == [(type(label), label) for label in second]
    assert (written(first) == written(second)) == same


def test_an_int_and_its_text_are_two_seeds():
    assert derive(7) != derive("7")


@pytest.mark.parametrize("seed", [0, -1, 2**64, -(10**5000), "", "a" * 100_000, "ß"], ids=lambda _: "seed")
def test_seeds_of_any_size_are_taken(seed):
    assert 0 <= derive(seed, "x") < 2**256


@pytest.mark.parametrize("seed", [1.5, None, True, b"bytes", ("a",), "\ud800"])
def test_a_seed_that_is_neither_int_nor_text_is_refused(seed):
    with pytest.raises(ConfigError, match=r"an int or a string|text that UTF-8 can write"):
        derive(seed)


def test_derived_numbers_stay_the_same_for_ever():
    """A change here changes every result ever published: bump BENCH_VERSION with it."""
    assert derive("s1", "agent", 0) >> 224 == 0xB4213D1D


def test_the_pool_is_a_function_of_the_master_seed_and_grows_at_its_end():
    assert seed_pool("m", 10) == seed_pool("m", 10)
    assert seed_pool("m", 10)[4:] == seed_pool("m", 6, start=4)
    assert not {*seed_pool("m", 1000)} & {*seed_pool("n", 1000)}


def test_a_pool_has_no_seed_twice():
    assert len(set(seed_pool("m", 20_000))) == 20_000


def test_an_empty_pool_is_refused():
    with pytest.raises(ConfigError, match="at least 1"):
        seed_pool("m", 0)


class TestSeedFiles:
    def load(self, tmp_path, text):
        path = tmp_path / "seeds"
        path.write_text(text, "utf-8")
        return load_seeds(str(path))

    def test_json_lists_and_lines_give_the_same_seeds(self, tmp_path):
        expected = [7, -3, "x", "007", 10**40]
        assert self.load(tmp_path, f'[7, -3, "x", "007", {10**40}]') == expected
        assert self.load(tmp_path, f"7\n-3\nx\n007\n{10**40}\n\n") == expected

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "at least one seed"),
            ("[]", "at least one seed"),
            ("a\n\nb", "an int or a text as seed 2, not ''"),
            ('["a", ""]', "an int or a text as seed 2, not ''"),
            ("[1, 2.5]", "an int or a text as seed 2, not 2.5"),
            ("[1, true]", "an int or a text as seed 2, not True"),
            ("a\nb\na", "every seed once, and seed 3, 'a', was there before"),
            ("[1, 1]", "every seed once, and seed 2, 1, was there before"),
            ("[1, 2", "a JSON list (line 1"),
            ('{"a": 1}', "a JSON list, or one seed per line, not a JSON object"),
            (' \n{"seeds": [1]}', "not a JSON object"),
        ],
    )
    def test_a_file_that_cannot_be_used_says_why(self, tmp_path, text, said):
        with pytest.raises(ConfigError) as caught:
            self.load(tmp_path, text)
        assert said in str(caught.value)

    def test_a_missing_file_is_an_error(self):
        with pytest.raises(ConfigError, match="No such file"):
            load_seeds("missing.txt")
