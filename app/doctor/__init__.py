"""``cairn doctor``: looks at everything a run or the server needs, and says what to do."""
