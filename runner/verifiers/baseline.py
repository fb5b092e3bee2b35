"""Which failures a change set is to blame for."""

from __future__ import annotations

import re

from runner.findings import TestFailure, Verification

# an address, a time, a temporary folder: what differs between two runs of the same failure
_VARIES = re.compile(r"0x[0-9a-fA-F]+|\b\d+\.\d+s\b|/tmp/\S+|/workspace\S*")


def new_failures(after: Verification, before: Verification) -> tuple[TestFailure, ...]:
    """Return the failures of ``after`` that were not there ``before``.

    The same test must have failed with the same error: one that now fails otherwise is new.
    """
    known = {(failure.test, _said(failure)) for failure in before.failures}
    return tuple(f for f in after.failures if (f.test, _said(f)) not in known)


def _said(failure: TestFailure) -> str:
    """Error type and message without what varies from run to run."""
    first = failure.message.strip().split("\n", 1)[0]
    return _VARIES.sub("*", first)
