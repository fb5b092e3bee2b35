"""An issue of GitHub: it is one task, and it is in no commit.

What is read is the text as it was when somebody with *write* asked for it: a line with the title,
one with the milestone, then the body. Merging the pull request closes the issue, so nothing is
ticked. Its "path" is its number, ``#12``.
"""

from __future__ import annotations

import hashlib
import re

from markdown_it.token import Token

from runner.roadmap.markdown import parse
from runner.roadmap.plans.form import PlanForm
from runner.roadmap.source import Inline, read, too_many
from runner.roadmap.task import Roadmap, Task, TaskPlace, files
from runner.text.sanitize import cut_middle

_LONGEST = 24_000
"""Characters of a body that a model is shown; GitHub takes 65,536."""
_MOST_CRITERIA = 50

# what nobody sees who reads the issue on GitHub must not be part of what they ask for
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|^ {0,3}\[[^\]\n^][^\]\n]*\]:[^\n]*$|^ {0,3}=+[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef]"
)
_HEADING = re.compile(r"^ {0,3}#{1,6}(?=[ \t])[ \t]+", re.MULTILINE)
_CODE = ("fence", "code_block")
# a field of an issue form that was left empty
_NO_ANSWER = re.compile(r"^#{1,6} [^\n]*\n+_No response_[ \t]*$\n*", re.MULTILINE)


def issue_path(number: int) -> str:
    """Return what stands for an issue where other plans have the path of their file."""
    return f"#{number}"


def issue_text(title: str, milestone: str, body: str) -> str:
    """Return the text of an issue that counts, as it is kept with a run."""
    first, second = (" ".join(each.split()) for each in (title, milestone))
    return f"{first}\n{second}\n{body}"


def has_body(text: str) -> bool:
    """Say whether people who see an issue read more than its title."""
    body = _UNSEEN.sub("", "".join(text.split("\n", 2)[2:]))
    return bool(_NO_ANSWER.sub("", _HIDDEN.sub("", body)).strip())


def names_issue(task: Task, number: int, repository: str = r"[\w.-]+/[\w.-]+") -> bool:
    """Say whether a task of another plan is about an issue: ``#12``, or its address."""
    pattern = rf"(?<![\w/])#{number}\b|\b{repository}(?:#|/issues/){number}\b"
    return re.search(pattern, f"{task.text}\n{task.details}", re.IGNORECASE) is not None


def _read(path: str, content: bytes) -> Roadmap:
    """Return the one task of an issue; its open boxes say when it is done."""
    source = read(content)
    title, milestone, body = [*source.text.split("\n", 2), "", ""][:3]
    title = _HEADING.sub("", title)
    title, body = (_UNSEEN.sub("", text) for text in (title, cut_middle(body, _LONGEST)))
    criteria, code = tuple[str, ...](), list[Token]()
    if not too_many(source):
        blocks, _ = parse(body)
        code = [token for token in blocks.tokens if token.type in _CODE and token.map]
        boxes = [item.text for item in blocks.items if item.is_task and item.box == " "]
        criteria = tuple(_prose(text).split("\n")[0].strip() for text in boxes[:_MOST_CRITERIA])
    details = _NO_ANSWER.sub("", _as_seen(body, code)).strip()
    task = Task(
        key=hashlib.sha256(path.encode()).hexdigest()[:10],
        id=path,
        title=Inline({})(title).text or title,
        text=title,
        checked=False,
        kind="work",
        place=TaskPlace(end_line=len(source.lines), phase=milestone or None),
        details=details,
        acceptance=criteria,
        files=files(f"{title}\n{details}"),
    )
    return Roadmap(path=path, content=content, tasks=(task,), eol=source.eol, bom=source.bom)


def _as_seen(text: str, code: list[Token]) -> str:
    """Take out what nobody sees; headings are below those of a question, and blocks of code end.

    What looks so in a block of code is code.
    """
    lines, made, at = text.split("\n"), list[str](), 0
    for token in code:
        start, end = token.map or (at, at)
        made += [_prose("\n".join(lines[at:start])), *lines[start:end]]
        at = end
        if token.markup and not lines[end - 1].strip().startswith(token.markup):
            made.append(token.markup)
    return "\n".join((*made, _prose("\n".join(lines[at:]))))


def _prose(text: str) -> str:
    return _HEADING.sub("#### ", _HIDDEN.sub("", text))


ISSUE = PlanForm(name="issue", paths=re.compile(r"#[1-9]\d{0,11}"), read=_read, apart=True)
