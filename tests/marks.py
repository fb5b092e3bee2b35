"""Marks that several files use."""

import pytest

MORE = pytest.mark.long("a conversation more about the same")
