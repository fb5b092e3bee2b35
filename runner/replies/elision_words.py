"""How models write "the rest stays as it is" in place of code, in many human languages.

A line is taken apart into its comment marks, its dots and its words; what the words say is told by
stems, since no grammar is needed to see ``# ... reste du fichier inchangé ...``.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["certain", "phrase", "dots", "weak", ""]
"""``certain``: dots and words that leave something out; ``phrase``: words that do; ``dots``: only
dots, or dots before other words; ``weak``: a comment that may be a heading ("existing tests"); ''
for an ordinary line."""

_LONGEST, _MOST_WORDS, _SHORT = 120, 8, 4
_OPENING = re.compile(
    r"^(?:<!--+|\{?/\*+|\*+(?!\*)|//+|#+|--+|;+|%+|\(\*|\"\"\"|'''|(?i:rem)\b|')\s*"
)
_CLOSING = re.compile(r"\s*(?:--+>|\*+/\}?|\*\)|\"\"\"|'''|#+|//+)[\s;)}]*$")
_INLINE = re.compile(r"\s(?:#|//|/\*|<!--)\s*(?P<said>\S.*)$")
_BRACKETS = (("[", "]"), ("(", ")"), ("<", ">"), ("{", "}"), ("*", "*"), ("_", "_"))
_DOTS = re.compile(r"\.{3,}|…+|⋮+|\u2e31|(?<!\w)\.\.(?!\w)")


def _any(stems: str) -> re.Pattern[str]:
    """Match one of the stems, which commas and line ends divide."""
    return re.compile("|".join(filter(None, map(str.strip, re.split(r"[,\n]", stems)))), re.I)


_LEFT = _any(
    r"""
    \brest\b, remainder, remaining, everything else
    \bother (?:code|content|function|method|import|test|field|helper|class|definition|part|line)
    existing, previous, original
    \bprior\b, \bold (?:code|content)
    restlich, übrig, bestehend, vorhanden, bisherig, alles andere
    \breste\b, existant, précédent, \bautres?\b
    \bresto\b, restante, existente, \bdemás\b, anterior, \b(?:otr|outr|altr)[aoei]s?\b
    overige, bestaande, reszt, pozosta, istniej, zbyt, ostatn, stávaj, existuj
    \bresten\b, övrig, øvrig, befintlig, eksisterende, \bloput\b, olemassa, többi, meglév
    restul, existent, geri kalan, \bkalan, mevcut, còn lại, hiện có, \bsisa, yang ada
    остальн, остаток, существующ, прежн, решта, інш, наявн, останал
    其余, 其餘, 其他, 剩余, 剩餘, 剩下, 余下, 现有, 現有, 原有, 已有, 原来, 之前
    残り, 既存, その他, 他の, 以降, 나머지, 기존, 이하
    بقية, باقي, الموجود, שאר, הקיים, बाकी, शेष, मौजूदा, υπόλοιπ, υπάρχ, ที่เหลือ, เดิม
    """
)
_SAME = _any(
    r"""
    unchanged, unmodified, untouched, not (?:changed|modified|shown), no (?:other )?changes?\b
    \bsame\b, as (?:before|is|it was|they were)\b, \bstays?\b, \bremains?\b, omit, elided
    truncated, snip, skipped, left out, \bkeep, \bkept\b, identical, \bhere\b, continues?\b
    brevity, abbreviated
    unverändert, bleib, wie (?:bisher|zuvor|vorher|gehabt), \bgleich, ausgelassen, weggelassen
    gekürzt, inchangé, sans (?:changement|modification), identique, comme avant, change pas
    sin (?:cambi|modific), \bigual, inalterad, no cambia, sem (?:altera|mudan|modific), mantid
    mantém, invariat, senza modific, omess, immutat, come prima, uguale
    ongewijzigd, onveranderd, weggelaten, blijft, bez zmian, niezmien, pomini, beze změn, nezměn
    vynech, oförändra, uændre, uendre, utelämna, ennallaan, muuttumat, változatlan, neschimbat
    nemodificat, değişme, değişiklik, \bayn[ıi], giữ nguyên, không (?:thay )?đổi
    tidak berubah, \btetap, \bsama\b
    без изменен, не (?:из)?мен, неизмен, как (?:было|раньше|прежде|есть), опущен, пропущен, то же
    без змін, незмін
    不变, 不變, 未变, 未變, 没有变, 没变, 未修改, 未改, 省略, 略, 相同, 同上, 同前, 如前, 保持
    変更なし, 変更無, 変わら, そのまま, 同じ, 同様, 변경 없, 그대로, 동일, 생략
    دون تغيير, بدون تغيير, كما هو, لم يتغير, ללא שינוי, अपरिवर्तित, वही, जैसा
    αμετάβλητ, ίδι, χωρίς αλλαγ, เหมือนเดิม, ไม่เปลี่ยน
    """  # noqa: RUF001 - letters of these languages
)
_PART = re.compile(
    r"\b(?:codes?|files?|functions?|methods?|class(?:es)?|implementations?|imports?|logic|body|bodies"
    r"|contents?|lines?|definitions?|modules?|tests?|documents?|sections?|scripts?|config(?:uration)?"
    r"|helpers?|handlers?|routes?|fields?|routines?|stuff|things?)\b",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"unchanged|untouched|\b(?:stays?|remains?)\b|omitted|elided|truncated|not shown", re.IGNORECASE
)
_OURS = re.compile(r"cut|lines \d+-\d+ left out.*")  # the notes of a file that is shown in part
_REST = re.compile(
    r"(?:the )?(?:rest|remainder|(?:remaining|other|existing) \w+|everything else)"
    r"(?: of (?:the |this )?\w+)?(?: code| file)? (?:(?:stays?|remains?|is|are|kept|left) )?"
    r"(?:the )?(?:unchanged|same|as is|as before|untouched|omitted(?: for brevity)?|not shown)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:unchanged(?: below| above| from here)?|unmodified|same(?: as before| as above)?|as before"
    r"|no changes?(?: here)?|snip(?:ped)?"
    r"|(?:omitted|truncated|elided|abbreviated|skipped)(?: for brevity)?"
    r"|(?:the )?(?:existing|previous|remaining) (?:code|implementation)(?: here| above| below)?"
    r"|(?:the )?(?:rest|remainder) of (?:the |this )?\w+)",
    re.IGNORECASE,
)


def kind_of(line: str, *, markdown: bool = False) -> Kind:
    """Tell whether a line leaves something out; in Markdown ``#`` and ``*`` are no comments."""
    text = line.strip()
    if not text or len(text) > _LONGEST:
        return ""
    said, marked = _bare(text, markdown=markdown)
    if not marked and (inline := _INLINE.search(f" {text}")) and not markdown:
        return _kind(_CLOSING.sub("", inline["said"]), marked=True, inline=True)
    return _kind(said, marked=marked)


