"""What a task's words ask for and forbid: files it names, and files to leave alone.

Only what people wrote counts; a plan by a model is not a permission. "Do not change the signature
of `f` in `a.py`" says nothing about the entire file: the words must be next to the path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from runner.code.languages import language_of
from runner.roadmap.task import Task
from runner.text.patterns import lazy_pattern

# ruff: noqa: RUF001 (the marks of other languages are meant)


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

_BEFORE = lazy_pattern(
    rf"(?:{_NOT}\s+{_CHANGE}|{_FOREIGN})\s*:?\s*{_FILLER}{_LIST}[`\"'*(]*$", re.IGNORECASE
)
_AFTER = lazy_pattern(
    rf"^[`\"'*]*\s*{_ALREADY}(?:{_NOT}\s+(?:be\s+)?{_CHANGE}{_IT}{_END}|{_IS}{_AS_IT_IS}{_END}"
    rf"|(?:{_FOREIGN}){_END}|(?:{_FOREIGN_AFTER}))",
    re.IGNORECASE,
)
_KEEP_BEFORE = lazy_pattern(
    rf"(?:leave|keep|leaving|keeping)\s+{_FILLER}{_LIST}[`\"'*]*$", re.IGNORECASE
)
_KEEP_AFTER = lazy_pattern(
    rf"^[`\"'*]*\s*(?:{_AND}\s*{_PATH}\s*)*(?:exactly\s+|completely\s+)?{_AS_IT_IS}", re.IGNORECASE
)
_LISTED_AFTER = lazy_pattern(rf"^[`\"'*]*\s*(?:{_AND}\s*{_PATH}\s*)+")
_TESTS_LABEL = lazy_pattern(
    r"^[\s>*+-]*(?:\*\*|__)?(?:unit )?tests?(?: files?)?(?:\*\*|__)?\s*:", re.IGNORECASE
)


_FORMATTING = lazy_pattern(
    r"\b(?:re-?)?format(?:s|ted|ting)?\s+(?:(?:the|all|our|with|everything)\s+)*(?:code|files?"
    r"|sources?|imports?|modules?|project|repo\w*|everything|tests?|black|ruff|prettier|gofmt)\b"
    r"|\bformatt(?:ing|er)\b|white ?space|\bblank lines?\b|\bline[- ]?(?:end|break|length)|indent"
    r"|\b(?:trailing|leading|extra|double)\s+(?:spaces?|blanks?|newlines?)|\bnew ?lines?\s+at"
    r"|\btabs?\b.{0,20}\bspaces\b|\bCRLF\b|\bEOL\b|\blint|code style|\bpep ?-?8|\bblack\b|\bruff\b"
    r"|prettier|gofmt|flake8|pre-commit|tid(?:y|ied)|clean(?:ed)?[- ]?up|cosmetic|einr(?:ü|ue)ck"
    r"|leerze|sangr|отступ|пробел|空格|缩进|空白|インデント|들여쓰기|공백",
    re.IGNORECASE,
)
_PATH_WORD = lazy_pattern(r"[\w@.+-]*/[\w@./+-]+|\b[\w-]+\.[a-z][a-z0-9]{0,4}\b")
_CODE_NAME = lazy_pattern(
    r"`([^`\n]{1,120})`|(?<![\w.])(\w+(?:_\w+)+|[A-Za-z]+[a-z][A-Z]\w*|\w+(?=\(\)))"
)
_WORD = lazy_pattern(r"[^\W\d]\w*")
_ABOUT_TESTS = lazy_pattern(
    r"^\W*(?:(?:write|add|create|extend|improve|increase|implement|provide|expand|update|fix)\s+)?"
    r"(?:(?:a|an|the|more|new|missing|some|unit|integration|regression|property|e2e)\s+)*"
    r"tests?(?:\s+(?:cases?\s+)?(?:for|of|that|in|to|which|on|around|`)|\W*\Z)"
    r"|^\W*(?:tests?|cover)\s+[`\w]|\btest\s+coverage\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TaskWords:
    """A task's words. ``text`` is all that people wrote about it, headings and section included.

    ``about_tests`` says that tests are all it is to write.
    """

    text: str
    files: tuple[str, ...] = ()
    about_tests: bool = False

    @classmethod
    def of(cls, task: Task) -> TaskWords:
        """Read a task."""
        own = "\n".join((task.text, task.details, *task.acceptance))
        above = "\n".join(
            (task.place.label, task.place.section, *(each.text for each in task.place.headings))
        )
        return cls(f"{own}\n{above}", task.files, _ABOUT_TESTS.search(task.title) is not None)

    @cached_property
    def formatting(self) -> bool:
        """Whether it may be about blanks, line ends or style."""
        return _FORMATTING.search(self.text) is not None

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of code it mentions: words in code spans, and words that only code has."""
        spans = (first or second for first, second in _CODE_NAME.findall(self.text))
        return frozenset(name for span in spans for name in _WORD.findall(span))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word, in small letters."""
        return frozenset(word.lower() for word in _WORD.findall(self.text))

    @cached_property
    def prose(self) -> frozenset[str]:
        """Its words without those of code and paths, in small letters."""
        plain = _PATH_WORD.sub(" ", re.sub(r"`[^`\n]+`", " ", self.text))
        return frozenset(word.lower() for word in _WORD.findall(plain))

    def names_file(self, path: str) -> bool:
        """Whether it names the file: by its path, the end of it, its name, or a folder it is in."""
        name = path.rpartition("/")[2]
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)", self.text):
            return True
        return any(path.startswith(file) for file in self.files if file.endswith("/"))

    def mentions(self, *words: str) -> bool:
        """Whether a word of the task's prose begins with one of these (small letters)."""
        return any(word.startswith(words) for word in self.prose)

    def left_alone(self, paths: Collection[str]) -> frozenset[str]:
        """Return those of the ``paths`` that it says must not change."""
        return frozenset(path for path in paths if self._leaves(path))

    def _leaves(self, path: str) -> bool:
        return any(
            says_leave_alone(line[: found.start()], line[found.end() :])
            for line in self.text.split("\n")
            for found in re.finditer(rf"(?<![\w./-]){_ending(path)}(?![\w/-]|\.\w)", line)
        )


