"""What says that parts of a file were left out, and what only looks like it."""

from __future__ import annotations

import pytest

from runner.answers.elision import Whole, whole
from runner.state.findings import Complaint

FUNCTIONS = [f"def f{n}(x):\n    y = x * {n}\n    return y\n" for n in range(6)]
OLD = "\n\n".join(FUNCTIONS)
NEW = "def g(x):\n    return x\n"
SCRIPT = "".join(f"export function f{n}(x) {{\n  return x * {n};\n}}\n\n" for n in range(6))
PAGE = "# Shop\n\n" + "".join(f"## Part {n}\n\nText {n}.\n\n" for n in range(6))

MARKERS = [
    "# ... existing code ...",
    "# ...",
    "...",
    "# rest of the file unchanged",
    "# (unchanged)",
    "# [unchanged]",
    "# same as before",
    "# Existing code",
    "# --- unchanged below ---",
    "# [... lines 4-18 left out: f1, f2 ...]",
    "# other functions remain the same",
    "# Keep the rest of the code as is",
    "# snip",
    "# omitted for brevity",
    "# reste du fichier inchangé",
    "# der Rest bleibt unverändert",
    "# ...resto del archivo sin cambios",
    "# o resto do arquivo sem alterações",
    "# il resto del file rimane invariato",
    "# rest van het bestand ongewijzigd",
    "# reszta pliku bez zmian",
    "# resten av filen är oförändrad",
    "# değişiklik yok, mevcut kod",
    "# остальной код без изменений",
    "# решта коду без змін",
    "# 其余代码保持不变",
    "# 残りのコードは変更なし",
    "# 나머지 코드는 그대로",
    "# باقي الملف دون تغيير",
]


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("form", ["{marker}\n\n\n{new}", "{new}\n\n{marker}\n"])
def test_a_marker_in_place_of_code_is_refused(marker: str, form: str) -> None:
    """Whatever its language, before or after what is new."""
    found = whole(OLD, form.format(marker=marker, new=NEW), path="f.py", place="block 1")

    assert isinstance(found, Complaint)
    assert found.error == "ElidedCode"
    assert "f0" in found.message


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (SCRIPT, "// ... existing code ...\nexport const g = 1;\n", "f.js"),
        (SCRIPT, "/* same as before */\nexport const g = 1;\n", "f.ts"),
        (SCRIPT, SCRIPT.replace("  return x * 3;\n", "  // ... unchanged\n"), "f.js"),
        (SCRIPT, "export function f0(x) { /* unchanged */ }\n", "f.js"),
        (PAGE, "# Shop\n\n<!-- rest of the document -->\n\n## New\n", "shop.md"),
        (PAGE, "# Shop\n\n[unchanged]\n\n## New\n", "shop.md"),
        (PAGE.replace("#", "--"), "-- rest of file\nselect 1;\n", "shop.sql"),
        (OLD, OLD.replace("(x):\n    y = x * 3\n    return y\n", "(a):\n    ...\n"), "f.py"),
        (OLD, OLD.replace("def f3(x):\n    y = x * 3\n    return y\n", "def f3(x): ...\n"), "f.py"),
        (OLD, OLD.replace("    y = x * 3\n", "    # ... existing code ...\n"), "f.py"),
    ],
)
def test_in_every_kind_of_file(old: str, new: str, path: str) -> None:
    """Comments of each language, bodies, documents."""
    assert isinstance(whole(old, new, path=path, place="block 1"), Complaint)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (OLD, f"{OLD}\n\n# the same as before, but faster\n{NEW}", "f.py"),
        (OLD, f"{OLD}\n\nclass P(Protocol):\n    def f(self): ...\n", "f.py"),
        (OLD, f"{OLD}\n\nclass E(Exception): ...\n", "f.py"),
        (OLD, f"{OLD}\n\ndef g(a):\n    return a[..., 0]\n", "f.py"),
        (OLD, f'{OLD}\n\ndef g(a):\n    """Go on.\n\n    ...\n    """\n', "f.py"),
        (
            OLD,
            OLD.replace("    y = x * 3\n    return y\n", "    raise NotImplementedError\n"),
            "f.py",
        ),
        (SCRIPT, SCRIPT.replace("x * 3", "[...x, 3]"), "f.js"),
        (SCRIPT, f"{SCRIPT}// Other imports\nexport const g = 1;\n", "f.js"),
        (f"# ...\n{OLD}", f"# ...\n{NEW}", "f.py"),
        (PAGE, f"{PAGE}```python\n# ... existing code ...\n...\n```\n", "shop.md"),
        (PAGE, PAGE.replace("Text 3.", "The rest stays as it is."), "shop.md"),
    ],
)
def test_what_takes_the_place_of_nothing_is_taken(old: str, new: str, path: str) -> None:
    """Code and documents that merely look like it are left as they are."""
    assert whole(old, new, path=path, place="block 1") == Whole(new)


def test_lines_between_two_that_are_known_are_put_back() -> None:
    """The beginning and the end of a file are known as well."""
    short = f"# ... existing code ...\ndef f3(x):\n    y = x * 33\n    return y\n\n\n{FUNCTIONS[4]}"
    found = whole(OLD, f"{short}\n\n{FUNCTIONS[5]}", path="f.py", place="block 1")

    assert isinstance(found, Whole)
    assert found.restored
    assert found.text == OLD.replace("x * 3\n", "x * 33\n")


def test_nothing_is_put_back_twice() -> None:
    """Where what lies between is in the answer at another place already, it is refused."""
    moved = f"{FUNCTIONS[3]}\n\n# ... existing code ...\n\n\n{FUNCTIONS[5]}"

    assert isinstance(whole(OLD, moved, path="f.py", place="block 1"), Complaint)


@pytest.mark.parametrize(
    "comment",
    [
        "# adds one",
        "# the first",
        "# see g",
        "#",
        "# y",
        "# TODO later",
        "# noqa",
        "# [1]",
        "# (a)",
    ],
)
def test_a_comment_in_a_file_that_gets_shorter(comment: str) -> None:
    """It says nothing of what is left out, however much goes."""
    new = f"{comment}\n{FUNCTIONS[0]}"

    assert whole(OLD, new, path="f.py", place="block 1") == Whole(new)
