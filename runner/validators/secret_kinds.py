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
_TWILIO = re.compile(r"(?:AC|SK)[a-z0-9]{32}")


def has_trigger(text: str) -> bool:
    """Whether a text can hold a secret at all."""
    lower = text.lower()
    if any(trigger in lower for trigger in _TRIGGERS) or ("://" in lower and "@" in lower):
        return True
    return _TWILIO.search(text) is not None


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


def is_reference(value: str, line: str, kind: str) -> bool:
    """Whether a value is a template, a name, a sequence or a call, and not a secret itself."""
    heuristic = importlib.import_module("detect_secrets.filters.heuristic")
    tests = (
        heuristic.is_templated_secret, heuristic.is_prefixed_with_dollar_sign,
        heuristic.is_sequential_string, heuristic.is_not_alphanumeric_string,
    )  # fmt: skip
    if kind == "Private Key":
        return False
    if any(test(value) for test in tests):
        return True
    return kind == "Secret Keyword" and bool(heuristic.is_indirect_reference(line))


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
