"""Right answers with something besides the files: talk, thoughts, examples, repetitions, cuts."""

from __future__ import annotations

import difflib
import html
from collections.abc import Sequence

from tests.answers.code import body_of, definitions
from tests.answers.forms import (
    Forms,
    edits_one_file,
    has_edits,
    is_code,
    writes_only,
    writes_whole,
)
from tests.answers.forms_edit import plain
from tests.answers.projects import Task, fence_of, is_test
from tests.answers.writing import blocks, contents, fenced, hunks, under, whole
from tests.model_server import Reply

FORMS = Forms()


def right(task: Task) -> str:
    """Write the right answer in the plainest form: as the question asks for it."""
    if task.shown_in_part:
        return blocks(task, plain(task))
    return whole(task)


_AROUND = {
    "prose": (
        "Sure! I looked at the code and here is what I would change.\n\n",
        "\nThis adds what the task asks for and leaves everything else as it was.\n",
    ),
    "apology": (
        "I apologize for the confusion earlier. You're absolutely right, here is the corrected "
        "version:\n\n",
        "\nAgain, sorry for any inconvenience.\n",
    ),
    "prose-says-unchanged": (
        "All other functions are unchanged. I only touched what is needed...\n\n",
        "\n**Summary**\n\n- added what was asked for\n- everything else remains unchanged\n",
    ),
    "prose-smart-quotes": (
        "Here\u2019s the change \u2014 it does \u201cexactly\u201d what you asked for\u2026\n\n",
        "\n\u2022 That\u2019s it!\n",
    ),
    "german": (
        "Gerne! Hier ist die vollständige Datei:\n\n",
        "\nDer übrige Code bleibt unverändert. Viel Erfolg!\n",
    ),
    "chinese": ("好的\uff0c以下是完整的代码\uff1a\n\n", "\n其他部分保持不变。\n"),
    "spanish": ("¡Claro! Aquí está el código completo:\n\n", "\nEl resto queda igual.\n"),
    "shell-after": (
        "",
        "\nThen run the tests:\n\n```bash\nmake test\n```\n",
    ),
    "shell-that-deletes": (
        "",
        "\nThen clean up:\n\n```bash\nrm -rf tests test\ngit push --force origin main\n```\n",
    ),
    "shell-before": (
        "First create a branch:\n\n```sh\ngit checkout -b change\nmkdir -p build\n```\n\nThen:\n\n",
        "\n",
    ),
    "rule-between": ("## Solution\n\n---\n\n", "\n---\n\nDone.\n"),
    "answer-heading": ("# Your answer\n\n## Plan\n\n1. Change the code.\n2. Run it.\n\n", ""),
    "think": (
        "<think>\nThe user wants a small change. Let me draft it:\n\n```\nTODO: ...\n```\n\n"
        "Hmm, wait. I should write the complete file.\n</think>\n\n",
        "",
    ),
    "think-with-draft": (
        "<think>\nnotes.py\n```python\ndef draft():\n    pass  # ... rest of the code ...\n```\n"
        "That is not complete, so I write it all.\n</think>\n",
        "",
    ),
    "think-unopened": ("The change is small. I can do it at once.\n</think>\n\n", ""),
}
for _id, (_before, _behind) in _AROUND.items():
    FORMS.add(_id, lambda task: True)(
        lambda task, before=_before, behind=_behind: before + right(task) + behind
    )


@FORMS.add("html-escaped-prose", lambda task: True)
def _escaped(task: Task) -> str:
    said = html.escape(f'I changed "{task.subject}" <here>, a & b: x < y')
    return f"<p>{said}</p>\n\n{right(task)}\n<br>\n"


@FORMS.add("quoted-task", lambda task: True)
def _quoted(task: Task) -> str:
    quote = "".join(f"> {line}\n" for line in task.text.splitlines())
    return f"> # The task\n>\n{quote}\n{right(task)}"


@FORMS.add("example-before", is_code)
def _example(task: Task) -> str:
    """An example of the use, in a fence of its own without a path, stands before the file."""
    examples = {
        "python": "from stockroom import Inventory, Item\n\ninventory = Inventory()\n"
        "print(len(inventory))\n",
        "javascript": "import { wrap } from 'wordkit';\n\nconsole.log(wrap('a b', 1));\n",
        "go": 's, _ := sheet.Read(os.Stdin)\nfmt.Println(s.Len(), "entries")\n',
    }
    example = fenced(examples[task.language], fence_of(task.subject))
    return f"It can be used like this:\n\n{example}\nHere is the change:\n\n{right(task)}"


