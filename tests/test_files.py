"""Files: whether there is one."""

import pytest

from molt_bench.files import is_there


def test_a_file_is_there_and_other_things_are_not(tmp_path):
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert is_there(file)
    for other in (tmp_path, tmp_path / "none", file / "below", tmp_path / "a\0b"):
        assert not is_there(other)
    with pytest.raises(OSError, match="loop"):
        is_there(tmp_path / "loop")
