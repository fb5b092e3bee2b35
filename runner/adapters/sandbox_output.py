"""What is kept of a command's output: its beginning and its end, never more than a limit."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class BoundedOutput:
    """The first and last bytes of a stream, ``limit`` bytes in all; the middle is dropped.

    Both ends matter: a compiler's first error stands at the top, a test run's sum at the bottom.
    """

    limit: int
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)
    _seen: int = 0

    @property
    def seen(self) -> int:
        """How many bytes came, kept or not."""
        return self._seen

    @property
    def truncated(self) -> bool:
        """Whether something was dropped."""
        return self._seen > self.limit

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._seen += len(data)
        room = self.limit // 2 - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        # dropped in large steps, for each one moves what is kept
        if len(self._tail) > 2 * self.limit:
            del self._tail[: -self._tail_limit]

    def value(self) -> bytes:
        """Return what is kept; where the middle is missing, a line says how much."""
        if not self.truncated:
            return bytes(self._head + self._tail)
        note = b"\n[... %d bytes are left out here ...]\n" % (self._seen - self.limit)
        return bytes(self._head + note + self._tail[-self._tail_limit :])

    @property
    def _tail_limit(self) -> int:
        return self.limit - self.limit // 2
