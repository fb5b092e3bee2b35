"""Where a text says of a path that it must not change: "do not change", "leave … as it is".

The words must stand right before or after the path. "Do not change the signature of `f` in `a.py`"
says nothing of the file as a whole, and "do not change the existing tests in `test_a.py`" lets new
ones be added, so neither counts.
"""
# ruff: noqa: RUF001 (the marks of other languages are meant)

from __future__ import annotations

import re


def says_leave_alone(before: str, after: str) -> bool:
    """Say whether the words of a line before or after a path forbid to change it."""
    if _BEFORE.search(before) or _AFTER.search(after):
        return True
    if _KEEP_BEFORE.search(before) and _KEEP_AFTER.search(after):
        return True
    listed = _LISTED_AFTER.match(after) if _TESTS_LABEL.match(before) else None
    return listed is not None and _AFTER.search(after[listed.end() :]) is not None


_NOT = (
    r"(?:do\s+not|don['’]?t|never|must\s+not|mustn['’]?t|may\s+not|should\s+not|shall\s+not|cannot"
    r"|without|not\s+to)"
)
_CHANGE = (
    r"(?:chang|modif|edit|touch|alter|rewrit|overwrit|adjust|updat)(?:e|es|ed|ing|y|ied|ying)?"
)
_FOREIGN = (
    r"nicht\s+(?:ver)?(?:ändern|aendern|anfassen|anrühren|bearbeiten|anpassen)"
    r"|ne\s+(?:pas\s+)?(?:modifie[rz]?|change[rz]?|touche[rz]?(?:\s+à)?)(?:\s+pas)?"
    r"|no\s+(?:modific|modifi|cambi|toc|toqu|alter|edit)\w+"
    r"|não\s+(?:modific|modifi|mud|alter|toc|toqu|edit)\w+"
    r"|non\s+(?:modific|cambi|tocc|alter)\w+"
    r"|niet\s+(?:wijzigen|aanpassen|veranderen|aanraken|bewerken)"
    r"|nie\s+(?:zmieniaj|zmieniać|modyfikuj|modyfikować|ruszaj)"
    r"|не\s+(?:менять|меняй|меняйте|изменять|изменяй|изменяйте|трогать|трогай|трогайте"
    r"|змінювати|змінюй)"
    r"|(?:不要|请勿|勿|不得|不能|不可|别|請勿)(?:修改|更改|改动|改變|变更|編輯|编辑|动|改)"
    r"|değiştirme(?:yin)?"
)
_FOREIGN_AFTER = (
    r"(?:を|は)?\s*(?:変更|修正|編集)(?:しない(?:で(?:ください)?)?|禁止|不可)|(?:は)?\s*そのまま"
    r"|(?:을|를|은|는)?\s*(?:변경|수정|편집)(?:하지|금지)|(?:을|를)?\s*건드리지|保持不变|保持原样"
    r"|(?:bleibt|bleiben|unverändert)\b|(?:reste|restent|inchangée?s?)\b"
    r"|sin\s+(?:cambios|modificar)|без\s+изменений|ongewijzigd|invariat[oaie]|inalterad[oa]s?"
    r"|değişmeden"
)
_AS_IT_IS = (
    r"(?:as\s+(?:it|they)\s+(?:is|are|stands?|was|were)|as[- ]is|alone|unchanged|untouched"
    r"|unmodified|intact|read[- ]only|in\s+peace)"
)
_FILLER = (
    r"(?:(?:the|this|these|any|all|anything\s+in|files?|modules?|folders?|scripts?|tests?\s+files?"
    r"|existing(?=\s+(?:files?|modules?))|existing\s+tests?\s+files?"
    r"|die|der|das|den|datei(?:en)?|le|la|les|el|los|las|o|os|il|fichiers?|archivos?"
    r"|het|de|bestand(?:en)?|файлы?|文件)\s+)*"
)
_PATH = r"[`\"'*]*[\w@+-]*[./][\w@./+-]*[`\"'*]*"
_AND = r"(?:,|/|and|or|nor|und|oder|et|ou|y|o|e|en|и|和|、)"
_LIST = rf"(?:{_PATH}\s*{_AND}\s*)*"
_END = r"(?=\s*(?:$|[).,;:!\]—–|）。，；]|-\s|and\b|but\b|or\b))"
_ALREADY = (
    r"(?:(?:which|that|and|but|it|they|is|are|already|exists?|existing|given|provided|there|here|as"
    r"|in\s+(?:the|this)\s+(?:repo(?:sitory)?|project|tree|base)|for\s+reference|pass(?:es)?"
    r"|please|bitte|[,;:(（：，—–-])\s*)*"
)
_IT = r"(?:\s+(?:it|them|this|that|these|(?:this|these|the|that)\s+(?:files?|tests?)))?"
_IS = (
    r"(?:(?:must|should|shall|has\s+to|have\s+to|is|are|stays?|remains?|to|be|left|kept|leave|keep)"
    r"(?:\s+it|\s+them)?\s+)*"
)

_BEFORE = re.compile(
    rf"(?:{_NOT}\s+{_CHANGE}|{_FOREIGN})\s*:?\s*{_FILLER}{_LIST}[`\"'*(]*$", re.IGNORECASE
)
_AFTER = re.compile(
    rf"^[`\"'*]*\s*{_ALREADY}(?:{_NOT}\s+(?:be\s+)?{_CHANGE}{_IT}{_END}|{_IS}{_AS_IT_IS}{_END}"
    rf"|(?:{_FOREIGN}){_END}|(?:{_FOREIGN_AFTER}))",
    re.IGNORECASE,
)
_KEEP_BEFORE = re.compile(
    rf"(?:leave|keep|leaving|keeping)\s+{_FILLER}{_LIST}[`\"'*]*$", re.IGNORECASE
)
_KEEP_AFTER = re.compile(
    rf"^[`\"'*]*\s*(?:{_AND}\s*{_PATH}\s*)*(?:exactly\s+|completely\s+)?{_AS_IT_IS}", re.IGNORECASE
)
_LISTED_AFTER = re.compile(rf"^[`\"'*]*\s*(?:{_AND}\s*{_PATH}\s*)+")
_TESTS_LABEL = re.compile(
    r"^[\s>*+-]*(?:\*\*|__)?(?:unit )?tests?(?: files?)?(?:\*\*|__)?\s*:", re.IGNORECASE
)
