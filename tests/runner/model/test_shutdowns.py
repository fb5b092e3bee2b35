"""Models that end: the server's word, the table's, and when people are told."""

from __future__ import annotations

from datetime import date

import pytest

from runner.model.shutdowns import CHOOSE, shutdown_by_name, shutdown_warning
from tests.model_server import ScriptedModel
from tests.runner.model.model_kit import asking


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ({}, date(2026, 12, 11)),  # the table's
        ({"shutdown_date": "2027-03-01"}, date(2027, 3, 1)),
        ({"shutdown_date": None}, None),
        ({"shutdown_date": "soon"}, date(2026, 12, 11)),
        ({"shutdown_date": ""}, date(2026, 12, 11)),
        ({"shutdown_date": 1796947200}, date(2026, 12, 11)),
    ],
)
async def test_the_list_of_the_server_wins(said: dict[str, object], ends: date | None) -> None:
    """Also where it says that there is no such day; what is no date says nothing."""
    script = ScriptedModel()
    script.listed = {"gpt-5-mini": said}
    async with asking(script) as model:
        assert await model.shutdown("gpt-5-mini") == ends


async def test_a_default_model_that_a_server_will_switch_off() -> None:
    """The name that is asked for when none is given."""
    script = ScriptedModel()
    script.listed = {"gpt-6.1-terra": {"shutdown_date": "2027-12-01"}}
    async with asking(script) as model:
        assert await model.shutdown("") == date(2027, 12, 1)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("gpt-5", date(2026, 12, 11)),
        ("o3", date(2026, 12, 11)),
        ("openai/gpt-4o-2024-08-06", date(2027, 1, 14)),
        ("GPT-4.1", date(2027, 1, 14)),
        ("gpt-5.4-mini", None),
        ("gpt-6.1-terra", None),
        ("my-gpt-5", None),
        ("", None),
    ],
)
def test_by_name(name: str, ends: date | None) -> None:
    """A dated name ends with its model; a longer one is another model."""
    assert shutdown_by_name(name) == ends


@pytest.mark.parametrize(
    ("today", "said"),
    [
        (date(2026, 10, 11), ""),
        (date(2026, 10, 12), "The model m will be switched off on 2026-12-11, in 60 days."),
        (date(2026, 12, 10), "The model m will be switched off on 2026-12-11, in 1 day."),
        (date(2026, 12, 11), "The model m was switched off on 2026-12-11."),
    ],
)
def test_people_are_told_sixty_days_before(today: date, said: str) -> None:
    """Not earlier, and the day itself is too late."""
    warning = shutdown_warning("m", date(2026, 12, 11), today)
    assert warning == (f"{said} {CHOOSE}" if said else "")
    assert shutdown_warning("m", None, today) == ""
