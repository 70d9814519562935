"""A bot that does what it is told to: play, or misbehave in one of many ways. It logs what it does before it does it.

    chaos.py BEHAVIOUR [LOG [FROM]]

BEHAVIOUR is done at every observation from number FROM on (1 by default). Before that, and where nothing else is said,
it calls.
"""

import json
import os
import signal
import sys
import time


def say(text):
    os.write(1, text.encode())


def answer(number, **fields):
    say(json.dumps({"type": "action", "id": number, **fields}) + "\n")


def well(seen, number=None):
    answer(number or seen["id"], kind="call" if seen["toCall"] else "check")


def sleep():
    time.sleep(1000)
    os._exit(0)


def fork_away():
    """Start a child that leaves the session and keeps all pipes open."""
    if not os.fork():
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sleep()


def daemonize(log):
    """Start a process that leaves the session, loses its parent and has another environment."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(1000)", log], {})
        os._exit(0)
    os.wait()


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data) :]


def misbehave(behaviour, seen, log=""):
    number = seen["id"]
    match behaviour:
        case "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGUSR1" | "SIGABRT":
            os.kill(os.getpid(), getattr(signal, behaviour))
            sleep()
        case "kill-its-group":
            os.killpg(0, signal.SIGKILL)
        case "fork-bomb":
            for _ in range(200):
                if not os.fork():
                    sleep()
            sleep()
        case "half-a-line":
            say(f'{{"type":"action","id":{number},')
            sleep()
        case "half-a-line-and-exit":
            say(f'{{"type":"action","id":{number},')
            os._exit(0)
        case "not-utf-8":
            write_all(1, b'{"type":"action","id":1,"kind":"\xff\xfe"}\n')
        case "null":
            say("null\n")
        case "nested":
            say("[" * 20_000 + "\n")
        case "huge-number":
            say(f'{{"type":"action","id":{"9" * 5000}}}\n')
        case "close-both":
            os.close(0)
            os.close(1)
            sleep()
        case "hello-again":
            say('{"type":"hello","protocol":1}\n')
        case "long-name":
            answer(number, kind="x" * 300)
        case "control-characters":
            say(f'{{"type":"action","id":{number},"kind":"\\u001b[2Jcall"}}\n')
        case "tells-a-fault":
            say(f'{{"type":"fault","id":{number},"kind":"refused","message":"I will not"}}\n')
        case "tells-a-fault-of-ours":
            say(f'{{"type":"fault","id":{number},"kind":"transport","message":"blame the net"}}\n')
        case "exit-137":
            os._exit(137)
        case "daemon":
            daemonize(log)
            well(seen)
        case "daemon-and-exit":
            daemonize(log)
            os._exit(5)
        case "write-files":
            for folder in (os.getcwd(), os.environ["HOME"], os.environ.get("TMPDIR", "/tmp")):
                path = os.path.join(folder, f"of-chaos-{os.getpid()}")
                os.makedirs(os.path.join(path, "deep"), exist_ok=True)
                os.chmod(path, 0o700)
                if folder == "/tmp":
                    os.removedirs(os.path.join(path, "deep"))
            well(seen)
        case "crash":
            os.write(2, b"some line\nTraceback: out of cards\n")
            os._exit(3)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
            sleep()
        case "hang":
            sleep()
        case "stubborn":
            for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(each, signal.SIG_IGN)
            if os.fork():
                sleep()
            sleep()
        case "illegal":
            answer(number, kind="raiseTo", amount=1)
        case "no-line-break":
            say(json.dumps({"type": "action", "id": number, "kind": "call"}))
        case "garbage":
            say("I think I shall call.\n")
        case "empty":
            say("\n")
        case "wrong-id":
            answer(number + 7, kind="call")
        case "float":
            answer(number, kind="raiseTo", amount=300.0)
        case "flood":
            write_all(1, b"x" * 200_000)
        case "flood-lines":
            write_all(1, b'{"type":"action","id":1,"kind":"call"}\n' * 100_000)
        case "close-output":
            os.close(1)
            sleep()
        case "escape":
            fork_away()
            os._exit(4)
        case "leave-child":
            fork_away()
            well(seen)
        case "twice":
            well(seen)
            well(seen)
        case "late":
            if number > 1:
                well(seen, number - 1)
            well(seen)
        case "noise-on-stderr":
            write_all(2, b"blah " * 20_000)
            well(seen)
        case "ten-megabytes-on-stderr":
            write_all(2, b"blah blah\n" * 1_000_000)
            well(seen)
        case "memory":
            held = [bytearray(64 * 1024 * 1024) for _ in range(128)]
            answer(number, kind="call", held=len(held))
        case "environment":
            well(seen)
        case _ if behaviour.startswith("says "):
            say(f'{{"type":"action","id":{number},{behaviour.removeprefix("says ")}}}\n')
        case _:
            well(seen)


def note(log, *words):
    if log:
        try:
            with open(log, "a") as file:
                file.write(" ".join(map(str, words)) + "\n")
        except OSError:  # in a box
            pass


def main(behaviour, log="", first="1"):
    if behaviour == "exit-at-hello":
        sys.exit("no licence")
    if behaviour == "silent-at-hello":
        sleep()
    note(log, "start", os.getcwd(), *([json.dumps(dict(os.environ))] if behaviour == "environment" else []))
    while line := sys.stdin.buffer.readline():
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say('{"type":"hello","protocol":%s}\n' % ("2" if behaviour == "wrong-hello" else "1"))
        elif kind == "observation":
            now = behaviour if message["id"] >= int(first) else "well"
            note(log, "did", now)
            misbehave(now, message, log)
        else:
            note(log, kind)
            if kind == "bye" and behaviour != "linger":
                return


if __name__ == "__main__":
    main(*sys.argv[1:])
