"""What people read of the bench; the texts are in ``templates/``."""

from __future__ import annotations

from app.texts import APP
from runner.people.texts import Texts, environment

bench_texts = Texts(environment("app.bench", APP), "bench")
