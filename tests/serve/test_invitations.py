"""The file of invitations is never lost: an invited agent can come back as long as the run goes on."""

import stat

import msgspec
import pytest

from molt_bench.errors import MoltBenchError
from molt_bench.plugins.live.invitations import Invitations, Invited, load, save

INVITATIONS = Invitations("127.0.0.1", 8000, (Invited("guest", "0" * 32, key="1" * 32),))


def test_only_the_user_can_read_the_file(tmp_path):
    save(INVITATIONS, tmp_path)
    assert load(tmp_path) == INVITATIONS
    assert stat.S_IMODE((tmp_path / "invitations.json").stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_again_stays_as_it_was(tmp_path):
    save(INVITATIONS, tmp_path)
    (tmp_path / ".invitations.json.part").mkdir()
    with pytest.raises(MoltBenchError, match=r"invitations\.json cannot be written"):
        save(msgspec.structs.replace(INVITATIONS, port=8001), tmp_path)
    assert load(tmp_path) == INVITATIONS
