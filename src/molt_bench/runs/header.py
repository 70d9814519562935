"""The header of a run: the config, and what identifies a config, a version and an agent's code."""

import os
import platform
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import metadata
from typing import Any, Final

import msgspec
from msgspec import UNSET

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.agents.external.box import AUTO, obstacle
from molt_bench.agents.kinds import box_label, kind_of, package_of_kind
from molt_bench.agents.permission import Permission
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.entry_points import LUCK, broken, loaded, none_wanted, package_of, points
from molt_bench.errors import JournalError
from molt_bench.llm.providers import PACKAGES
from molt_bench.luck.weights import luck_version
from molt_bench.plugin import NO_BOX, Luck, Registered
from molt_bench.runs.journal_lines import FORMAT, Header
from molt_bench.runs.master_seed import MasterSeed, seed_hash
from molt_bench.seeds import Seed

#: How the forms of replies, the system prompts and the boxes of code are named in a header: this, and the participant.
_REPLY_OF: Final = "reply of "
_PROMPT_OF: Final = "prompt of "
_BOX_OF: Final = "sandbox of "
#: How a header names the package whose plug-in plays for a participant.
_PACKAGE_OF: Final = "package of "


def header_of(
    config: BenchmarkConfig,
    seed: MasterSeed,
    seeds: list[Seed] | None = None,
    boxes: Mapping[str, str] | None = None,
    luck: Iterable[Registered] = (),
    skills: Mapping[str, str] | None = None,
) -> Header:
    """Return the first line of a run's journal; a sealed master seed appears in it only as a hash.

    `skills` are the system prompts of language models, by participant: it has their SHA-256.
    """
    plain = config.plain()
    boxed = {f"{_BOX_OF}{name}": label for name, label in (boxes or {}).items()}
    told = {f"{_PROMPT_OF}{name}": sha256(text.encode()).hexdigest() for name, text in (skills or {}).items()}
    if seed.sealed:
        plain["seeds"]["masterSeed"] = None
    return Header(
        FORMAT,
        BENCH_VERSION,
        __version__,
        config_hash(plain),
        plain,
        folder=os.getcwd(),
        seeds=seeds,
        source_hashes=source_hashes(config),
        versions=_versions(config) | told | boxed,
        luck=tuple(luck),
        master_seed_hash=seed_hash(seed.value) if seed.sealed else UNSET,
    )


def luck_of_a_run() -> tuple[dict[Registered, Luck], list[str]]:
    """Return what takes luck out of a new run, in the order in which it is asked, and a warning for what is broken."""
    factories, problems = loaded(LUCK)
    found: dict[Registered, Luck] = {}
    for name, make in factories.items():
        point = points(LUCK)[name]
        try:
            made: Luck = make()
            found[Registered(name, int(made.version), package_of(point))] = made
        except Exception as error:  # foreign code: making it may raise anything
            problems.append(broken(point, error, ", so the run goes on without it"))
    return found, problems


def recorded_luck(header: Header, used: Collection[str] | None = None) -> dict[Registered, Luck]:
    """Return the plug-ins that take out luck in a run, made anew; or those alone whose labels are in `used`.

    Raises JournalError if one is not installed, or is another version: only the same one finds the same.
    """
    needed = [each for each in header.luck if used is None or each.label in used]
    installed, _ = luck_of_a_run() if needed else ({}, [])
    missing = next((each for each in needed if each not in installed), None)
    if missing is not None:
        way = "start without --no-plugins" if none_wanted() else f"install {missing.package} with it"
        raise JournalError(f"the run takes luck out by the plug-in {missing}, which is not here: {way}")
    return {each: installed[each] for each in needed}


def recorded_reply_forms(header: Header) -> dict[str, str]:
    """Return the forms of replies that a header has."""
    return _recorded(header, _REPLY_OF)


def recorded_boxes(header: Header) -> dict[str, str]:
    """Return the boxes of code and programs that a header has."""
    return _recorded(header, _BOX_OF)


def recorded_prompts(header: Header) -> dict[str, str]:
    """Return the SHA-256 of the system prompts of language models that a header has."""
    return _recorded(header, _PROMPT_OF)


