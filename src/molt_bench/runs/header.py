"""The header of a run: the config, and what identifies a config, a version and an agent's code."""

import os
import platform
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import metadata
from typing import Any

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
from molt_bench.plugin import Luck
from molt_bench.records import Registered
from molt_bench.runs.journal_lines import FORMAT, Header, PlayedAs
from molt_bench.runs.master_seed import seed_hash
from molt_bench.seeds import Seed
from molt_bench.specs import NO_BOX


def header_of(
    config: BenchmarkConfig,
    agents: Mapping[str, PlayedAs],
    *,
    sealed: bool = False,
    seeds: list[Seed] | None = None,
    luck: Iterable[Registered] = (),
) -> Header:
    """Return the first line of a run's journal; a sealed master seed appears in it only as a hash."""
    plain, seed = config.plain(), config.seeds.master_seed
    if sealed:
        plain["seeds"]["masterSeed"] = None
    return Header(
        FORMAT,
        BENCH_VERSION,
        __version__,
        config_hash(plain),
        plain,
        folder=os.getcwd(),
        seeds=seeds,
        versions=_versions(config),
        agents=dict(agents),
        luck=tuple(luck),
        master_seed_hash=seed_hash(seed) if sealed and seed is not None else UNSET,
    )


def played_as(
    config: BenchmarkConfig, permission: Permission, own: Collection[str] = (), skills: Mapping[str, str] | None = None
) -> dict[str, PlayedAs]:
    """Return what identifies the participants on this machine.

    `own`: types of the caller's agents; `skills`: the system prompts of language models. Raises ConfigError if one has
    to have a box, and this machine cannot make it.
    """
    models, paid, found = config.models(), config.paid(), dict[str, PlayedAs]()
    for each in config.participants:
        spec, prompt = each.spec(), (skills or {}).get(each.id)
        boxed = each.type not in own and permission.allows(spec)
        servers = [at.redirection[1] for at in paid.get(each.id, ()) if at.redirection is not None]
        found[each.id] = PlayedAs(
            code=kind_of(spec.type).fingerprint(spec),
            prompt=None if prompt is None else sha256(prompt.encode()).hexdigest(),
            reply=models[each.id].reply_form if each.id in models else None,
            server=servers[-1] if servers else None,
            sandbox=box_label(spec, boxed=not permission.own) if boxed else None,
            package=package_of_kind(each.type),
        )
    return {name: each for name, each in found.items() if each != PlayedAs()}


def check_same_agents(header: Header, now: Mapping[str, PlayedAs]) -> None:
    """Check that a run goes on with the code that it was started with, and each agent that began in a box in one."""
    for name, before in header.agents.items():
        here = now.get(name, PlayedAs())
        if before.code is not None and before.code != here.code:
            raise JournalError(f"the code of {name!r} has been changed since the run began: start a new run")
        if before.sandbox not in (None, NO_BOX) and here.sandbox == NO_BOX:
            raise JournalError(f"{name!r} began in a sandbox ({before.sandbox}), and there is none here: {obstacle()}")


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


def check_plugins(header: Header, config: BenchmarkConfig) -> None:
    """Check that the packages are here whose plug-ins play in a run; raises JournalError with the name of one."""
    for each in config.participants:
        package = header.agents.get(each.id, PlayedAs()).package
        if package is not None and package != package_of_kind(each.type):
            way = "start without --no-plugins" if none_wanted() else f"install {package}"
            raise JournalError(f"{each.id!r} plays by a plug-in of the package {package}, which is not here: {way}")


@cache
def _installed(library: str) -> str:
    """Return the version of a library that is installed; each takes a millisecond or two to look up."""
    return metadata.version(library)


def _versions(config: BenchmarkConfig) -> dict[str, str]:
    """Return the versions of all that affects a result."""
    found = {"python": platform.python_version(), "openskill": _installed("openskill"), "luck": luck_version()}
    for library in PACKAGES if config.paid() else ():
        with suppress(metadata.PackageNotFoundError):
            found[library] = _installed(library)
    return found


def without_boxes(config: BenchmarkConfig) -> list[str]:
    """Return a warning about participants that would play in a box if this machine could make one, and why not."""
    wanting = [each for each in config.participants if getattr(each, "sandbox", None) == AUTO]
    names = ", ".join([each.id for each in wanting if box_label(each.spec()) == NO_BOX])
    return [f"{names} without a sandbox, since {obstacle()}: can read your files, and so the cards"] if names else []


def config_hash(plain: Mapping[str, Any]) -> str:
    """Return a hash of everything in a config that affects a result."""
    decisive = {key: value for key, value in plain.items() if key != "outputDir"}
    return sha256(msgspec.json.encode(decisive, order="sorted")).hexdigest()
