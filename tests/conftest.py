"""How many examples the properties try; none of them has a limit of time.

``HYPOTHESIS_PROFILE=thorough`` looks longer, for whoever changes what a property is about.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
