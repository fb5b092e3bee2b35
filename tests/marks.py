"""Marks that several files use."""

import pytest

MORE = pytest.mark.nightly("a conversation more about the same")
OUTSIDE = pytest.mark.nightly("a case of somebody who had not read the code")
