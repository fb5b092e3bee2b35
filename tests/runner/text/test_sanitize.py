"""Foreign text does nothing on GitHub."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from runner.text.sanitize import sanitize

GAP = "\u200b"

BROKEN = {
    "image": ("![x](https://e.example/x.png)", f"!{GAP}[x]{GAP}(https://e.example/x.png)"),
    "html-image": ("<img src=x> <IMG src=y>", f"<{GAP}img src=x> <{GAP}IMG src=y>"),
    "link": ("[GitHub](https://e.example)", f"[GitHub]{GAP}(https://e.example)"),
    "link by a reference": (
        "[GitHub][1]\n\n[1]: https://e.example",
        f"[GitHub]{GAP}[1]\n\n[1]{GAP}: https://e.example",
    ),
    "link of HTML": ("<a\nhref=x>y</a>", f"<{GAP}a\nhref=x>y</a>"),
    "mention": ("thanks @octocat!", f"thanks @{GAP}octocat!"),
    "team": ("@org/team", f"@{GAP}org/team"),
    "mention in bold": ("**@octocat**", f"**@{GAP}octocat**"),
    "escaped mention": (r"\@octocat", rf"\@{GAP}octocat"),
    "mention as entity": ("&#64;octocat", f"@{GAP}octocat"),
    "mention as named entity": ("&commat;octocat", f"@{GAP}octocat"),
    "mention as open entity": ("<p>&#64octocat</p>", f"<p>@{GAP}octocat</p>"),
    "number": ("see #12", f"see #{GAP}12"),
    "number of another repository": ("o/r#12", f"o/r#{GAP}12"),
    "number with GH": ("GH-12", f"GH-{GAP}12"),
    "number with GH as entity": ("G&#72;-12", f"GH{GAP}-12"),
    "closing keyword": ("Fixes #1", f"F{GAP}ixes #{GAP}1"),
    "closing keyword with a colon": ("closes: GH-1", f"c{GAP}loses: GH-{GAP}1"),
    "closing keyword with a URL": (
        "resolved https://github.com/o/r/issues/1",
        f"r{GAP}esolved https://github.com/o/r/issues/1",
    ),
    "closing keyword on the line before": ("fix\n#1", f"f{GAP}ix\n#{GAP}1"),
    "trailer": ("Co-authored-by: A <a@b.c>", f"Co-authored-by{GAP}: A <a@b.c>"),
    "our own trailer": ("Cairn-Run: x", f"Cairn-Run{GAP}: x"),
    "skipping CI": ("[skip ci] x", f"[{GAP}skip ci] x"),
    "workflow command": ("::set-output name=a::b", f":{GAP}:set-output name=a::b"),
    "indented workflow command": ("  ::error::x", f"  :{GAP}:error::x"),
    "old workflow command": ("##[group]x", f"#{GAP}#[group]x"),
    "HTML comment": ("<!-- cairn:run:1 -->", f"<{GAP}!-- cairn:run:1 -->"),
    "turned direction": ("a \u202egnp.exe\u202c", "a \ufffdgnp.exe\ufffd"),
    "turned direction in a fence": ("```\n\u2066x\n```", "```\n\ufffdx\n```"),
    "tags that only programs see": ("a\U000e0068\U000e0069", "a\ufffd\ufffd"),
    "variation selectors that spell": ("a\U000e0141\ufe01\ufe02", "a\ufffd\ufe01\ufffd"),
    "carriage returns": ("a\r\nb\rc", "a\nb\nc"),
}

KEPT = {
    "ordinary text": "Add a parser for `a + b`, then test it.",
    "e-mail address": "mail me@example.org",
    "heading": "# Title\n\n## Part",
    "code in a fence": "```python\n@app.route('/')  # 1, see #2\ndef f(): ...\n```",
    "entities that mean text": "a &lt;b&gt; &amp; c",
    "address": "see https://e.example/x and <https://e.example>",
    "emoji": "done \u2714\ufe0f",
    "C++ name": "use std::move(x)",
    "fixes without a reference": "This fixes the parser.",
}


@pytest.mark.parametrize(("text", "expected"), BROKEN.values(), ids=BROKEN)
def test_what_acts_is_broken(text: str, expected: str) -> None:
    """What would act on GitHub gets a zero-width space in its middle."""
    assert sanitize(text) == expected


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_does_nothing_is_kept(text: str) -> None:
    """Harmless text and code stay byte for byte."""
    assert sanitize(text) == text


def test_a_fence_protects_no_closing_keyword() -> None:
    """A squash commit takes the body as plain text, where a fence protects nothing."""
    text = "```\nfixes #1\nCo-authored-by: a\n```"

    assert sanitize(text) == f"```\nf{GAP}ixes #1\nCo-authored-by{GAP}: a\n```"


def test_plain_text_has_no_fences() -> None:
    """In a title or commit message a fence is text like other text."""
    assert sanitize("```\n@octocat", plain=True) == f"```\n@{GAP}octocat"


def test_an_open_fence_is_closed() -> None:
    """What follows the text is not swallowed by its fence."""
    assert sanitize("~~~~\ncode") == "~~~~\ncode\n~~~~"


# fmt: off
PIECES = [
    "@", "a", "#", "1", "GH-", "fixes ", "Closes:", "\n", "\r", " ", "    ", "\t", "```", "~~~",
    "`", "<!--", "-->", "<?", "<pre>", ":", "::", "&#64;", "&#35;", "&#x40;", "&", ";", "&#", "64",
    "|", "co-authored-by:", "[skip ci]", "##[", "- ", "> ", "\\", "é", "https://x", GAP,
]
# fmt: on
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=2)).map("".join)


@given(TEXTS, st.booleans())
@example("fixes &#35;1", False)
def test_twice_is_once(text: str, plain: bool) -> None:
    """Sanitizing what was sanitized changes nothing."""
    once = sanitize(text, plain=plain)

    assert sanitize(once, plain=plain) == once


@given(TEXTS, st.booleans())
def test_it_stays_short(text: str, plain: bool) -> None:
    """The text grows to twice its length plus one at most."""
    assert len(sanitize(text, plain=plain)) <= 2 * len(text) + 1


@given(TEXTS.filter(lambda text: "&" not in text))
def test_it_looks_the_same(text: str) -> None:
    """Nothing but zero-width spaces is added to a text without entities."""
    before = text.replace("\r\n", "\n").replace("\r", "\n").replace(GAP, "")

    assert sanitize(text, plain=True).replace(GAP, "") == before


@given(TEXTS)
def test_nothing_active_is_left(text: str) -> None:
    """Rendered text outside code has no mention, reference or HTML comment."""
    shown = _rendered_text(sanitize(text))

    assert not re.search(r"(?<![A-Za-z0-9])@[A-Za-z0-9_]", shown)
    assert not re.search(r"#[0-9]|\bGH-[0-9]", shown, re.IGNORECASE)
    assert "<!--" not in shown


def _rendered_text(text: str) -> str:
    """The text a reader sees outside code blocks, tags left out."""
    page = MarkdownIt("commonmark").render(text)
    page = re.sub(r"<pre><code.*?</code></pre>", "", page, flags=re.DOTALL)
    return html.unescape(
        re.sub(r"</?(?:p|pre|ul|li|blockquote|em|strong|code|hr|br|h\d) ?/?>", "\n", page)
    )
