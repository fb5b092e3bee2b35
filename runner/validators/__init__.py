"""Checks before anything is written: pure, in milliseconds, with exact line and column."""

from runner.validators.destructive import Destructive, destructive, log_line
from runner.validators.limits import Limits
from runner.validators.mend import mend
from runner.validators.protected import DEFAULT_PROTECT, protect_file
from runner.validators.tests_kept import weakened_tests
from runner.validators.validate import syntax_complaint, validate

__all__ = [
    "DEFAULT_PROTECT",
    "Destructive",
    "Limits",
    "destructive",
    "log_line",
    "mend",
    "protect_file",
    "syntax_complaint",
    "validate",
    "weakened_tests",
]
