"""All promised scenarios."""

from __future__ import annotations

from tests.scenarios.promised import (
    rows_answers,
    rows_order,
    rows_recovery,
    rows_reports,
    rows_trees,
)
from tests.scenarios.promised.scenario import Scenario

ROWS: tuple[Scenario, ...] = (
    *rows_answers.ROWS,
    *rows_order.ROWS,
    *rows_trees.ROWS,
    *rows_recovery.ROWS,
    *rows_reports.ROWS,
)