def recorded_versions(header: Header) -> dict[str, str]:
    """Return the versions that a header has, without what it has of participants."""
    return {name: version for name, version in header.versions.items() if " of " not in name}


def about_participant(header: Header, name: str) -> dict[str, str]:
    """Return what a header has of a participant's code, and of where it plays."""
    found = {"code SHA-256": header.source_hashes.get(name)}
    found |= {what: header.versions.get(f"{what} of {name}") for what in ("sandbox", "package", "server")}
    return {what: label for what, label in found.items() if label is not None}


def recorded_of(header: Header, name: str) -> dict[str, str]:
    """Return what determines how a participant plays, beside its config: its code, prompt and form of replies."""
    found = {"code": header.source_hashes.get(name)}
    found |= {what: header.versions.get(f"{what} of {name}") for what in ("prompt", "reply", "package", "server")}
    return {what: label for what, label in found.items() if label is not None}


def check_plugins(header: Header, config: BenchmarkConfig) -> None:
    """Check that the packages are here whose plug-ins play in a run; raises JournalError with the name of one."""
    missing = _recorded(header, _PACKAGE_OF).items() - packages_of(config).items()
    for name, package in sorted(missing):
        way = "start without --no-plugins" if none_wanted() else f"install {package}"
        raise JournalError(f"{name!r} plays by a plug-in of the package {package}, which is not here: {way}")


def packages_of(config: BenchmarkConfig) -> dict[str, str]:
    """Return the packages whose plug-ins play for participants."""
    found = {each.id: package_of_kind(each.type) for each in config.participants}
    return {name: package for name, package in found.items() if package is not None}


def _recorded(header: Header, what: str) -> dict[str, str]:
    return {name.removeprefix(what): label for name, label in header.versions.items() if name.startswith(what)}


def boxes_of(config: BenchmarkConfig, permission: Permission, own: Collection[str] = ()) -> dict[str, str]:
    """Return the box that each program, and each participant of Python code, plays in on this machine.

    `own`: types of the caller's agents. Raises ConfigError if one has to have a box, and this machine cannot make it.
    """
    specs = [each.spec() for each in config.participants if each.type not in own]
    found = {spec.id: box_label(spec, boxed=not permission.own) for spec in specs if permission.allows(spec)}
    return {name: label for name, label in found.items() if label is not None}


@cache
def _installed(library: str) -> str:
    """Return the version of a library that is installed; each takes a millisecond or two to look up."""
    return metadata.version(library)


def _versions(config: BenchmarkConfig) -> dict[str, str]:
    """Return the versions of all that affects a result, and where the environment sends models."""
    paid = config.paid()
    found = {"python": platform.python_version(), "openskill": _installed("openskill"), "luck": luck_version()}
    for name, settings in ((name, each) for name, models in paid.items() for each in models):
        where = settings.redirection
        if where is not None:
            found[f"server of {name}"] = where[1]
    for library in PACKAGES if paid else ():
        with suppress(metadata.PackageNotFoundError):
            found[library] = _installed(library)
    found |= {f"{_PACKAGE_OF}{name}": package for name, package in packages_of(config).items()}
    return found | {f"{_REPLY_OF}{name}": settings.reply_form for name, settings in config.models().items()}


def without_boxes(config: BenchmarkConfig) -> list[str]:
    """Return a warning about participants that would play in a box if this machine could make one, and why not."""
    wanting = [each for each in config.participants if getattr(each, "sandbox", None) == AUTO]
    names = ", ".join([each.id for each in wanting if box_label(each.spec()) == NO_BOX])
    return [f"{names} without a sandbox, since {obstacle()}: can read your files, and so the cards"] if names else []


def source_hashes(config: BenchmarkConfig) -> dict[str, str]:
    """Return the hashes of the source files of custom agents, by participant."""
    specs = [participant.spec() for participant in config.participants]
    hashes = {spec.id: kind_of(spec.type).fingerprint(spec) for spec in specs}
    return {name: found for name, found in hashes.items() if found is not None}


def config_hash(plain: Mapping[str, Any]) -> str:
    """Return a hash of everything in a config that affects a result."""
    decisive = {key: value for key, value in plain.items() if key != "outputDir"}
    return sha256(msgspec.json.encode(decisive, order="sorted")).hexdigest()
