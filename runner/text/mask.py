"""Hide secrets in what leaves the program.

This mask is used for everything that is sent to GitHub and to the model, for a sandbox's output,
and for what is logged, stored and shown. It finds what this process knows to be secret by value,
and well-known secrets by their form. Files that hold secrets, recognised by name, are never shown
to a model. The entropy detectors of detect-secrets are left out, because they take hashes and
identifiers for secrets. https://github.com/Yelp/detect-secrets
"""

from __future__ import annotations

import importlib
import json
import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from runner.text.patterns import lazy_pattern

_PLUGINS = {
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "basic_auth": "BasicAuthDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "jwt": "JwtTokenDetector",
    "keyword": "KeywordDetector",
    "mailchimp": "MailchimpDetector",
    "npm": "NpmDetector",
    "openai": "OpenAIDetector",
    "private_key": "PrivateKeyDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "twilio": "TwilioKeyDetector",
}
_NEWER = (
    ("GitHub Token", lazy_pattern(r"github_pat_\w{22,}|gh[pousr]_[A-Za-z0-9_.=-]{36,}")),
    ("OpenAI Token", lazy_pattern(r"\bsk-(?:proj|svcacct|admin)-[\w-]{40,}")),
    ("Anthropic API Key", lazy_pattern(r"\bsk-ant-[\w-]{40,}")),
    ("Google API Key", lazy_pattern(r"\bAIza[\w-]{35}")),
)
# what a line must have one of for any of them to be asked: most lines have none
_HOLDERS = ("api", "auth", "service", "account", "db", "database", "priv", "private", "client")
_TRIGGERS = (
    *(f"{holder}{joint}key" for holder in _HOLDERS for joint in ("", "_")),
    *("passw", "dbpass", "db_pass", "database_pass", "databasepass", "keypass", "key_pass", "pwd"),
    *("secret", "contrase", "aws", "a3t", "abia", "acca", "akia", "asia", "ghp_", "gho_", "ghu_"),
    *("ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-"),
    *("glimt-", "glptt-", "glagent-", "gloas-", "gr1348", "eyj", "-us", "sk-", "begin ", "pypi-"),
    *("putty-user", "sg.", "xox", "hooks.slack", "sq0csp", "k_live_", "aiza"),
)
PRIVATE_KEY, KEYWORD, BASIC_AUTH = "Private Key", "Secret Keyword", "Basic Auth Credentials"
_WINDOW, _OVERLAP = 1_000, 200
_PLACEHOLDER = lazy_pattern(
    r"example|placeholder|change.?me|change.?this|your|x{3,}|dummy|fake|sample|todo|insert|replace"
    r"|redacted|\*{3}|\.{3}|test|foo|bar|mock|none|null|undefined|password|passwd|secret|hunter2"
    r"|default|user:|:pass|<|>|\{|\}|%\(|%s",
    re.IGNORECASE,
)
_KEY_BODY = lazy_pattern(r"(?:\s|\\n|[\"'+,;-]|[A-Za-z-]+: .*){0,40}[A-Za-z0-9+/=]{40}")
_WORDS = lazy_pattern(
    r"[a-z]+(?:[-_. ][a-z]+)*\d?|[\w.-]+(?:/[\w.-]+)+|\w+\.\w[\w.]*", re.IGNORECASE
)
_ADDRESS = lazy_pattern(r"://[^\s/@]{1,200}@")
_TWILIO = lazy_pattern(r"(?:AC|SK)[a-z0-9]{32}")


def has_trigger(text: str) -> bool:
    """Whether a text can hold a secret at all."""
    lower = text.lower()
    if any(trigger in lower for trigger in _TRIGGERS) or ("://" in lower and "@" in lower):
        return True
    return _TWILIO.search(text) is not None


def lines_with_trigger(text: str) -> list[tuple[int, int]]:
    """Return start and end of the lines that can hold a secret, in order.

    Quicker than asking about each line: a large output is gone through a few times, in C.
    """
    lower, starts = text.lower(), set[int]()
    if len(lower) != len(text):  # some letters have a longer lower case
        lower = text
    for trigger in _TRIGGERS:
        at = lower.find(trigger)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            end = lower.find("\n", at)
            at = lower.find(trigger, end) if end >= 0 else -1
    for pattern in (_ADDRESS, _TWILIO):
        starts |= {text.rfind("\n", 0, match.start()) + 1 for match in pattern.finditer(text)}
    ends = ((start, text.find("\n", start)) for start in sorted(starts))
    return [(start, end if end >= 0 else len(text)) for start, end in ends]


