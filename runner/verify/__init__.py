"""Checks after writing: what the sandbox says about the materialised tree."""

from runner.verify.commands import COMMAND, PATIENT, TOOLS, Commands
from runner.verify.project import Mode, run_again, run_tests, start_tests, verify
from runner.verify.projects import (
    concerned,
    configuration,
    is_pytest,
    node_of,
    pytest_of,
    running,
    tools_of,
)

__all__ = [
    "COMMAND",
    "PATIENT",
    "TOOLS",
    "Commands",
    "Mode",
    "concerned",
    "configuration",
    "is_pytest",
    "node_of",
    "pytest_of",
    "run_again",
    "run_tests",
    "running",
    "start_tests",
    "tools_of",
    "verify",
]
