"""Right answers that write whole files: where the path stands, and what is around the content."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

from tests.answers.forms import (
    Forms,
    Render,
    edits_one_file,
    is_code,
    is_one_file,
    writes_only,
    writes_whole,
)
from tests.answers.projects import Task, fence_of
from tests.answers.writing import contents, deletions, fenced, under, whole

FORMS = Forms()
Write = Callable[[str, str], str]


def _headed(template: str, *, info: str = "{fence}") -> Render:
    """Write every file below or in the line that opens its fence."""

    def write(path: str, content: str) -> str:
        opening = info.format(path=path, fence=fence_of(path))
        above = template.format(path=path, windows=path.replace("/", "\\"))
        return f"{above}\n{fenced(content, opening)}" if above else fenced(content, opening)

    return lambda task: whole(task, write)


_HEADS = {
    "path-line": "{path}",
    "path-bold": "**{path}**",
    "path-backticks": "`{path}`",
    "path-backticks-colon": "`{path}`:",
    "path-heading": "### {path}",
    "path-heading-backticks": "## `{path}`",
    "path-bold-backticks-blank-line": "**`{path}`**\n",
    "file-colon": "File: {path}",
    "file-bold-colon": "**File: `{path}`**",
    "filename-colon": "Filename: `{path}`",
    "path-updated": "`{path}` (updated)",
    "path-comment-above": "# {path}",
    "path-dot-slash": "./{path}",
    "path-workspace": "/workspace/{path}",
    "path-backslashes": "{windows}",
    "path-numbered-heading": "### 1. `{path}`",
    "path-in-sentence": "Here is the complete content of `{path}`:",
}
for _id, _template in _HEADS.items():
    FORMS.add(_id, writes_whole)(_headed(_template))

_INFOS = {
    "info-path": "{fence} {path}",
    "info-colon": "{fence}:{path}",
    "info-title": '{fence} title="{path}"',
    "info-filename": "{fence} filename={path}",
    "info-path-alone": "{path}",
}
for _id, _template in _INFOS.items():
    FORMS.add(_id, writes_whole)(_headed("", info=_template))


@FORMS.add("first-line-comment", lambda task: writes_whole(task) and is_code(task))
def _first_line(task: Task) -> str:
    def write(path: str, content: str) -> str:
        sign = "#" if path.endswith(".py") else "//"
        return fenced(f"{sign} {path}\n{content}", fence_of(path))

    return whole(task, write)


@FORMS.add("tilde-fences", writes_whole)
def _tildes(task: Task) -> str:
    return whole(task, lambda path, text: f"{path}\n{fenced(text, fence_of(path), mark='~')}")


@FORMS.add("longer-fences", writes_whole)
def _longer(task: Task) -> str:
    return whole(task, lambda path, text: f"{path}\n````{fence_of(path)}\n{text}````\n")


@FORMS.add("nested-fences", lambda task: not is_code(task))
def _nested(task: Task) -> str:
    """Fences inside a Markdown file are as long as the one around it, as models write them."""
    return whole(task, lambda path, text: f"{path}\n```markdown\n{text}```\n")


@FORMS.add("indented-in-steps", writes_whole)
def _steps_indented(task: Task) -> str:
    steps = []
    for number, (path, text) in enumerate(contents(task).items(), 1):
        fence = textwrap.indent(fenced(text, fence_of(path)), "   ")
        steps.append(f"{number}. Write `{path}`:\n\n{fence}")
    return "\n".join([*steps, *deletions(task)])


@FORMS.add("steps", writes_whole)
def _steps(task: Task) -> str:
    steps = [
        f"**Step {number}:** the file\n\n{under(path, text)}"
        for number, (path, text) in enumerate(contents(task).items(), 1)
    ]
    return "\n".join(["I did this in steps.\n", *steps, *deletions(task)])


@FORMS.add("no-path", is_one_file)
def _no_path(task: Task) -> str:
    (text,) = contents(task).values()
    return fenced(text, fence_of(task.subject))


@FORMS.add("no-path-no-language", is_one_file)
def _no_language(task: Task) -> str:
    (text,) = contents(task).values()
    return fenced(text, "")


@FORMS.add("no-path-prose", is_one_file)
def _no_path_prose(task: Task) -> str:
    (text,) = contents(task).values()
    fence = fenced(text, fence_of(task.subject))
    return f"Sure! Here is the code:\n\n{fence}\nLet me know if you need anything else.\n"


@FORMS.add("name-without-folder", edits_one_file)
def _name_only(task: Task) -> str:
    return whole(task, lambda path, text: under(Path(path).name, text))


@FORMS.add("json-list", writes_only)
def _json_list(task: Task) -> str:
    files = [{"path": path, "content": text} for path, text in contents(task).items()]
    return json.dumps({"files": files}, indent=2)


@FORMS.add("json-fenced", writes_only)
def _json_fenced(task: Task) -> str:
    files = [{"path": path, "content": text} for path, text in contents(task).items()]
    return fenced(json.dumps({"files": files}, indent=2), "json")


@FORMS.add("json-by-path", writes_only)
def _json_by_path(task: Task) -> str:
    return "```json\n" + json.dumps({"files": dict(contents(task))}, indent=2) + "\n```\n"


@FORMS.add("json-mapping", writes_only)
def _json_mapping(task: Task) -> str:
    return fenced(json.dumps(dict(contents(task)), indent=2), "json")


@FORMS.add("json-no-final-newline", writes_only)
def _json_unended(task: Task) -> str:
    files = [{"path": path, "content": text.rstrip("\n")} for path, text in contents(task).items()]
    return json.dumps({"files": files})


@FORMS.add("xml-attribute", writes_only)
def _xml(task: Task) -> str:
    return whole(task, lambda path, text: f'<file path="{path}">\n{text}</file>\n')


@FORMS.add("xml-elements", writes_only)
def _xml_elements(task: Task) -> str:
    def write(path: str, text: str) -> str:
        return f"<file>\n<path>{path}</path>\n<content>\n{text}</content>\n</file>\n"

    return whole(task, write)


@FORMS.add("xml-around-fence", writes_only)
def _xml_fenced(task: Task) -> str:
    def write(path: str, text: str) -> str:
        return f'<file path="{path}">\n{fenced(text, fence_of(path))}</file>\n'

    return whole(task, write)


@FORMS.add("heredoc", writes_whole)
def _heredoc(task: Task) -> str:
    lines = [f"cat > {path} <<'EOF'\n{text}EOF\n" for path, text in contents(task).items()]
    gone = [f"rm {path}\n" for path in task.gone]
    inside = "\n".join([*lines, *gone])
    return f"Run these commands:\n\n{fenced(inside, 'bash')}"


@FORMS.add("tool-call", writes_only)
def _tool_call(task: Task) -> str:
    def write(path: str, text: str) -> str:
        call = {"name": "write_file", "arguments": {"path": path, "content": text}}
        return f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n"

    return whole(task, write)


@FORMS.add("tool-call-xml", writes_only)
def _tool_call_xml(task: Task) -> str:
    def write(path: str, text: str) -> str:
        return (
            f'<invoke name="write_file">\n<parameter name="path">{path}</parameter>\n'
            f'<parameter name="content">{text}</parameter>\n</invoke>\n'
        )

    return whole(task, write)


@FORMS.add("crlf", writes_whole)
def _crlf(task: Task) -> str:
    return whole(task).replace("\n", "\r\n")


@FORMS.add("byte-order-mark", writes_whole)
def _bom(task: Task) -> str:
    return "\ufeff" + whole(task)


@FORMS.add("byte-order-mark-in-file", writes_whole)
def _bom_inside(task: Task) -> str:
    return whole(task, lambda path, text: under(path, "\ufeff" + text))


@FORMS.add("trailing-blanks", writes_whole)
def _trailing(task: Task) -> str:
    def write(path: str, text: str) -> str:
        lines = [
            f"{line}  \n" if at % 7 == 3 and is_code(task) else f"{line}\n"
            for at, line in enumerate(text.splitlines())
        ]
        return f"{path}  \n{fenced(''.join(lines), fence_of(path))}"

    return whole(task, write)


@FORMS.add("empty-lines-around", writes_whole)
def _around(task: Task) -> str:
    def write(path: str, text: str) -> str:
        return f"{path}\n\n{fenced(text + chr(10) * 2, fence_of(path))}\n\n"

    return whole(task, write)


@FORMS.add("outer-fence", writes_only)
def _outer(task: Task) -> str:
    """The whole answer stands in one more fence."""
    return f"````markdown\n{whole(task)}````\n"