def found_in(line: str, *, unquoted: bool = False) -> Iterator[tuple[str, str]]:
    """Yield kind and value of what looks like a secret; ``unquoted`` for ``KEY=value`` files."""
    for kind, pattern in _NEWER:
        for match in pattern.finditer(line):
            yield kind, match[0]
    for detector in _detectors():
        is_keyword = type(detector).__name__ == "KeywordDetector"
        more = {"denylist_regex_to_group": _unquoted()} if unquoted and is_keyword else {}
        for value in detector.analyze_string(line, **more):
            if isinstance(value, str):
                yield str(detector.secret_type), value


def secrets_in(line: str, *, rest: str = "", unquoted: bool = False) -> Iterator[tuple[str, str]]:
    """Yield kind and value of the secrets in a line; placeholders and references are not secrets.

    ``rest`` is the text from the line on: the marker of a private key counts with its body only.
    """
    for at in range(0, max(len(line), 1), _WINDOW - _OVERLAP):
        window = line[at : at + _WINDOW]
        if not has_trigger(window):
            continue
        for kind, value in found_in(window, unquoted=unquoted):
            if _is_secret(kind, value, window, rest):
                yield kind, value


def is_certain(kind: str, value: str) -> bool:
    """Whether a secret may be hidden unasked: ``scott:tiger@`` of an example may not."""
    return kind != BASIC_AUTH or (len(value) >= 8 and _is_mixed(value))


def _is_secret(kind: str, value: str, line: str, rest: str) -> bool:
    if kind == PRIVATE_KEY:
        _, _, body = rest.partition(value)
        return _KEY_BODY.match(body.lstrip("-")) is not None
    if _PLACEHOLDER.search(value) or _is_reference(value, line, kind):
        return False
    if kind == KEYWORD:
        return 6 <= len(value) <= 200 and not _WORDS.fullmatch(value) and _is_mixed(value)
    return len(set(value)) > 7 or kind == BASIC_AUTH


def _is_mixed(value: str) -> bool:
    """Whether a value has letters and digits and no blank: sentences and names are not secrets."""
    return not re.search(r"\s|^[/.~]|:/|/\\w+/|\(", value) and bool(
        re.search(r"[A-Za-z]", value) and re.search(r"[0-9]", value)
    )


def _is_reference(value: str, line: str, kind: str) -> bool:
    """Whether a value is a template, a name, a sequence or a call, and not a secret itself."""
    heuristic = importlib.import_module("detect_secrets.filters.heuristic")
    tests = (
        heuristic.is_templated_secret, heuristic.is_prefixed_with_dollar_sign,
        heuristic.is_sequential_string, heuristic.is_not_alphanumeric_string,
    )  # fmt: skip
    if any(test(value) for test in tests):
        return True
    return kind == KEYWORD and bool(heuristic.is_indirect_reference(line))


@cache
def _detectors() -> tuple[Any, ...]:
    """Load the detectors when the first line is worth a look (a tenth of a second)."""
    modules = {name: importlib.import_module(f"detect_secrets.plugins.{name}") for name in _PLUGINS}
    return tuple(getattr(modules[name], detector)() for name, detector in _PLUGINS.items())


@cache
def _unquoted() -> Any:
    return importlib.import_module("detect_secrets.plugins.keyword").CONFIG_DENYLIST_REGEX_TO_GROUP


HIDDEN = "***"

Spans = list[tuple[int, int]]

_SHORTEST = 6
_MOST_LEARNED = 1_000
_MOST_JUDGED = 60_000
"""Characters that are looked at closely at either end: a hostile output must not take minutes."""

