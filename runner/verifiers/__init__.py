"""Checks after writing: what the sandbox says about the materialised tree."""

from runner.verifiers.all_tools import tools_of
from runner.verifiers.baseline import new_failures
from runner.verifiers.commands import Commands
from runner.verifiers.detect import CONFIGURATION
from runner.verifiers.project import Mode, run_again, verify

__all__ = ["CONFIGURATION", "Commands", "Mode", "new_failures", "run_again", "tools_of", "verify"]
