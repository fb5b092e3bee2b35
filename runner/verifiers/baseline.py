"""Which failures a change set is to blame for."""

from __future__ import annotations

from runner.findings import TestFailure, Verification


def new_failures(after: Verification, before: Verification) -> tuple[TestFailure, ...]:
    """Return the failures of ``after`` whose test did not fail in ``before``, by test id."""
    known = {failure.test for failure in before.failures}
    return tuple(failure for failure in after.failures if failure.test not in known)
