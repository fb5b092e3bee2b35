"""Which version set-up commands are told of a project whose version is a tag of git."""

from __future__ import annotations

import pytest

from runner.verify.python_layout import version_variables
from runner.verify.release_version import release_version, telling_files

UNKNOWN = "99.0.0"


def version(*tags: str, fallback: str = "", **files: str) -> str:
    """The version of a project called shop; files are named without their ending."""
    told = {name.replace("_", "-"): text.encode() for name, text in files.items()}
    return release_version("shop", tags=tags, told=told, fallback=fallback)


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


@pytest.mark.parametrize(
    ("changelog", "expected"),
    [
        ("1.6.0 (2025-05-15)\n------------------\n\n- A\n\n1.5.0 (2024-04-20)\n---\n", "1.6.0"),
        ("shop 1.6.0 (2025-05-15)\n=======================\n", "1.6.0"),
        ("# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2024-01-02\n\n## [1.2.2]\n", "1.2.3"),
        ("## [1.2.3](https://example.org/compare/v1.2.2...v1.2.3) (2024-01-02)\n", "1.2.3"),
        ("## v2.1\n\n## v2.0\n", "2.1"),
        ("# Version 2.1, 3 May 2024\n", "2.1"),
        ("Release 1.4.0\n*************\n", "1.4.0"),
        ("1.3.1 - May 3, 2024\n * fixed\n", "1.3.1"),
        ("3.0.0 (unreleased)\n------------------\n\n2.9.0\n-----\n", "2.9.0"),
        ("1.5.9\n-----\n\n1.6.0\n-----\n", "1.6.0"),
        ("## 1.2.3\n\n### Python 3.13 is supported\n\n- Needs other 7.1\n", "1.2.3"),
        ("Nothing yet.\n\n- 4.5.6 is what we want\n", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_the_newest_heading_of_the_changelog(changelog: str, expected: str) -> None:
    """In the forms that are common; what is not released yet has no version."""
    assert version(CHANGELOG=changelog) == expected


def test_the_best_source_that_says_something_counts() -> None:
    """Tags, the changelog, what a source distribution says, and the manifest's own fallback."""
    changes, info = "## 1.2\n", "Metadata-Version: 2.1\nName: shop\nVersion: 1.1\n"

    assert version("1.3", CHANGES=changes, PKG_INFO=info, fallback="1.0") == "1.3"
    assert version(CHANGES=changes, PKG_INFO=info, fallback="1.0") == "1.2"
    assert version(PKG_INFO=info, fallback="1.0") == "1.1"
    assert version(fallback="1.0") == "1.0"
    assert version(fallback="$(date)") == UNKNOWN


def test_where_changelogs_are_looked_for() -> None:
    """At the root and among the documents, whatever the case of their names."""
    paths = ["CHANGES.rst", "docs/changelog.md", "NEWS", "src/changelog.py", "a/CHANGELOG.md"]
    assert telling_files(paths) == ["CHANGES.rst", "NEWS", "docs/changelog.md"]


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
