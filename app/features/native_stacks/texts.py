"""What people read of this feature; the texts are in ``templates/``."""

from __future__ import annotations

from handlers.texts import HANDLERS
from runner.people.texts import Texts, environment

native_texts = Texts(environment("app.features.native_stacks", HANDLERS), "native")