# What may stand between the lines of a key: line ends (also escaped ones), quotes, what test tools
# and diffs write in front of a line, and header lines (RFC 1421). Nothing is tried twice (``?>``:
# ``++`` of a group takes too much before Python 3.11.5, github.com/python/cpython/issues/106052).
_BETWEEN = (
    r"(?>(?:\s|\\{1,4}[nr]|[\"'`+,;:>|#*()]|-(?!----)|\bE\b"
    r"|[A-Za-z-]{3,20}: [^\n\\]{0,80}){0,60})"
)
_LINES = rf"(?>(?:{_BETWEEN}[A-Za-z0-9+/]{{16,}}+={{0,2}})+)"
_BEGIN, _END = (rf"-----{w} [A-Z0-9 ]{{0,20}}PRIVATE KEY(?: BLOCK)?-----" for w in ("BEGIN", "END"))
_KEY = lazy_pattern(
    # a marker alone is code that looks for keys; the last line of a key may be short
    rf"{_BEGIN}(?:{_LINES}(?:{_BETWEEN}[A-Za-z0-9+/]{{1,15}}={{0,2}})?{_BETWEEN}{_END}"
    rf"|(?={_BETWEEN}[A-Za-z0-9+/=]{{40}})(?:(?:(?!-----).){{0,20000}}{_END}|{_LINES}))",
    re.DOTALL,
)
# Installation tokens have dots and about 500 characters since 2026 (GitHub changelog 2026-05-15).
# Names of CSS classes begin with sk-, too; they have few digits.
_TOKENS = lazy_pattern(
    r"gh[pousr]_[A-Za-z0-9_.=-]{16,}|github_pat_\w{20,}"
    r"|\bsk-(?:proj|svcacct|admin|ant)-[A-Za-z0-9_-]{16,}"
    r"|\bsk-(?=(?:[A-Za-z_-]{0,40}[0-9]){3})[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"
    r"|(?i:authorization)['\"]?\s*[:=]\s*['\"]?(?i:bearer|basic|token)\s+"
    r"(?P<credential>(?=(?:[A-Za-z._~+/=-]{0,40}[0-9]){3})[A-Za-z0-9._~+/=-]{20,})"
)
_STARTS = (*(f"gh{kind}_" for kind in "pousr"), "github_pat_", "sk-", "eyj", "authorization")
_ASSIGNED = lazy_pattern(r"\s*(?:export )?[A-Z][A-Z0-9_]*=\S+\s*")


class Mask:
    """Hides these secrets, and whatever looks like one, in a text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known = tuple(sorted({f for s in secrets for f in _forms(s)}, key=len, reverse=True))
        self._learned: dict[str, None] = {}

    def learn(self, secret: str) -> None:
        """Hide this value from now on, too; the oldest of very many are forgotten."""
        if len(secret) >= _SHORTEST:
            self._learned |= dict.fromkeys((secret, *_encoded(secret)))
        while len(self._learned) > _MOST_LEARNED:
            del self._learned[next(iter(self._learned))]

    def __call__(self, text: str) -> str:
        """Return the text with ``HIDDEN`` instead of every secret."""
        return _covered(text, self.spans(text))

    def values(self, text: str) -> str:
        """Return the text without the secrets that are known by value.

        For what must stay exact: no form is judged, so no code can be taken for a secret.
        """
        return _covered(text, _merged(self._values(text)))

    def spans(self, text: str) -> Spans:
        """Return the places of secrets, in order; those that touch or overlap are one."""
        found = [match.span() for match in _KEY.finditer(text)]
        found += self._values(text)
        lower = text.lower()
        if any(start in lower for start in _STARTS):  # most texts have none
            tokens = _TOKENS.finditer(text)
            found += (m.span("credential" if m["credential"] else 0) for m in tokens)
        found += _judged(text)
        return _merged(found)

    def _values(self, text: str) -> Iterator[tuple[int, int]]:
        for secret in filter(text.__contains__, (*self._known, *self._learned)):
            yield from _places(text, secret)


def masked(value: Any, mask: Callable[[str], str]) -> Any:
    """Return a JSON value in which every text is masked; keys stay as they are."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: masked(inner, mask) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(inner, mask) for inner in value]
    return value


def masked_json(text: str, mask: Callable[[str], str]) -> str:
    """Return a text in JSON as ``masked`` leaves its value."""
    return json.dumps(masked(json.loads(text), mask), ensure_ascii=False)


def hidden_lines(text: str, spans: Spans) -> dict[str, str]:
    """Return each line of the masked text that hides something, with its real text.

    A block is one line when masked, and really many.
    """
    found: dict[str, str] = {}
    group = Spans()
    for span in spans:
        if group and "\n" in text[group[-1][1] : span[0]]:
            found |= _line(text, group)
            group = []
        group.append(span)
    return found | _line(text, group) if group else found


def _line(text: str, group: Spans) -> dict[str, str]:
    """The complete line, or lines, around spans that share one once they are masked."""
    start = text.rfind("\n", 0, group[0][0]) + 1
    end = text.find("\n", group[-1][1])
    truth = text[start : end if end >= 0 else len(text)]
    return {_covered(truth, [(a - start, b - start) for a, b in group]): truth}