def _bare(text: str, *, markdown: bool) -> tuple[str, bool]:
    """Take comment marks and brackets off; also whether there were any."""
    said = text
    if not markdown or text.startswith("<!--"):
        said = _CLOSING.sub("", _OPENING.sub("", text)) if _OPENING.match(text) else text
    for opening, closing in _BRACKETS:
        inner = said.strip()
        if inner.startswith(opening) and inner.endswith(closing) and len(inner) > 1:
            said = inner[1:-1]
    return said.strip(), said != text


def _kind(said: str, *, marked: bool, inline: bool = False) -> Kind:
    words = _DOTS.sub(" ", said).strip(" .:;,!-\u2013\u2014=*_()[]<>{}")
    dots = _DOTS.search(said.strip())
    leads = dots is not None and dots.start() == 0
    if not words:
        return "dots" if dots and not inline else ""
    if leads and _OURS.fullmatch(words):
        return "certain"
    if len(words.split()) > _MOST_WORDS:
        return ""
    left, same = _LEFT.search(words), _SAME.search(words)
    if leads and (left or same):
        return "certain"
    if not marked:
        return ""
    if _REST.fullmatch(words):
        return "certain"
    kept = _KEPT.search(words) and _PART.search(words)
    if (left and same) or kept or _ALONE.fullmatch(words):
        return "phrase"
    if inline:
        return ""
    if len(words.split()) <= _SHORT and left and (dots or _PART.search(words)):
        return "weak"
    return "dots" if leads else ""
