"""The README as the description of the package: an index shows it alone, so links and pictures have to be absolute.

They lead to the files of the version's tag in the repository. The build is told its address by the variable
MOLT_BENCH_REPOSITORY, which the release workflow sets, or by `repository` of the metadata hook in pyproject.toml.
Without one, links become their words and pictures are left out: nothing in the description is ever dead.
"""

import re
from typing import Final

#: Indexes show one picture for all themes: the last one, which is for those without.
THEMES: Final = re.compile(r"<picture>.*?(<img [^>]*>)\s*</picture>", re.DOTALL)
IMAGE: Final = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<path>(?!https?:)[^)]+)\)")
TAG: Final = re.compile(r'(?P<before><img [^>]*src=")(?P<path>(?!https?:)[^"]+)(?P<after>"[^>]*>)')
#: The README itself lies where it is cloned from, and cannot name the place.
CLONE: Final = re.compile(r"(git clone )REPOSITORY(\b.*?) +# REPOSITORY: .*")
LINK: Final = re.compile(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<path>(?!https?:|#)[^)]+)\)")


def described(readme: str, repository: str, version: str) -> str:
    """Return the README with nothing in it that needs the files beside it.

    >>> described("See [the docs](docs/README.md).", "https://git.example.com/molt-bench", "1.0.0")
    'See [the docs](https://git.example.com/molt-bench/blob/v1.0.0/docs/README.md).'
    >>> described("See [the docs](docs/README.md). ![A table](docs/table.png)", "", "1.0.0")
    'See the docs. '
    """
    text = THEMES.sub(r"\1", readme)
    if not repository:
        return LINK.sub(r"\g<words>", TAG.sub("", IMAGE.sub("", text)))
    text = CLONE.sub(rf"\g<1>{repository}\g<2>", text)
    shown, read = (f"{repository.rstrip('/')}/{kind}/v{version}" for kind in ("raw", "blob"))
    text = IMAGE.sub(rf"![\g<words>]({shown}/\g<path>)", text)
    return LINK.sub(rf"[\g<words>]({read}/\g<path>)", TAG.sub(rf"\g<before>{shown}/\g<path>\g<after>", text))


def relative(text: str) -> list[str]:
    """Return what a description has that leads to no address of its own."""
    found = [*IMAGE.finditer(text), *TAG.finditer(text), *LINK.finditer(text)]
    return [each["path"] for each in found] + re.findall(r'srcset="(?!https?:)([^"]+)"', text)
