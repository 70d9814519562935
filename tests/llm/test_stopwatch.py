"""The time of a request: what the server takes, and nothing that this machine takes."""

import asyncio
import time

import pytest

from molt_bench.llm.after_failure import RequestFailed
from molt_bench.llm.client import ModelClient
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.stopwatch import Stopwatch
from molt_bench.llm.types import Said
from tests.llm.playing import passive
from tests.llm.provider import Provider

MESSAGE = "Legal actions: call"


async def asked(url, *, timeout_s):
    client = ModelClient(LLMSettings(model="openai:x", base_url=url))
    try:
        return await client.ask((Said("user", MESSAGE),), timeout_s=timeout_s)
    finally:
        await client.close()


def test_an_answer_that_waits_because_we_are_busy_is_in_time():
    async def busy(done):
        while not done.is_set():
            time.sleep(0.4)
            await asyncio.sleep(0)

    async def main(url):
        await asked(url, timeout_s=60)  # whatever is loaded, is loaded
        done = asyncio.Event()
        hog = asyncio.create_task(busy(done))
        try:
            return await asked(url, timeout_s=1.0)
        finally:
            done.set()
            await hog

    with Provider(policy=passive, latency_s=0.05) as provider:
        assert asyncio.run(main(provider.url)).text


def test_a_server_that_is_slow_is_not_excused():
    with Provider(policy=passive, latency_s=lambda number: 0.0 if number == 1 else 30.0) as provider:

        async def main():
            await asked(provider.url, timeout_s=60)
            await asked(provider.url, timeout_s=0.3)

        with pytest.raises(RequestFailed, match=r"no answer within 0\.3 s") as caught:
            asyncio.run(main())
    assert (caught.value.trouble, caught.value.may_cost) == ("hung", True)


def test_the_time_to_connect_is_not_the_models():
    async def main():
        watch = Stopwatch(0.05)
        async with watch:
            watch.connecting()
            await asyncio.sleep(0.3)
            assert not watch.sent
            watch.was_sent()
        return watch.sent

    assert asyncio.run(main())
