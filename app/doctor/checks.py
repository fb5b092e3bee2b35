"""The checks, in the order they are made and shown."""

from __future__ import annotations

from app.doctor import github, place, work
from app.doctor.values import Check

REACHED, KEY = "GitHub", "App key"

CHECKS: tuple[Check, ...] = (
    Check("configuration", place.configuration),
    Check("git", place.git),
    Check("roadmap", place.roadmap, needs=("configuration", "git")),
    Check("model endpoint", work.model, seconds=60),
    Check("sandbox", work.sandbox, seconds=120),
    Check("data folder", work.data_folder),
    Check("database", work.database, seconds=45, needs=("data folder",)),
    Check(REACHED, github.reached, seconds=30),
    Check("clock", github.clock, seconds=30, needs=(REACHED,)),
    Check(KEY, github.key, seconds=30, needs=(REACHED,)),
    Check("permissions", github.permissions, needs=(REACHED, KEY)),
    Check("events", github.events, needs=(REACHED, KEY)),
    Check("webhook", github.webhook, needs=(REACHED, KEY)),
    Check("installations", github.installations, needs=(REACHED, KEY)),
    Check("rate limit", github.rate_limit, needs=(REACHED, KEY)),
    Check("deliveries", github.deliveries, needs=(REACHED, KEY)),
)
