"""A repository of three projects in three languages, and answers to a task of each."""

from __future__ import annotations

from tests.scenarios.projects import answer

HALF = """\
pub fn half(n: i32) -> i32 {
    n / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(half(4), 2);
    }
}
"""
CONFIG = b"""\
projects:
  - {name: api, path: services/api, verify: [python -m pytest -q], model: gpt-6.2-sol}
  - name: web
    path: web
    verify: [npm test]
    setup: [echo ready > ready.txt]
    budget: {tokens_per_task: 90000}
  - {name: cli, path: tools/cli, verify: [cargo test]}
"""
API_PLAN = b"# Roadmap\n\n- [ ] 1.1 Add `shop/double.py` with `double(n)`, and its tests\n"
WEB_PLAN = b"# Roadmap\n\n- [ ] 1.1 Let `half` in `half.js` round down (depends on api#1.1)\n"
FILES = {
    ".github/cairn.yml": CONFIG,
    "tools/cli/ROADMAP.md": b"- [ ] 1.1 Add `double(n)` to `src/lib.rs`, with a test\n",
    "tools/cli/Cargo.toml": b'[package]\nname = "cli"\nversion = "0.1.0"\nedition = "2021"\n',
    "tools/cli/Cargo.lock": b'version = 3\n\n[[package]]\nname = "cli"\nversion = "0.1.0"\n',
    "tools/cli/src/lib.rs": HALF.encode(),
    "README.md": b"# A shop\n",
    "services/api/ROADMAP.md": API_PLAN,
    "services/api/pyproject.toml": b'[project]\nname = "api"\nversion = "1"\n',
    "services/api/shop/__init__.py": b"",
    "services/api/tests/test_shop.py": b"import shop\n\n\ndef test_shop():\n    assert shop\n",
    "web/ROADMAP.md": WEB_PLAN,
    "web/package.json": b'{"name": "web", "scripts": {"test": "node --test"}}\n',
    "web/half.js": b"exports.half = (n) => n / 2;\n",
    "web/test/half.test.js": b"const { half } = require('../half');\n"
    b"test = require('node:test');\n"
    b"test('half', () => require('node:assert').equal(half(4), 2));\n",
}
DOUBLE = answer(
    {
        "services/api/shop/double.py": "def double(n):\n    return n * 2\n",
        "services/api/tests/test_double.py": "from shop.double import double\n\n\n"
        "def test_double():\n    assert double(4) == 8\n",
    }
)
FLOOR = answer(
    {
        "web/half.js": "exports.half = (n) => Math.floor(n / 2);\n",
        "web/test/floor.test.js": "const { half } = require('../half');\n"
        "const test = require('node:test');\n"
        "test('floor', () => require('node:assert').equal(half(5), 2));\n",
    }
)
TWICE = answer(
    {
        "tools/cli/src/lib.rs": "pub fn double(n: i32) -> i32 {\n    n * 2\n}\n\n"
        + HALF.replace(
            "    #[test]",
            "    #[test]\n    fn doubles() {\n"
            "        assert_eq!(double(4), 8);\n    }\n\n    #[test]",
        )
    }
)