def _ending(path: str) -> str:
    """A pattern for the path or its file name."""
    folder, slash, name = path.rpartition("/")
    return f"(?:{re.escape(folder + slash)})?{re.escape(name)}"


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every identifier in the texts."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


Side = Literal["documentation", "change log", "legal", "CI", "settings", "leftover"]

GUIDANCE = lazy_pattern(
    r"(?:^|/)(?:CONTRIBUTING|AGENTS|CLAUDE|GEMINI|HACKING|DEVELOP(?:MENT|ING|ERS?)?"
    r"|PULL_REQUEST_TEMPLATE|copilot-instructions)\.(?:md|rst|txt|adoc)$|(?:^|/)(?:CONTRIBUTING|\.cursorrules)$",
    re.IGNORECASE,
)
"""Where projects say what a change has to include."""
_MOST_GUIDANCE = 6
MANIFEST = lazy_pattern(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.(?:txt|in)|Pipfile|go\.mod"
    r"|package\.json|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?)$"
)
"""Where a project names itself, its version and the packages it needs."""

_SIDES: tuple[tuple[Side, str], ...] = (
    ("leftover", r"^~|\.(?:log|tmp|bak|orig|rej|swp|pyc)$|(?:^|/)(?:\.DS_Store|nohup\.out)$"
                 r"|(?:^|/)(?:__pycache__|\.pytest_cache|\.mypy_cache|node_modules)/|^src/hello\.py$"),
    ("CI", r"^\.github/(?:workflows|actions)/|^\.(?:circleci|gitlab|buildkite|woodpecker)/"
           r"|(?:^|/)(?:\.gitlab-ci|\.travis|\.?appveyor|azure-pipelines|bitbucket-pipelines"
           r"|\.?codecov|dependabot|renovate)\.(?:ya?ml|json)$|(?:^|/)Jenkinsfile$"),
    ("settings", r"(?:^|/)\.(?:git(?:ignore|attributes)|editorconfig|flake8"
                 r"|pre-commit-config\.ya?ml|pylintrc|coveragerc|dockerignore|npmrc|nvmrc"
                 r"|python-version|tool-versions|readthedocs\.ya?ml|(?:prettier|eslint|stylelint|markdownlint|yamllint)[.\w]*)$"
                 r"|^\.(?:vscode|idea|devcontainer)/|^\.github/cairn\.yml$|^\.gitmodules$"
                 r"|(?:^|/)(?:(?:GNU)?Makefile|justfile|Taskfile\.ya?ml)$"
                 r"|(?:^|/)(?:ruff\.toml|mypy\.ini|pyrightconfig\.json|biome\.json)$"),
    ("change log", r"(?:^|/)(?:CHANGE[-_ ]?LOGS?|CHANGES|HISTORY|NEWS|RELEASE[-_ ]?NOTES?|RELEASES"
                   r"|UPGRADING|WHATSNEW)(?:\.\w{2,5})?$|(?:^|/)(?:changelog(?:\.d|s)?"
                   r"|newsfragments?|\.changes?(?:ets?)?|whatsnew|releasenotes)/"),
    ("legal", r"(?:^|/)(?:LICEN[SC]ES?|COPYING|NOTICE|AUTHORS|CONTRIBUTORS|MAINTAINERS|CODEOWNERS"
              r"|CODE_OF_CONDUCT|SECURITY|CITATION)(?:\.\w{2,5})?$"),
    ("documentation", r"(?:^|/)(?:README[.\w-]*|CONTRIBUTING[.\w]*|TODO[.\w]*)$"
                      r"|^(?:docs?|documentation|wiki|website|man)/|^[^/]+\.(?:md|rst|adoc|mdx)$"),
)  # fmt: skip
_PATTERNS = tuple((side, lazy_pattern(each, re.IGNORECASE)) for side, each in _SIDES)
_WORDS: dict[Side, tuple[str, ...]] = {
    "leftover": (),
    "CI": ("ci", "workflow", "pipeline", "actions", "travis", "github", "gitlab", "tox", "nox",
           "coverage", "codecov", "deploy", "publish", "python", "node", "drop", "support"),
    "settings": ("config", "setting", "ignor", "lint", "hook", "tool", "editor", "pre", "setup",
                 "ruff", "flake8", "mypy", "pyright", "eslint", "prettier", "formatter", "coverage",
                 "make", "build", "target"),
    "change log": ("changelog", "changes", "news", "history", "release", "version"),
    "legal": ("licen", "copyright", "author", "contribut", "maintainer", "credit",
              "legal", "security", "citation"),
    "documentation": ("document", "readme", "guide", "tutorial", "manual", "handbook",
                      "wiki", "typo", "spell", "wording", "grammar", "instruction", "anleitung",
                      "beschreib", "dokumentier", "sphinx", "mkdocs", "rst", "markdown", "website",
                      "readthedocs", "translat", "faq", "докум", "описа", "文档", "文檔", "说明",
                      "ドキュメント", "説明", "문서"),
}  # fmt: skip
_BEGINNING = ("scaffold", "skeleton", "bootstrap", "initiali", "boilerplate", "rebrand")
_VERSION = lazy_pattern(r"\bv\d{1,4}\.\d{1,4}|\b\d{1,4}\.\d{1,4}\.\d{1,4}\b")
_CJK = tuple(word for words in _WORDS.values() for word in words if ord(word[0]) > 0x2E80)
_RULE: dict[Side, re.Pattern[str]] = {
    "change log": lazy_pattern(r"change ?log|changes|release notes?|news|towncrier|history", re.I),
    "documentation": lazy_pattern(r"\bdoc(?:s|ument\w*)\b|readme", re.I),
    "legal": lazy_pattern(r"authors|contributors|licen[sc]e header", re.I),
}


