"""Which version set-up commands are told of a project whose version is a tag of git."""

from __future__ import annotations

import pytest

from runner.verify.python_layout import version_variables
from runner.verify.release_version import release_version

UNKNOWN = "99.0.0"


def version(*tags: str, fallback: str = "") -> str:
    """The version of a project called shop."""
    return release_version("shop", tags=tags, fallback=fallback)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("v1.9.0", "v1.10.0", "v1.2"), "1.10.0"),
        (("1.0", "shop-1.2", "release/1.1"), "1.2"),
        (("other-9.0", "1.0.0", "before-rewrite", "v2"), "1.0.0"),
        (("1.5.0", "2.0.0rc1"), "1.5.0"),
        (("2.0.0rc1", "2.0.0b3"), "2.0.0rc1"),
        (("nightly", "1.0; rm -rf ."), UNKNOWN),
        ((), UNKNOWN),
    ],
)
def test_the_newest_tag_of_the_project_itself(tags: tuple[str, ...], expected: str) -> None:
    """Highest by number, a release before a candidate; other tags say nothing."""
    assert version(*tags) == expected


def test_the_fallback_counts_where_no_tag_tells() -> None:
    """If it is a version."""
    assert version("1.3", fallback="1.0") == "1.3"
    assert version(fallback="1.0") == "1.0"
    assert version(fallback="$(date)") == UNKNOWN


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('[tool.setuptools_scm]\nfallback_version = "1.4"\n', "1.4"),
        ('[tool.hatch.version]\nsource = "vcs"\nfallback-version = "1.5"\n', "1.5"),
        ('[tool.pdm.version]\nfallback_version = "1.6"\n', "1.6"),
        ("[tool.setuptools_scm]\nfallback_version = 7\n", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_the_fallback_of_the_manifest(settings: str, expected: str) -> None:
    """As each build tool calls it."""
    head = '[project]\nname = "shop"\n[build-system]\nrequires = ["setuptools-scm"]\n'
    read = {"pyproject.toml": (head + settings).encode()}.get

    assert version_variables(read) == {"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_SHOP": expected}


def test_only_what_takes_its_version_from_git_is_told_one() -> None:
    """Others have it in their manifest."""
    project = b'[project]\nname = "shop"\n[build-system]\nrequires = ["hatchling"]\n'
    assert version_variables({"pyproject.toml": project}.get, tags=("1.2",)) == {}
