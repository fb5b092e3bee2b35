"""Documentation that could rot is made from the code, or checked against it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator

import pytest

from runner.config.model import parse_config
from tools.docs.parts import ACTION, PARTS, ROOT, SOURCE, made, pages

README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("place", pages())
def test_what_comes_from_the_code_is_as_the_code_says(place: str) -> None:
    """``make docs`` has nothing to change."""
    text = (ROOT / place).read_text()

    assert made(place, text) == text
    assert place.endswith(".json") or [name for where, name in PARTS if where == place] == sorted(
        re.findall(r"<!-- made: (\S+) -->", text)
    )


def test_what_people_copy_names_this_repository() -> None:
    """No placeholder is left, and the workflows and the quick start name one repository."""
    texts = {page: (ROOT / page).read_text() for page in (*pages(), "action.yml")}

    assert [page for page, text in texts.items() if "OWNER/" in text] == []
    for page in ("docs/action.md", "docs/workflows/roadmap.yml", "docs/workflows/app-token.yml"):
        assert f"uses: {ACTION}\n" in texts[page]
    assert f"git clone {SOURCE}\n" in texts["docs/quick-start.md"]


def test_the_example_configuration_is_valid_and_names_every_key() -> None:
    """docs/configuration.md shows a configuration that Cairn takes, with all groups."""
    text = (ROOT / "docs/configuration.md").read_text()
    found = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert found is not None

    config = parse_config(found[1].encode())

    assert config.model_fields_set == set(type(config).model_fields)


def test_every_direct_dependency_is_explained() -> None:
    """docs/dependencies.md has a line for each package of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in wanted}
    told = (ROOT / "docs/dependencies.md").read_text()

    assert {name for name in names if name not in told} == set()


def test_the_commands_of_the_readme_exist() -> None:
    """Every make target and script the README names is there."""
    makefile = (ROOT / "Makefile").read_text()

    targets = set(re.findall(r"\bmake ([a-z]+)\b", README)) - {"and"}
    scripts = set(re.findall(r"\bscripts/[a-z-]+", README))
    assert {t for t in targets if f"\n{t}:" not in makefile} == set()
    assert {s for s in scripts if not (ROOT / s).exists()} == set()


def test_the_readme_leads_to_every_page_and_to_nothing_else() -> None:
    """Each page of docs/ is linked from the README, and what it links or shows is there."""
    linked = set(re.findall(r"\]\(([^)#:]+)[^):]*\)", README))

    assert {file for file in linked if not (ROOT / file).exists()} == set()
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} - linked == set()


def _anchors(place: str) -> set[str]:
    """The anchors GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", (ROOT / place).read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("place", [page for page in pages() if page.endswith(".md")])
def test_every_link_between_pages_leads_somewhere(place: str) -> None:
    """The file is there, and so is the heading a link names."""
    links = re.findall(r"\]\(([^)\s:]*?)(?:#([^)\s]+))?\)", (ROOT / place).read_text())

    for file, anchor in links:
        target = ((ROOT / place).parent / file).resolve() if file else ROOT / place
        assert target.exists(), file
        assert not anchor or anchor in _anchors(str(target.relative_to(ROOT))), f"{file}#{anchor}"


def test_the_code_cites_only_what_is_in_this_repository() -> None:
    """What a comment cites of docs/design.md is a heading there; no other design is cited."""
    design = (ROOT / "docs/design.md").read_text()
    headings = set(re.findall(r"^## \d+\. (.*)$", design, re.MULTILINE))
    folders = ("app", "handlers", "runner", "tests", "bench", "tools")
    code = {file: file.read_text() for each in folders for file in (ROOT / each).rglob("*.py")}
    cited = {
        name for text in code.values() for name in re.findall(r'docs/design\.md,\s"([^"]+)"', text)
    }

    assert cited
    assert cited - headings == set()
    outside = re.compile(r"\b(?:DESIGN|HOUSE|STYLE|MODELS|ENGINE)(?:\.md)?`*,? (?:§|section)")
    assert [file.name for file, text in code.items() if outside.search(text)] == []


def _texts() -> Iterator[str]:
    """Every text of the product's code, those written over several lines as one."""
    for package in ("app", "handlers", "runner"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_troubleshooting_quotes_what_cairn_says() -> None:
    """Every message in the page's tables is in the code, word for word."""
    page = (ROOT / "docs/troubleshooting.md").read_text()
    quoted = re.findall(r'^\| "(.+?)" \|', page, re.MULTILINE)
    everything = "\n".join(_texts())

    assert len(quoted) > 20
    assert [message for message in quoted if message not in everything] == []


def test_every_bench_can_be_started() -> None:
    """``make bench`` knows its measures: what they import of the product is still there."""
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--help"], cwd=ROOT, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert "history" in done.stdout
