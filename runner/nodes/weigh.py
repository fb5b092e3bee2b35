"""Weigh what the tests say: with what they said before the change, and by who uses what changed.

Old tests that fail are run again: one that passes then is flaky, and named so.
