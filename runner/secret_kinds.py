"""What a secret looks like: the detectors of detect-secrets that seldom err, and newer tokens.

Its entropy detectors are left out (they take hashes and identifiers for secrets), and nothing is
asked of a network. https://github.com/Yelp/detect-secrets
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

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
    ("GitHub Token", re.compile(r"github_pat_\w{22,}|gh[pousr]_[A-Za-z0-9_.=-]{36,}")),
    ("OpenAI Token", re.compile(r"\bsk-(?:proj|svcacct|admin)-[\w-]{40,}")),
    ("Anthropic API Key", re.compile(r"\bsk-ant-[\w-]{40,}")),
    ("Google API Key", re.compile(r"\bAIza[\w-]{35}")),
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
_PLACEHOLDER = re.compile(
    r"example|placeholder|change.?me|change.?this|your|x{3,}|dummy|fake|sample|todo|insert|replace"
    r"|redacted|\*{3}|\.{3}|test|foo|bar|mock|none|null|undefined|password|passwd|secret|hunter2"
    r"|default|user:|:pass|<|>|\{|\}|%\(|%s",
    re.IGNORECASE,
)
_KEY_BODY = re.compile(r"(?:\s|\\n|[\"'+,;-]|[A-Za-z-]+: .*){0,40}[A-Za-z0-9+/=]{40}")
_WORDS = re.compile(r"[a-z]+(?:[-_. ][a-z]+)*\d?|[\w.-]+(?:/[\w.-]+)+|\w+\.\w[\w.]*", re.IGNORECASE)
_ADDRESS = re.compile(r"://[^\s/@]{1,200}@")
_TWILIO = re.compile(r"(?:AC|SK)[a-z0-9]{32}")


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
        more = (
            {"denylist_regex_to_group": _unquoted()} if unquoted and _is_keyword(detector) else {}
        )
        for value in detector.analyze_string(line, **more):
            if isinstance(value, str):
                yield str(detector.secret_type), value


def secrets_in(line: str, *, rest: str = "", unquoted: bool = False) -> Iterator[tuple[str, str]]:
    """Yield kind and value of the secrets in a line; placeholders and references are none.

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
    """Whether a value has letters and digits and no blank: sentences and names are no secrets."""
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


def _is_keyword(detector: Any) -> bool:
    return type(detector).__name__ == "KeywordDetector"


@cache
def _unquoted() -> Any:
    return importlib.import_module("detect_secrets.plugins.keyword").CONFIG_DENYLIST_REGEX_TO_GROUP