def side_of(path: str) -> Side | None:
    """Return which kind of file beside the code a path is; None for any other file."""
    side = next((side for side, pattern in _PATTERNS if pattern.search(path)), None)
    is_code = language_of(path) not in ("", "html", "css") and not path.endswith("/conf.py")
    return None if side == "documentation" and is_code else side


def is_prose(path: str) -> bool:
    """Whether a file is for people to read: documentation, change logs."""
    return side_of(path) in ("documentation", "change log", "legal")


def guidance_among(paths: Mapping[str, object]) -> list[str]:
    """The paths of the project's rules for contributors, those nearest the root first."""
    found = (path for path in paths if GUIDANCE.search(path))
    return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_GUIDANCE]


def asked_for(path: str, side: Side, asked: TaskWords, guidance: Mapping[str, bytes]) -> bool:
    """Say whether the task or the project's rules want a file of this side changed."""
    if asked.names_file(path) or asked.mentions(*_BEGINNING):
        return True
    if side == "documentation" and any(side_of(named) == side for named in asked.files):
        return False  # it says which
    if asked.mentions(*_WORDS[side]) or (side == "documentation" and asked.prose & {"doc", "docs"}):
        return True
    if any(word in asked.text for word in _CJK) or re.search(r"\bset(?:ting)?[ -]up\b", asked.text):
        return True
    if side == "change log" and _VERSION.search(asked.text):
        return True
    rule = _RULE.get(side)
    advice = "\n".join(text.decode("utf-8", "replace") for text in guidance.values())
    return TaskWords(advice).names_file(path) or (
        rule is not None and rule.search(advice) is not None
    )
