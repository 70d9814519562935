"""What is sent to OpenAI, Anthropic and Google, and what is read out of their answers."""

import json

import pytest

from molt_bench.errors import ProviderError
from molt_bench.llm.gateway import PREFLIGHT_PROMPT
from tests.cases import one_in
from tests.llm import wire
from tests.llm.playing import DECISIONS, MODELS, assert_complete, faults_of, passive, prompts_of, run
from tests.llm.provider import Provider

APIS = ("openai", "anthropic", "google")
KEY = "sk-very-secret-1234"
SKILL = "# Poker\r\n\r\nBluff, but n\u00e9ver ♠ twice.\n\ttab, trailing blanks  \r\n{braces} and <tags>\n\n"


def system_of(api, body):
    """Return the texts of the system prompt."""
    if api == "openai":
        return [message["content"] for message in body["messages"] if message["role"] == "system"]
    if api == "anthropic":
        return [body["system"]] if isinstance(body["system"], str) else [part["text"] for part in body["system"]]
    return [part["text"] for part in body["systemInstruction"]["parts"]]


#: Fields by which a request would ask for tools, or for a form of the reply.
FORMS = {"tools", "response_format", "output_config", "output_format", "responseMimeType", "responseJsonSchema"}


@pytest.mark.parametrize("api", APIS)
def test_the_good_path(api, monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)
    with Provider(policy=passive) as provider:
        result = run(provider, api=api, apiKeyEnv="A_KEY")
        requests, prompts = provider.requests, prompts_of(provider)
    assert faults_of(result) == []
    assert_complete(result)
    assert {request.api for request in requests} == {api}
    assert {wire.key_of(request.path, request.headers) for request in requests} == {KEY}
    assert {wire.model_of(request.path, request.body) for request in requests} == {MODELS[api].partition(":")[2]}
    assert len(requests) == len({*prompts}) == DECISIONS
    (usage,) = result.usage
    assert usage.reported == (f"{MODELS[api].partition(':')[2]}-2026",)
    assert (usage.model, usage.cost_usd) == (MODELS[api], None)
    assert (usage.decisions, usage.exchanges, usage.requests) == (DECISIONS,) * 3
    # With the question before the first card.
    replies = ["Ready.", *(json.dumps(passive(prompt, {})) for prompt in prompts)]
    prompts = [PREFLIGHT_PROMPT[1], *prompts]
    assert usage.input_tokens == sum(wire.tokens(prompt) + wire.CACHED for prompt in prompts)
    assert usage.cached_tokens == wire.CACHED * (DECISIONS + 1)
    assert usage.output_tokens == sum(wire.tokens(reply) + wire.THOUGHTS for reply in replies)
    # Anthropic does not say how many of its tokens were thoughts.
    assert usage.reasoning_tokens == (0 if api == "anthropic" else wire.THOUGHTS * (DECISIONS + 1))


def first_body(api="openai", **settings):
    """Return the body of the first request."""
    with Provider(policy=passive) as provider:
        assert faults_of(run(provider, api=api, game={"handsPerGame": 1}, **settings)) == []
        return provider.requests[0].body


@pytest.mark.parametrize("api", APIS)
def test_no_form_of_a_reply_is_asked_for_and_what_is_not_set_is_not_sent(api):
    body = first_body(api)
    sent = {*body, *body.get("generationConfig", {})}
    assert not sent & FORMS
    assert not sent & {"temperature", "top_p", "topP", "seed", "reasoning_effort", "thinking", "thinkingConfig"}
    assert not sent & {"max_completion_tokens", "max_tokens", "maxOutputTokens"} - (
        {"max_tokens"} if api == "anthropic" else {*()}
    )


def test_openai_gets_every_setting():
    body = first_body(temperature=0.5, topP=0.9, seed=7, maxTokens=500)
    assert {name: body.get(name) for name in ("temperature", "top_p", "seed", "max_tokens")} == {
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 500,
    }
    assert first_body(temperature=0)["temperature"] == 0


@pytest.mark.parametrize(
    ("name", "effort"),
    [
        *[("openai:gpt-5", effort) for effort in ("minimal", "low", "medium", "high")],
        ("openai:gpt-5", "max"),
        ("openai:a-local-model", "low"),
    ],
)
def test_openai_gets_the_effort(name, effort):
    assert first_body(model=name, reasoningEffort=effort).get("reasoning_effort") == effort


