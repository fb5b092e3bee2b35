"""Files that hold secrets, told by their names: they are never shown to a model.

Examples and templates of them may be shown. What other files hold is masked value by value.
"""

from __future__ import annotations

import re

NOT_SHOWN = "[This file may hold secrets. It is not shown.]"

_EXAMPLE = re.compile(
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
_SECRET = re.compile("|".join(_NAMES), re.IGNORECASE)
_FOLDERS = re.compile(r"(?:^|/)\.(?:aws/|kube/config$|docker/config\.json$|gnupg/|ssh/)")
# a public half, and what ssh knows of others
_PUBLIC = re.compile(r"\.pub$|(?:^|/)(?:known_hosts|authorized_keys)$", re.IGNORECASE)


def is_secret_file(path: str) -> bool:
    """Say whether a path names a file that may hold secrets."""
    name = path.rpartition("/")[2]
    if _EXAMPLE.search(name) or _PUBLIC.search(path):
        return False
    return _SECRET.fullmatch(name) is not None or _FOLDERS.search(path) is not None
