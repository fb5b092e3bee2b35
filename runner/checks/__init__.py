"""Checks before anything is written: pure, in milliseconds, with exact line and column."""

from runner.checks.auto_repair import auto_repair
from runner.checks.destructive import Destructive, destructive, log_line
from runner.checks.paths import DEFAULT_PROTECT, protect_file
from runner.checks.tests_kept import weakened_tests
from runner.checks.validate import Limits, syntax_complaint, validate

__all__ = [
    "DEFAULT_PROTECT",
    "Destructive",
    "Limits",
    "auto_repair",
    "destructive",
    "log_line",
    "protect_file",
    "syntax_complaint",
    "validate",
    "weakened_tests",
]
