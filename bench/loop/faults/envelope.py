"""The envelope layer: how an answer is written down, in the form asked for and ruined."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.model_server import Fault, Reply


@dataclass(frozen=True, slots=True)
class Written:
    """What an answer is to say: the whole of a file, in its language."""

    path: str
    code: str
    language: str


Envelope = Callable[[Written], Reply]


def block(said: Written, *, fence: str = "```") -> str:
    """The form that is asked for: the path on a line of its own, then a fenced block."""
    return f"{said.path}\n{fence}{said.language}\n{said.code.rstrip()}\n{fence}\n"


def _numbered(said: Written) -> Reply:
    lines = said.code.rstrip().split("\n")
    numbered = "\n".join(f"{number:>3} | {line}" for number, line in enumerate(lines, 1))
    return _plain(said, numbered)


def _marked(said: Written) -> Reply:
    return _plain(said, "\n".join("+" + line for line in said.code.rstrip().split("\n")))


def _plain(said: Written, code: str, path: str = "") -> Reply:
    return Reply(block(Written(path or said.path, code, said.language)))


def _wrapped(said: Written, code: str = "") -> str:
    return json.dumps({"files": [{"path": said.path, "content": code or said.code}]}, indent=1)


def _double(said: Written) -> Reply:
    return Reply(_wrapped(said, said.code.replace("\\", "\\\\").replace("\n", "\\n")))


def _raw_newlines(said: Written) -> Reply:
    quoted = json.dumps(said.code)[1:-1].replace("\\n", "\n")
    path = json.dumps(said.path)
    return Reply(f'{{"files": [{{"path": {path}, "content": "{quoted}"}}]}}')


def _fenced(said: Written) -> Reply:
    inner = f"```{said.language}\n{said.code}```"
    return Reply(f"```json\n{_wrapped(said, inner)}\n```\n")


def _two_blocks(said: Written) -> Reply:
    return Reply(
        f"{block(said)}\nIt is used like this:\n\n```{said.language}\nprint('example')\n```\n"
    )


ENVELOPE: Mapping[str, Envelope] = {
    "fenced": _fenced,
    "prose_before": lambda said: Reply(f"Sure! This does what you asked for:\n\n{block(said)}"),
    "prose_after": lambda said: Reply(f"{block(said)}\nThis goes through every case: (a) (b).\n"),
    "two_blocks": _two_blocks,
    "unclosed_fence": lambda said: Reply(block(said).removesuffix("```\n")),
    "tilde_fence": lambda said: Reply(block(said, fence="~~~")),
    "think_block": lambda said: Reply(
        f"<think>\nWhat about ```{said.language}\npass\n```? No.\n</think>\n{block(said)}"
    ),
    "truncated": lambda said: Fault.truncated(block(said)),
    "crlf": lambda said: Reply("\ufeff" + block(said).replace("\n", "\r\n")),
    "html_entities": lambda said: _plain(said, html.escape(said.code)),
    "line_numbers": _numbered,
    "diff_marks": _marked,
    "double_escaped": _double,
    "json_trailing_comma": lambda said: Reply(_wrapped(said).replace("}\n ]", "},\n ]")),
    "json_single_quotes": lambda said: Reply(
        repr({"files": [{"path": said.path, "content": said.code}]})
    ),
    "json_raw_newlines": _raw_newlines,
    "json_bare": lambda said: Reply(json.dumps([{"path": said.path, "content": said.code}])),
    "wrong_path": lambda said: _plain(said, said.code, path=f"./{said.path}"),
    "wrong_path_backslash": lambda said: _plain(said, said.code, path=said.path.replace("/", "\\")),
    "wrong_path_absolute": lambda said: _plain(said, said.code, path=f"/workspace/{said.path}"),
    "wrong_path_no_folder": lambda said: _plain(said, said.code, path=said.path.split("/")[-1]),
    "wrong_path_other_folder": lambda said: _plain(said, said.code, path=f"project/{said.path}"),
}

HARMLESS = ("prose_before", "prose_after", "two_blocks", "tilde_fence", "crlf", "unclosed_fence")
"""What the default mix damages right answers with: code puts these right."""

SAID_NOTHING: Mapping[str, Callable[[], Reply | Fault]] = {
    "http_429": Fault.http_429,
    "http_500": Fault.http_500,
    "http_503": Fault.http_503,
    "timeout": Fault.timeout,
    "reset": Fault.reset,
    "bad_json": Fault.bad_json,
    "no_choices": Fault.no_choices,
    "null_content": Fault.null_content,
    "empty_answer": Fault.empty_answer,
    "length_nothing": Fault.length_nothing,
    "refusal": Fault.refusal,
}
"""The transport layer."""
