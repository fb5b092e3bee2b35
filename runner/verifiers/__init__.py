"""Checks after writing: what the sandbox says about the materialised tree."""

from runner.verifiers.all_tools import tools_of
from runner.verifiers.commands import COMMAND, Commands
from runner.verifiers.detect import CONFIGURATION
from runner.verifiers.project import Mode, run_again, run_tests, verify

__all__ = [
    "COMMAND",
    "CONFIGURATION",
    "Commands",
    "Mode",
    "run_again",
    "run_tests",
    "tools_of",
    "verify",
]