def test_anthropic_gets_the_settings_that_it_has():
    body = first_body("anthropic", temperature=0.5, topP=0.9, maxTokens=500)
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.5, 0.9, 500)


def test_google_gets_every_setting():
    body = first_body("google", temperature=0.5, topP=0.9, seed=7, maxTokens=500)["generationConfig"]
    assert (body["temperature"], body["topP"], body["seed"], body["maxOutputTokens"]) == (0.5, 0.9, 7, 500)


def test_anthropic_is_asked_for_whole_answers_without_a_limit_of_tokens_too():
    assert first_body("anthropic", maxTokens=None)["stream"] is False


@pytest.mark.parametrize("api", APIS)
def test_the_skill_document_is_the_system_prompt_byte_for_byte(api, tmp_path):
    path = tmp_path / "skill.md"
    path.write_bytes(SKILL.encode())
    assert system_of(api, first_body(api, skillDoc=str(path))) == [SKILL]


FAILURES = {
    "429": None,
    "500": None,
    "reset": None,
    "html": None,
    "cut-json": None,
    "empty-body": None,
    "wrong-body": None,
    "empty-reply": "empty",
    "cut-reply": "truncated",
    "refusal": "refused",
    "prose-only": "unparsable",
    "giant": "unparsable",
    "illegal": "illegal",
    "hang": None,
    "drip": "timeout",
}
#: These take as long as an action may.
LATE = ("hang", "drip")


@pytest.mark.parametrize(
    ("api", "fault"),
    one_in(3, [(api, fault) for api in ("anthropic", "google") for fault in FAILURES]),
)
def test_one_failure_is_told_apart_as_with_openai(api, fault):
    kind = FAILURES[fault]
    with Provider(policy=passive, fault=[None, fault]) as provider:
        result = run(provider, api=api, game={"handsPerGame": 1, "actionTimeoutS": 2.0 if fault in LATE else None})
        assert provider.received == DECISIONS // 2 + 1
    assert [found.kind for found in faults_of(result)] == ([kind] if kind else [])
    assert_complete(result, hands=1)


def said(form):
    """Return a policy that says its move in a text, once; then it only says its move."""
    texts = [form]

    def policy(prompt, body):
        move = passive(prompt, body)
        return texts.pop().format(json.dumps(move)) if texts else move

    return policy


@pytest.mark.parametrize("api", APIS)
def test_prose_before_the_object_is_taken(api):
    with Provider(policy=said("Let me think. {}")) as provider:
        result = run(provider, api=api, game={"handsPerGame": 1})
    assert faults_of(result) == []


@pytest.mark.parametrize("api", APIS)
def test_an_answer_cut_off_by_the_limit_of_tokens_is_truncated(api):
    with Provider(policy=passive, fault=["cut-reply"]) as provider:
        result = run(provider, api=api, game={"handsPerGame": 1})
    assert [fault.kind for fault in faults_of(result)] == ["truncated"]


def test_the_last_object_of_a_reply_counts():
    with Provider(policy=said('Perhaps {{"kind": "fold"}}? No: {} I am sure.')) as provider:
        changed = run(provider)
    with Provider(policy=passive) as provider:
        straight = run(provider)
    assert changed.matches == straight.matches


@pytest.mark.parametrize("fault", ["401", "404"])
@pytest.mark.parametrize("api", APIS)
def test_a_wrong_key_or_model_ends_the_run_without_a_word_of_the_key(api, fault, monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)
    with Provider(policy=passive, fault=lambda _: fault) as provider:
        with pytest.raises(ProviderError, match=f"^model \\({MODELS[api]}\\) at http.+ cannot be asked: ") as caught:
            run(provider, api=api, apiKeyEnv="A_KEY")
        assert provider.received == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(("fault", "seconds"), [("429-after", 1), ("429-after-ms", 0.3)])
@pytest.mark.parametrize("api", ["anthropic", "google"])
def test_a_pause_that_the_server_asks_for_is_kept(api, fault, seconds):
    with Provider(policy=passive, fault=[fault], retry_after=seconds) as provider:
        result = run(provider, api=api, game={"handsPerGame": 1})
        refused, again = provider.requests[:2]
    assert again.start - refused.start >= seconds
    assert faults_of(result) == []


def test_all_three_apis_lead_to_the_same_play():
    results = []
    for api in APIS:
        with Provider() as provider:
            results.append(run(provider, api=api).matches)
    assert results[0] == results[1] == results[2]
