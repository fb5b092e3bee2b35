"""What a measure found, as one line for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What a number is held against in the same run: another program, or what the machine can do.

    ``value`` has the unit of the number it stands beside.
    """

    what: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One number. ``ok`` is whether it reaches its ``goal`` (None: there is none to reach)."""

    what: str
    value: float
    unit: str
    peer: Peer | None = None
    goal: str = ""
    ok: bool | None = None

    @property
    def ratio(self) -> float | None:
        """Our number over the peer's."""
        return self.value / self.peer.value if self.peer and self.peer.value else None

    def __str__(self) -> str:
        parts = [f"{self.what}: {self.value:.4g} {self.unit}"]
        if self.peer and self.ratio is not None:
            parts.append(f"{self.peer.what}: {self.peer.value:.4g} {self.unit}")
            parts.append(f"ratio {self.ratio:.3g}")
        if self.goal:
            parts.append(f"goal {self.goal}")
        if self.ok is not None:
            parts.append("ok" if self.ok else "MISSED")
        return " | ".join(parts)


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """Why something could not be measured here."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: not measured, {self.why}"


Line = Finding | Unmeasured
