"""A provider that counts tokens, and caches them by the rules that OpenAI, Google and Anthropic publish."""

import json
from hashlib import sha256

from tests.llm.http1 import response
from tests.llm.provider import Provider

#: Characters of a token, as measured in our prompts.
CHARACTERS = 3.9
#: The fewest tokens that are cached, and the steps in which they are.
LEAST = {"openai": 1024, "google": 2048, "anthropic": 1024}
STEP = {"openai": 128, "google": 16}


def tokens(text):
    """Return how many tokens a text has."""
    return round(len(text) / CHARACTERS)


class BillingProvider(Provider):
    """Counts what is sent and said, and what of it has been sent before, by the rule of each API."""

    def __init__(self, **options):
        super().__init__(**options)
        self._known = set()

    def _plan(self, request, said=None):
        head, body = super()._plan(request, said)
        if b" 200 " not in head.split(b"\r\n")[0]:
            return head, body
        answer = json.loads(body)
        bill = {"openai": self._openai, "google": self._google, "anthropic": self._anthropic}[request.api]
        bill(answer, request.body)
        return response(200, answer)

    def _openai(self, answer, body):
        read = "".join(f"{each['role']}: {each['content']}\n" for each in body["messages"])
        said = tokens(answer["choices"][0]["message"]["content"] or "")
        answer["usage"] = {
            "prompt_tokens": tokens(read),
            "completion_tokens": said,
            "total_tokens": tokens(read) + said,
            "prompt_tokens_details": {"cached_tokens": self._prefix("openai", read)},
        }

    def _google(self, answer, body):
        turns = [body["systemInstruction"], *body["contents"]]
        form = json.dumps(body.get("generationConfig"))  # Google does not say where it goes: after all else, to be safe
        read = "".join(part["text"] for turn in turns for part in turn["parts"]) + form
        said = tokens("".join(part["text"] for part in answer["candidates"][0]["content"]["parts"]))
        answer["usageMetadata"] = {
            "promptTokenCount": tokens(read),
            "cachedContentTokenCount": self._prefix("google", read),
            "candidatesTokenCount": said,
            "totalTokenCount": tokens(read) + said,
        }

    def _prefix(self, api, read):
        """Return how many tokens were the beginning of an earlier request: in whole steps, from a least number on."""
        step, digest, found, going = STEP[api], b"", 0, True
        size = round(step * CHARACTERS)
        for start in range(0, len(read) - size + 1, size):
            digest = sha256(digest + read[start : start + size].encode()).digest()
            going = going and digest in self._known
            found += step * going
            self._known.add(digest)
        return found if found >= LEAST[api] else 0

    def _anthropic(self, answer, body):
        """Bill what ends at a mark: it is written once, and read by whatever begins in the same way."""
        system = body["system"] if isinstance(body["system"], list) else [{"text": body["system"]}]
        blocks = [({"text": json.dumps(body.get("output_format") or body.get("output_config") or "")}), *system]
        for turn in body["messages"]:
            content = turn["content"]
            blocks += content if isinstance(content, list) else [{"text": content}]
        if "cache_control" in body:
            blocks[-1] = {
                **blocks[-1],
                "cache_control": body["cache_control"],
            }  # that is, the last one
        digest, size, read, written = b"", 0, 0, 0
        marked = []
        for block in blocks:
            digest = sha256(digest + block["text"].encode()).digest()
            size += tokens(block["text"])
            if size >= LEAST["anthropic"]:
                read = size if digest in self._known else read
                if "cache_control" in block:
                    marked.append(digest)
                    written = size
        self._known.update(marked)
        written = max(0, written - read)
        answer["usage"] = {
            "input_tokens": size - read - written,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": tokens("".join(part["text"] for part in answer["content"])),
        }