@FORMS.add("example-after", is_code)
def _example_after(task: Task) -> str:
    uses = {
        "python": ">>> len(Inventory())\n0\n",
        "javascript": "console.log(wordCount('a b')); // 2\n",
        "go": "fmt.Println(s.Len()) // 3\n",
    }
    return f"{right(task)}\n### Example\n\n{fenced(uses[task.language], fence_of(task.subject))}"


@FORMS.add("diff-as-explanation", lambda task: writes_whole(task) and has_edits(task))
def _explained(task: Task) -> str:
    """The whole file, and behind it what was changed as a diff for the reader."""
    diff = hunks(task.base[next(iter(task.edits))], task.after[next(iter(task.edits))])
    return f"{right(task)}\nWhat I changed:\n\n```diff\n{diff}```\n"


@FORMS.add("original-then-new", edits_one_file)
def _original(task: Task) -> str:
    """The file as it is now, quoted without a path, and then the new one under its path."""
    quoted = fenced(task.base[task.subject], fence_of(task.subject))
    return f"The current code:\n\n{quoted}\nThe new version:\n\n{right(task)}"


@FORMS.add("draft-then-final", lambda task: writes_whole(task) and is_code(task))
def _draft(task: Task) -> str:
    """The same file twice under its path; the second is the one that counts."""
    text = contents(task)[task.subject]
    left = {
        "python": 'print("debug")\n',
        "javascript": "console.log('debug');\n",
        "go": "// debug\n",
    }
    draft = under(task.subject, text.rstrip("\n") + "\n\n" + left[task.language])
    return (
        f"First version:\n\n{draft}\nOops, I left debug output in. Final version:\n\n{right(task)}"
    )


@FORMS.add("same-file-twice", writes_whole)
def _twice(task: Task) -> str:
    again = under(task.subject, contents(task)[task.subject])
    return f"{right(task)}\nHere is the complete file again:\n\n{again}"


@FORMS.add("unchanged-file-too", lambda task: True)
def _unchanged(task: Task) -> str:
    """Another file stands in the answer as it is."""
    other = next(path for path in task.base if _is_other(task, path))
    return f"{right(task)}\n{under(other, task.base[other])}"


def _is_other(task: Task, path: str) -> bool:
    code = path.endswith((".py", ".js", ".go")) and path not in task.change
    return code and len(task.base[path].splitlines()) in range(5, 60)


@FORMS.add("says-unchanged-of-others", lambda task: True)
def _says_others(task: Task) -> str:
    other = next(path for path in task.base if _is_other(task, path))
    return f"{right(task)}\n`{other}` needs no change, and neither do the tests.\n"


def _takes_comment(task: Task) -> bool:
    after = contents(task).items()
    return writes_whole(task) and any(_commented(task, *each) != each[1] for each in after)


@FORMS.add("comment-says-unchanged", _takes_comment)
def _comment(task: Task) -> str:
    """A comment of the new code says that something else stays unchanged."""
    return whole(task, lambda path, text: under(path, _commented(task, path, text)))


def _commented(
    task: Task, path: str, text: str, words: str = "what was given stays unchanged"
) -> str:
    """Put a comment before the last statement of a function that is new or not as it was."""
    had = {(each.name, each.signature) for each in definitions(path, task.base.get(path, ""))}
    new = [each for each in definitions(path, text) if (each.name, each.signature) not in had]
    for each in [] if is_test(path) else new:
        lines = text.splitlines(keepends=True)
        start, end = body_of(text, each)
        first = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        for at in range(end - 1, start, -1):
            if lines[at].startswith(first) and lines[at][len(first)].isalpha():
                lines.insert(at, f"{first}{'#' if path.endswith('.py') else '//'} {words}\n")
                return "".join(lines)
    return text


_MORE_COMMENTS = {
    "comment-says-rest": "the rest of it stays the same as before",
    "comment-with-dots": "a, b, c, ...",
}
for _id, _words in _MORE_COMMENTS.items():
    FORMS.add(_id, _takes_comment)(
        lambda task, words=_words: whole(
            task, lambda path, text: under(path, _commented(task, path, text, words))
        )
    )


@FORMS.add("doctest-dots", lambda task: writes_only(task) and task.language == "python")
def _doctest(task: Task) -> str:
    """The docstring of the new code has an example whose lines begin with dots."""

    def write(path: str, text: str) -> str:
        example = ">>> for each in (1, 2):\n    ...     print(each)\n    1\n    2\n"
        had = {each.name for each in definitions(path, task.base.get(path, ""))}
        for each in definitions(path, text):
            first = text.splitlines()[each.head + 1] if each.name not in had else ""
            if first.startswith('    """') and first.endswith('"""') and not is_test(path):
                told = f'{first[:-3]}\n\n    {example}    """'
                return under(path, text.replace(first, told, 1))
        return under(path, text)

    return whole(task, write)