def _forms(secret: str) -> Iterator[str]:
    """A secret as it may appear: complete, one line of it, escaped as in JSON, as in an address."""
    secret = secret.strip()
    if "://" in secret:  # of an address (of a database) the password is secret, if there is one
        password = urlsplit(secret).password or ""
        forms = {password, unquote(password)}
    else:
        lines = {line.strip() for line in secret.split("\n")}
        forms = {secret, secret.replace("\n", "\\n")}
        forms |= {line for line in lines if not line.startswith("-----")}
    quoted = {quote(form, safe=kept) for form in forms for kept in ("", "/")}
    yield from (form for form in forms | quoted if len(form) >= _SHORTEST)
    yield from (code for form in forms if len(form) >= 2 * _SHORTEST for code in _encoded(form))


def _encoded(secret: str) -> Iterator[str]:
    """A secret in hexadecimal and in base64, wherever in the encoded bytes it begins."""
    value = secret.encode("utf-8", "surrogateescape")
    yield from (value.hex(), value.hex().upper())
    for before in range(3):  # three bytes are four characters; those shared with neighbours go
        first, last = math.ceil(before * 4 / 3), (before + len(value)) * 4 // 3
        code = b64encode(bytes(before) + value).decode()[first:last]
        yield from (code, code.replace("+", "-").replace("/", "_"))


def _judged(text: str) -> Iterator[tuple[int, int]]:
    """Where the detectors find secrets, in the lines that can hold any."""
    lines = lines_with_trigger(text)
    for start, end in sorted({*_first(lines), *_first(lines[::-1])}):
        line = text[start:end]
        unquoted = _ASSIGNED.fullmatch(line) is not None
        for kind, value in secrets_in(line, unquoted=unquoted):
            if kind != PRIVATE_KEY and is_certain(kind, value):
                yield from ((start + a, start + b) for a, b in _places(line, value))


def _first(lines: Spans) -> Iterator[tuple[int, int]]:
    room = _MOST_JUDGED
    for start, end in lines:
        if room <= 0:
            return
        yield start, min(end, start + room)
        room -= end - start


def _places(text: str, value: str) -> Iterator[tuple[int, int]]:
    at = text.find(value)
    while at >= 0:
        yield at, at + len(value)
        at = text.find(value, at + len(value))


def _merged(spans: Iterable[tuple[int, int]]) -> Spans:
    merged = Spans()
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _covered(text: str, spans: Spans) -> str:
    if not spans:
        return text
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], HIDDEN]
        at = end
    return "".join((*parts, text[at:]))


NOT_SHOWN = "[This file may hold secrets. It is not shown.]"

_EXAMPLE = lazy_pattern(
    r"(?:^|[._-])(?:example|sample|template|tmpl|tpl|dist|defaults?)(?:[._-]|$)", re.IGNORECASE
)
_NAMES = (
    r"\.env(?:\..+|rc)?|.+\.env",
    # keys and certificates with their keys
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.+\.(?:pem|key|ppk|p8|p12|pfx|jks|keystore|kdbx)",
    # what programs log in with
    r"[._]netrc|\.pgpass|\.my\.cnf|\.pypirc|\.npmrc|\.yarnrc|\.git-credentials|\.htpasswd"
    r"|\.dockercfg|\.boto|\.s3cfg|\.vault[-_]?pass(?:word)?|\.terraformrc",
    r"(?:.+[._-])?kubeconfig(?:\.(?:ya?ml|json))?|.+\.(?:tfvars|tfstate)(?:\.(?:json|backup))?",
    r"(?:aws[._-]|gcloud[._-]|google[._-]|application_default_)?credentials(?:\.(?:json|ya?ml|ini|csv))?",
    r"(?:.+[._-])?service[-_]?account(?:[._-].+)?\.json|client[-_]secrets?(?:[._-].+)?\.json",
    r"(?:.+[._-])?secrets?\.(?:json|ya?ml|toml|ini|properties)",
)
_SECRET = lazy_pattern("|".join(_NAMES), re.IGNORECASE)
_FOLDERS = lazy_pattern(r"(?:^|/)\.(?:aws/|kube/config$|docker/config\.json$|gnupg/|ssh/)")
# a public half, and what ssh knows of others
_PUBLIC = lazy_pattern(r"\.pub$|(?:^|/)(?:known_hosts|authorized_keys)$", re.IGNORECASE)


def is_secret_file(path: str) -> bool:
    """Say whether a path names a file that may hold secrets."""
    name = path.rpartition("/")[2]
    if _EXAMPLE.search(name) or _PUBLIC.search(path):
        return False
    return _SECRET.fullmatch(name) is not None or _FOLDERS.search(path) is not None
