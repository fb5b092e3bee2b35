"""Checks after writing: what the sandbox says about the materialised tree."""

from runner.verify.commands import COMMAND, Commands, tools_of
from runner.verify.project import Mode, run_again, run_tests, start_tests, verify
from runner.verify.tools.python import CONFIGURATION

__all__ = [
    "COMMAND",
    "CONFIGURATION",
    "Commands",
    "Mode",
    "run_again",
    "run_tests",
    "start_tests",
    "tools_of",
    "verify",
]
