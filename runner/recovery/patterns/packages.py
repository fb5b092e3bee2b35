"""What a package is called where it is imported and where it is installed."""

from __future__ import annotations

import re
from collections.abc import Mapping

_INSTALLED_AS = {
    "yaml": "PyYAML",
    "PIL": "Pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "dotenv": "python-dotenv",
    "dateutil": "python-dateutil",
    "jwt": "PyJWT",
    "jose": "python-jose",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "Crypto": "pycryptodome",
    "attr": "attrs",
    "docx": "python-docx",
    "magic": "python-magic",
    "MySQLdb": "mysqlclient",
}


def installed_as(name: str) -> str:
    """The name a package is installed under, as far as it is another one."""
    return _INSTALLED_AS.get(name, name)


def listing(manifests: Mapping[str, str], name: str) -> str:
    """Return the manifest that lists a package, '' when none does."""
    names = {_plain(name), _plain(installed_as(name))}
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(each)}(?![\w-])" for each in names))
    return next((path for path, text in manifests.items() if pattern.search(_plain(text))), "")


def _plain(text: str) -> str:
    """https://packaging.python.org/en/latest/specifications/name-normalization/ ."""
    return re.sub(r"[_.]+", "-", text).lower()