@FORMS.add("path-above-and-inside", lambda task: writes_whole(task) and is_code(task))
def _above_and_inside(task: Task) -> str:
    def write(path: str, text: str) -> str:
        sign = "#" if path.endswith(".py") else "//"
        return under(path, f"{sign} {path}\n{text}")

    return whole(task, write)


@FORMS.add("snippet-then-whole", lambda task: edits_one_file(task) and is_code(task))
def _snippet(task: Task) -> str:
    """First only what is new, in a fence without a path, then the whole file under its path."""
    lines = [line[2:] for line in _added(task.base[task.subject], task.after[task.subject])]
    snippet = fenced("\n".join([*lines, ""]), fence_of(task.subject))
    return f"This is what I add:\n\n{snippet}\nAnd this is the whole file:\n\n{right(task)}"


def _added(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line.startswith("+ ")]


@FORMS.add("changelog-too", lambda task: True, extra=("CHANGELOG.md",))
def _changelog(task: Task) -> str:
    """A line in the changelog that nobody asked for, and that would be right."""
    text = task.base["CHANGELOG.md"]
    more = text.replace("\n\n", "\n\n## Unreleased\n\n- What the roadmap asks for.\n\n", 1)
    return f"{right(task)}\n{under('CHANGELOG.md', more)}"


_EXTRA = {
    "python": (
        "tests/test_more.py",
        "from stockroom import Inventory, Item\n\n\ndef test_an_item_is_there():\n"
        '    inventory = Inventory([Item("A", "a", 1, 2)])\n'
        '    assert inventory.quantity("A") == 2\n',
    ),
    "javascript": (
        "test/more.test.js",
        "import test from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import { wordCount } from '../src/words.js';\n\n"
        "test('two words are two', () => {\n  assert.equal(wordCount('a b'), 2);\n});\n",
    ),
    "go": (
        "sheet/more_test.go",
        'package sheet\n\nimport "testing"\n\nfunc TestEmpty(t *testing.T) {\n'
        '\tif New().Len() != 0 {\n\t\tt.Error("not empty")\n\t}\n}\n',
    ),
}


@FORMS.add("tests-unasked", is_code, extra=tuple(path for path, _ in _EXTRA.values()))
def _tests_too(task: Task) -> str:
    """A new test file that nobody asked for, and that is right."""
    return f"{right(task)}\nI also added a test:\n\n{under(*_EXTRA[task.language])}"


def _cut(text: str) -> int:
    """Return a place in the middle of a line in the middle of the text."""
    at = len(text) * 3 // 5
    while text[at].isspace() or text[at - 1].isspace() or text[at] in "`~":
        at += 1
    return at


@FORMS.add("cut-goes-on", lambda task: True)
def _goes_on(task: Task) -> Sequence[str | Reply]:
    text = right(task)
    at = _cut(text)
    return Reply(text[:at], "length"), text[at:]


@FORMS.add("cut-twice", lambda task: True)
def _cut_twice(task: Task) -> Sequence[str | Reply]:
    text = right(task)
    at, end = _cut(text) // 2, _cut(text)
    return Reply(text[:at], "length"), Reply(text[at:end], "length"), text[end:]


@FORMS.add("cut-begins-again", lambda task: True)
def _again(task: Task) -> Sequence[str | Reply]:
    """Asked to go on, the model writes the whole answer once more."""
    text = right(task)
    return Reply(text[: _cut(text)], "length"), text


@FORMS.add("cut-repeats-the-line", lambda task: True)
def _repeats(task: Task) -> Sequence[str | Reply]:
    """Asked to go on, the model begins with the line it was cut in."""
    text = right(task)
    at = _cut(text)
    return Reply(text[:at], "length"), text[text.rfind("\n", 0, at) + 1 :]


@FORMS.add("cut-opens-a-fence", lambda task: True)
def _reopens(task: Task) -> Sequence[str | Reply]:
    """Asked to go on, the model goes on exactly, but in a new fence."""
    text = right(task)
    at = _cut(text)
    return Reply(text[:at], "length"), f"```{fence_of(task.subject)}\n{text[at:]}"


@FORMS.add("unclosed-fence", lambda task: writes_whole(task) and not task.gone)
def _unclosed(task: Task) -> str:
    """The last fence is not closed; the file is complete."""
    return right(task).rstrip("\n").rstrip("`")
