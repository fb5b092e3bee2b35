"""ralph: ``prd.json`` with user stories, each of which passes or does not.

https://github.com/snarktank/ralph
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.roadmap.plans.form import PlanForm
from runner.roadmap.plans.json_plan import EMPTY, JsonForm, JsonNode, JsonTask


def _stories(found: JsonNode) -> Sequence[JsonTask] | str:
    stories = found.at("userStories").items
    if not isinstance(found.at("userStories").value, list):
        return "this prd.json is of another form: it has no list of `userStories`."
    odd = [each.at("id").value for each in stories if not isinstance(each.at("passes").value, bool)]
    if odd:
        return f"story {odd[0]} does not say `passes` as `true` or `false`."
    return [_story(*each) for each in enumerate(stories, 1)] or EMPTY


def _story(number: int, node: JsonNode) -> JsonTask:
    told = {key: each.value for key, each in node.inside.items()}
    criteria = told.get("acceptanceCriteria")
    texts = [str(each) for each in criteria] if isinstance(criteria, list) else []
    priority = told.get("priority")
    waits = told.get("dependencies")
    lines = [
        str(told.get("description") or told.get("userStory") or ""),
        *(f"- {text}" for text in texts),
    ]
    return JsonTask(
        id=str(told.get("id") or number),
        title=" ".join(str(told.get("title") or number).split()),
        node=node,
        done=told.get("passes") is True,
        details="\n".join((*lines, str(told.get("notes") or ""))).strip(),
        criteria=tuple(texts),
        waits=tuple(map(str, waits)) if isinstance(waits, list) else (),
        rank=priority if isinstance(priority, int) else number,
    )


_JSON = JsonForm(tasks=_stories, state="passes", done="true", open="false")

RALPH = PlanForm(
    name="ralph",
    paths=re.compile(r"(?P<root>(?:.*/)?)prd\.json"),
    usual=("prd.json", "scripts/ralph/prd.json"),
    read=_JSON.read,
    edited=_JSON.edited,
)
