"""Markdown as a page of our own: GitHub's dialect by cmark-gfm, in cards that say what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

_STYLE = (Path(__file__).parent / "sheet.css").read_text()
_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
_PULL = re.compile(r"(?<!\]\()(?<!<)https?://[^\s/|]+/[^\s/|]+/[^\s/|]+/pull/(\d+)")


@dataclass(frozen=True, slots=True)
class Card:
    """``where`` is the head of a card, ``labels`` stand beside it, ``buttons`` below the text."""

    where: str
    markdown: str
    labels: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()


def sheet(*cards: Card) -> str:
    """Return a page with these cards, one below the other."""
    body = "\n".join(map(_card, cards))
    head = f'<meta charset="utf-8"><title>Cairn</title><style>{_STYLE}</style>'
    return (
        f"<!DOCTYPE html>\n<html lang=en><head>{head}</head><body><main>{body}</main></body></html>"
    )


def rendered(markdown: str) -> str:
    """HTML of what the bot wrote; the address of a pull request is shown as GitHub shows it."""
    short = _PULL.sub(r"[#\1](\g<0>)", markdown)
    return str(cmarkgfm.github_flavored_markdown_to_html(short, _OPTIONS))


def fenced(text: str, language: str) -> str:
    """A text as a code block that it cannot end."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _card(card: Card) -> str:
    marks = "".join(f"<span class=label>{escape(label)}</span>" for label in card.labels)
    buttons = "".join(f"<span class=button>{escape(button)}</span>" for button in card.buttons)
    row = f"<div class=buttons>{buttons}</div>" if buttons else ""
    text = _coloured(rendered(card.markdown))
    return (
        f"<section><h1>{escape(card.where)}{marks}</h1><div class=text>{text}</div>{row}</section>"
    )


def _coloured(html: str) -> str:
    """Mark the lines of the diffs."""
    return re.sub(
        r'<pre lang="diff"><code>(.*?)</code></pre>',
        lambda found: f"<pre><code>{_lines(found[1])}</code></pre>",
        html,
        flags=re.DOTALL,
    )


def _lines(diff: str) -> str:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    head, places, changes = diff.rstrip("\n").partition("@@")
    lines = f"{places}{changes}".split("\n")
    marked = [(kinds.get(line[:1], ""), line) for line in lines if places]
    return head + "\n".join(f'<span class="{kind}">{line}</span>' for kind, line in marked)
