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


@pytest.mark.parametrize(
    ("api", "settings", "sent"),
    [
        ("openai", {"temperature": 0}, {"temperature": 0}),
        # A server of the user's own gets the limit by the name that all know.
        ("openai", {"seed": 7, "maxTokens": 500}, {"seed": 7, "max_tokens": 500, "max_completion_tokens": None}),
        ("openai", {"temperature": 0.5, "topP": 0.9}, {"temperature": 0.5, "top_p": 0.9}),
        (
            "anthropic",
            {"temperature": 0.5, "topP": 0.9, "maxTokens": 500},
            {"temperature": 0.5, "top_p": 0.9, "max_tokens": 500},
        ),
        (
            "google",
            {"temperature": 0.5, "topP": 0.9, "seed": 7, "maxTokens": 500},
            {"temperature": 0.5, "topP": 0.9, "seed": 7, "maxOutputTokens": 500},
        ),
    ],
)
def test_what_is_set_is_sent_by_the_names_of_each_protocol(api, settings, sent):
    body = first_body(api, **settings)
    body |= body.get("generationConfig", {})
    assert {name: body.get(name) for name in sent} == sent


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


@pytest.mark.parametrize("fault", ["401", "404"])
@pytest.mark.parametrize("api", APIS)
def test_a_wrong_key_or_model_ends_the_run_without_a_word_of_the_key(api, fault, monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)
    with Provider(policy=passive, fault=lambda _: fault) as provider:
        with pytest.raises(ProviderError, match=f"^model \\({MODELS[api]}\\) at http.+ cannot be asked: ") as caught:
            run(provider, api=api, apiKeyEnv="A_KEY")
        assert provider.received == 1
    assert KEY not in str(caught.value)


def test_all_three_apis_lead_to_the_same_play():
    results = []
    for api in APIS:
        with Provider() as provider:
            results.append(run(provider, api=api).matches)
    assert results[0] == results[1] == results[2]
