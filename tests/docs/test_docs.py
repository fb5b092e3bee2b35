"""Documentation that could rot is made from the code, or checked against it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from typing import get_args

import pytest

from runner.config.model import parse_config
from runner.model.shutdowns import SHUTDOWNS
from runner.state.findings import VerdictKind
from runner.state.proposal import Reason, Strategy
from runner.verify.evidence import Meaning
from tests.fake_github.rendering import broken_tables
from tools.docs.parts import ACTION, PARTS, ROOT, SOURCE, made, pages
from tools.pictures.sheet import rendered

README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("place", pages())
def test_what_comes_from_the_code_is_as_the_code_says(place: str) -> None:
    """``make docs`` has nothing to change."""
    text = (ROOT / place).read_text()

    assert made(place, text) == text
    assert place.endswith(".json") or [name for where, name in PARTS if where == place] == sorted(
        re.findall(r"<!-- made: (\S+) -->", text)
    )


@pytest.mark.parametrize("place", [page for page in pages() if page.endswith(".md")])
def test_tables_have_as_many_cells_as_their_heads(place: str) -> None:
    """GitHub drops what is too much, and a ``|`` in code begins a cell."""
    assert list(broken_tables((ROOT / place).read_text())) == []


def test_the_table_of_tests_has_what_the_code_says_of_them() -> None:
    """Every meaning in docs/design.md, and the verdicts on the page for everybody."""
    design = (ROOT / "docs/design.md").read_text().partition("### Whether a task is done")[2]
    page = (ROOT / "docs/configuration.md").read_text().partition("### What a result means")[2]

    assert set(re.findall(r"\| \*\*([\w' ]+)\*\*", design)) == set(get_args(Meaning))
    assert [each for each in get_args(VerdictKind) if f"`{each}`" not in page] == []


def test_what_people_copy_names_this_repository() -> None:
    """No placeholder is left, and the workflows and the quick start name one repository."""
    texts = {page: (ROOT / page).read_text() for page in (*pages(), "action.yml")}

    assert [page for page, text in texts.items() if "OWNER/" in text] == []
    for page in ("docs/action.md", "docs/workflows/roadmap.yml", "docs/workflows/app-token.yml"):
        assert f"uses: {ACTION} # zizmor: ignore[unpinned-uses]\n" in texts[page]
    assert f"git clone {SOURCE}\n" in texts["docs/quick-start.md"]


def test_no_page_recommends_a_model_that_ends() -> None:
    """Only docs/costs.md, which says when they end, and reports of what was measured name them."""
    found = {}
    for path in (ROOT / "README.md", ROOT / "action.yml", *(ROOT / "docs").rglob("*.*")):
        if path.suffix in (".md", ".yml", ".json") and path.name not in (
            "costs.md",
            "benchmark.md",
        ):
            names = set(re.findall(r"`?([\w.-]*\w)`?", path.read_text()))
            found[path.name] = names & SHUTDOWNS.keys()

    assert {page: names for page, names in found.items() if names} == {}


def test_the_example_configuration_is_valid_and_names_every_key() -> None:
    """docs/configuration.md shows a configuration that Cairn takes, with all groups."""
    text = (ROOT / "docs/configuration.md").read_text()
    short, whole, *_ = (
        parse_config(found.encode()) for found in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    )

    assert short.model_fields_set < whole.model_fields_set == set(type(whole).model_fields)


def test_every_direct_dependency_is_explained() -> None:
    """docs/dependencies.md has a line for each package of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    wanted = sum(extras, project["project"]["dependencies"] + project["dependency-groups"]["dev"])
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in wanted}
    told = (ROOT / "docs/dependencies.md").read_text()

    assert {name for name in names if name not in told} == set()


def test_every_word_of_the_glossary_lives_somewhere() -> None:
    """Each of its words has one meaning, and its module is there."""
    text = (ROOT / "docs/developers/glossary.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|$", text, re.MULTILINE)
    words = [word for words, _ in rows for word in words.split(", ")]

    assert len(rows) == len(re.findall(r"^\| (?!word )", text, re.MULTILINE))
    assert len(words) == len(set(words)) >= 40
    assert [module for _, module in rows if not (ROOT / module).is_file()] == []


