"""Checks after writing: what the sandbox says about the materialised tree."""

from runner.verifiers.baseline import new_failures
from runner.verifiers.detect import CONFIGURATION
from runner.verifiers.project import Mode, verify

__all__ = ["CONFIGURATION", "Mode", "new_failures", "verify"]
