"""Patterns that are compiled late are patterns like any other."""

from __future__ import annotations

import re
import sys

import runner.nodes
import runner.roadmap.lint  # noqa: F401
from runner.text.patterns import LazyPattern, lazy_pattern


def test_it_does_what_a_compiled_one_does():
    """Every method, its source and its flags are those of ``re.compile``."""
    late, now = lazy_pattern(r"(a)(b?)", re.IGNORECASE), re.compile(r"(a)(b?)", re.IGNORECASE)

    assert late.findall("abAa") == now.findall("abAa")
    assert late.sub("-", "xabx") == now.sub("-", "xabx")
    assert late.split("1ab2") == now.split("1ab2")
    assert (late.pattern, late.flags, late.groups) == (now.pattern, now.flags, now.groups)
    assert [found[0] for found in late.finditer("ab A")] == ["ab", "A"]
    assert late.fullmatch("abc") is None
    assert lazy_pattern(rb"\d").search(b"a1") is not None


def test_every_late_pattern_compiles():
    """A mistake in one is found here, not when a run first needs it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("runner.")]
    late = [
        value for module in modules for value in vars(module).values() if type(value) is LazyPattern
    ]

    assert len(late) > 50
    assert all(each.groups >= 0 for each in late)