def test_the_architecture_names_what_is_there() -> None:
    """Every folder and file that docs/architecture.md names with its package exists."""
    text = (ROOT / "docs/architecture.md").read_text()
    named = set(re.findall(r"`((?:app|handlers|runner|tests|bench)/[\w/]*(?:\.py)?)`", text))
    folders = {
        f"{package}/{folder}"
        for package, part in re.findall(
            r"^## The folders of the (\w+)$(.*?)(?=^## )", text, re.M | re.S
        )
        for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
        for folder in re.findall(r"`(\w+/)`", row)
    }
    rooms = {
        f"{package}/{folder.name}/"
        for package in ("app", "runner")
        for folder in (ROOT / package).iterdir()
        if ((folder / "__init__.py").exists() and len(list(folder.rglob("*.py"))) > 1)
        or list(folder.glob("*.j2"))
    }

    assert {place for place in named if not (ROOT / place).exists()} == set()
    assert folders == rooms


def test_reasons_and_strategies_are_documented() -> None:
    """Where they are listed, none is forgotten."""
    design, glossary, events = (
        (ROOT / place).read_text()
        for place in ("docs/design.md", "docs/developers/glossary.md", "docs/operations.md")
    )
    row = next(line for line in glossary.splitlines() if line.startswith("| recovery strategy |"))
    strategies = get_args(Strategy)

    assert [each for each in get_args(Reason) if f"| `{each}`" not in design] == [], "design.md"
    assert [each for each in strategies if f"| {each.upper()}" not in design] == [], "design.md"
    assert [each for each in strategies if each not in row] == [], "the glossary"
    assert [each for each in strategies if f"`{each}`" not in events] == [], "docs/operations.md"


def test_contributing_names_what_is_there() -> None:
    """Every file and folder of its tables exists, and the tables of the code that it names."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    paths = [(re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.\w+)`", row), what) for row, what in rows]
    named = {
        (path, name)
        for found, what in paths
        for path in found
        if path.endswith(".py")
        for name in re.findall(r"`(_?[A-Z_]{4,})`", what)
    }

    assert [path for found, _ in paths for path in found if not (ROOT / path).exists()] == []
    assert len(named) >= 10
    assert {(path, name) for path, name in named if name not in (ROOT / path).read_text()} == set()


def test_every_dependency_of_the_product_is_used() -> None:
    """Each is imported by the product, or its line says that something else loads it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = {re.split(r"[\[<>=]", each)[0] for each in project["project"]["dependencies"]}
    modules: dict[str, list[str]] = {}
    for module, owners in packages_distributions().items():
        for owner in owners:
            modules.setdefault(owner.lower().replace("_", "-"), []).append(module)
    code = _imported()
    told = (ROOT / "docs/dependencies.md").read_text()
    loaded = set(re.findall(r"^\| ([\w-]+)[^|]*\|[^|]*never imported", told, re.MULTILINE))

    unused = {name for name in names if not code & set(modules[name])}

    assert {name for name in unused if not name.startswith("tree-sitter-")} == loaded


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


def test_the_tests_of_the_threat_model_exist() -> None:
    """Each control is held by a test that can be run."""
    table = (ROOT / "docs/developers/threat-model.md").read_text().partition("|---|")[2]
    named = re.findall(r"`([\w/]+\.(?:py|txt))(?:::(test_\w+))?`", table)

    assert len(named) > 30
    for file, test in named:
        assert f"def {test}(" in (ROOT / "tests" / file).read_text() or not test, f"{file} {test}"


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


def _code() -> Iterator[str]:
    for package in ("app", "handlers", "runner"):
        for file in (ROOT / package).rglob("*.py"):
            yield file.read_text()


def _imported() -> set[str]:
    """The top of every module's name that the product imports, also those imported late."""
    line = re.compile(r'^ *(?:from|import) (\w+)|import_module\(f?"(\w+)', re.MULTILINE)
    return {name for text in _code() for found in line.findall(text) for name in found}


def _texts() -> Iterator[str]:
    """Every text of the product's code, those written over several lines as one."""
    for text in _code():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    for folder in ("app", "handlers", "runner"):
        for path in (ROOT / folder).rglob("*.md.j2"):
            yield path.read_text(encoding="utf-8")


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


def test_the_demos_pages_have_no_link_in_a_link() -> None:
    """The address of a pull request becomes its number where it is text, not where it is linked."""
    address = "http://127.0.0.1:1234/octo/shop/pull/4"

    html = rendered(f"[#4]({address}) <{address}>, {address}")

    assert html.count("<a href") == html.count(f'href="{address}"') == 3
    assert "[" not in html
