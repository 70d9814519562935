"""A model that the caller's own client asks plays as one that ours asks."""

from molt_bench import ParticipantSpec, make_agent, play_game


def test_a_model_is_asked_by_a_function_of_the_callers():
    asked = []

    async def ask(system, message):
        asked.append((system, message))
        return '{"reasoning": "No.", "kind": "fold"}', None

    model = make_agent(ParticipantSpec(id="mine", type="llm:harness:mine"), ask=ask)
    record = play_game((model, make_agent("tight")), seed=1, hands=2)
    assert record.faults == ()
    assert next(record.replay()).hand.log[0].kind == "fold"
    assert "JSON" in asked[0][0]
    assert "Legal actions" in asked[0][1]


def test_a_reply_that_was_cut_off_is_a_fault_of_that_kind():
    async def ask(system, message):
        return "", "length"

    model = make_agent(ParticipantSpec(id="mine", type="llm:harness:mine"), ask=ask)
    record = play_game((model, make_agent("tight")), seed=1, hands=1, max_retries=0)
    assert [fault.kind for fault in record.faults] == ["truncated"]
