"""The software bill of materials of a release: what a user's environment has after installing it, as CycloneDX 1.6.

Names, versions and licences are those of an environment in which the wheel was tried, since an installer chooses the
versions of what a wheel needs. The same packages and files give the same bytes.
"""

import datetime
import hashlib
import json
import subprocess
import uuid
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

#: Each package by its name: its version, its licence, and the names of the packages that it asks for.
Packages = dict[str, dict[str, Any]]

#: Run by the Python of the environment that is listed, which has nothing but the standard library for certain.
_LIST: Final = r"""
import importlib.metadata, json, re
def plain(name): return re.sub(r"[-_.]+", "-", name).lower()
found = {}
for each in importlib.metadata.distributions():
    data = each.metadata
    named = [line.partition("::")[2].split("::")[-1].strip() for line in data.get_all("Classifier") or []
             if line.startswith("License ::")]
    asks = [plain(re.match(r"[\w.-]+", line)[0]) for line in each.requires or [] if "extra ==" not in line]
    found[plain(data["Name"])] = {
        "version": data["Version"], "expression": data["License-Expression"], "named": named, "asks": asks
    }
print(json.dumps(found))
"""


def installed(python: Path) -> Packages:
    """Return the packages of an environment, without pip, which is there only to install them."""
    listed = subprocess.run([python, "-I", "-c", _LIST], check=True, capture_output=True, text=True).stdout
    packages: Packages = json.loads(listed)
    for name in ("pip", "setuptools", "wheel"):
        packages.pop(name, None)
    return packages


def document(packages: Packages, files: list[Path], at: int) -> str:
    """Return the bill of materials: the package with the hashes of its files, and everything it needs."""
    ours = _component("molt-bench", packages["molt-bench"]) | {
        "type": "application",
        "components": [_file(path) for path in files],
    }
    needed = [_component(name, package) for name, package in sorted(packages.items()) if name != "molt-bench"]
    body = {
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat().replace("+00:00", "Z"),
            "tools": {"components": [{"type": "application", "name": "hatchling", "version": version("hatchling")}]},
            "component": ours,
        },
        "components": needed,
        "dependencies": [
            {
                "ref": _purl(name, package),
                "dependsOn": sorted({_purl(each, packages[each]) for each in package["asks"] if each in packages}),
            }
            for name, package in sorted(packages.items())
        ],
    }
    # A number for the document, as the format wants one; made from its content, so that it is the same again.
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(body, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return json.dumps(head | body, indent=1) + "\n"


def _component(name: str, package: dict[str, Any]) -> dict[str, Any]:
    licences: list[dict[str, Any]] = [{"license": {"name": each}} for each in package["named"]]
    if package["expression"]:
        licences = [{"expression": package["expression"]}]
    known = {"licenses": licences} if licences else {}
    purl = _purl(name, package)
    return {"type": "library", "bom-ref": purl, "name": name, "version": package["version"], "purl": purl} | known


def _purl(name: str, package: dict[str, Any]) -> str:
    return f"pkg:pypi/{name}@{package['version']}"


def _file(path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "file", "name": path.name, "hashes": [{"alg": "SHA-256", "content": digest}]}
