"""The model adapter under the faults of the transport layer."""

from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime

import pytest

from runner.errors import Outage, TaskError
from runner.model.chat import OpenAIModel
from runner.retries.policy import RetryPolicy
from tests.model_server import Fault, ScriptedModel
from tests.runner.model.model_kit import KEY, NOW, FrozenClock, Sleeps, asking, question

PASSING = {
    "http_408": Fault.http_status(408, "Request timeout"),
    "http_409": Fault.http_status(409, "Conflict"),
    "http_429": Fault.http_429(),
    "http_500": Fault.http_500(),
    "http_503": Fault.http_503(),
    "reset": Fault.reset(),
    "bad_json": Fault.bad_json(),
    "no_choices": Fault.no_choices(),
    "null_content": Fault.null_content(),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
async def test_fault_that_passes(fault):
    """A fault that passes costs one more try, and the answer says so."""
    sleep = Sleeps()
    async with asking(ScriptedModel().says(fault, "ok"), sleep=sleep) as model:
        answer = await model.ask(question())

    assert (answer.text, answer.retries, len(sleep)) == ("ok", 1, 1)


async def test_timeout():
    """An endpoint that does not answer in time is asked again."""
    async with asking(ScriptedModel().says(Fault.timeout(), "ok"), timeout=2) as model:
        assert (await model.ask(question())).retries == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault.http_429(), "rate_limit"),
        (Fault.http_500(), "model"),
        (Fault.http_503(), "model"),
        (Fault.reset(), "model"),
        (Fault.bad_json(), "model"),
    ],
)
async def test_fault_that_stays(fault, kind):
    """A fault that stays is an outage after a bounded number of tries, with a time to heal."""
    async with asking(ScriptedModel().says(*[fault] * RetryPolicy().attempts)) as model:
        with pytest.raises(Outage) as caught:
            await model.ask(question())

    assert (caught.value.kind, caught.value.until) == (kind, NOW + timedelta(minutes=5))


@pytest.mark.parametrize("fault", [Fault.no_choices(), Fault.null_content()])
async def test_question_without_answer(fault):
    """An endpoint that works but never answers this question fails the task, not the run."""
    async with asking(ScriptedModel().says(*[fault] * RetryPolicy().attempts)) as model:
        with pytest.raises(TaskError, match="without"):
            await model.ask(question())


async def test_retry_after_is_kept():
    """What the endpoint asks to wait is waited, and a little more."""
    sleep = Sleeps()
    script = ScriptedModel().says(Fault.http_429(retry_after=7), "ok")
    async with asking(script, sleep=sleep) as model:
        await model.ask(question())

    assert 7 <= sleep[0] <= 8


@pytest.mark.parametrize(
    "retry_after",
    [3600, format_datetime(NOW + timedelta(hours=1), usegmt=True)],
    ids=["seconds", "date"],
)
async def test_long_retry_after(retry_after):
    """A wait longer than a minute is not slept away: it is an outage that names its end."""
    sleep = Sleeps()
    script = ScriptedModel().says(Fault.http_429(retry_after=retry_after))
    async with asking(script, sleep=sleep) as model:
        with pytest.raises(Outage, match=r"until 2026-05-04 13:00 UTC") as caught:
            await model.ask(question())

    assert (caught.value.kind, caught.value.until) == ("rate_limit", NOW + timedelta(hours=1))
    assert sleep == []


@pytest.mark.parametrize("retry_after", ["soon", "-5", "nan", None])
async def test_odd_retry_after(retry_after):
    """A Retry-After that is no time is no reason to fail or to wait long."""
    sleep = Sleeps()
    script = ScriptedModel().says(Fault.http_429(retry_after=retry_after), "ok")
    async with asking(script, sleep=sleep) as model:
        await model.ask(question())

    assert 0 <= sleep[0] <= 20


@pytest.mark.parametrize(
    ("fault", "kind", "names"),
    [
        (Fault.http_status(401, f"Incorrect API key {KEY}"), "credential", "OPENAI_API_KEY"),
        (Fault.http_status(403, "no access"), "credential", "OPENAI_API_KEY"),
        (Fault.http_status(402, "pay first"), "budget", "quota"),
        (Fault.http_status(429, "no", code="insufficient_quota"), "budget", "quota"),
        (Fault.http_status(404, "unknown"), "model_name", "It offers scripted."),
        (
            Fault.http_status(400, "x", code="model_not_found"),
            "model_name",
            "has no model gpt-6.1-terra",
        ),
    ],
)
async def test_outage_that_time_does_not_heal(fault, kind, names):
    """A bad key, a spent quota and an unknown model stop the run at once and say what to do."""
    async with asking(ScriptedModel().says(fault)) as model:
        with pytest.raises(Outage) as caught:
            await model.ask(question())

    assert (caught.value.kind, caught.value.until) == (kind, None)
    assert names in caught.value.message
    assert KEY not in caught.value.message


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (
            Fault.http_status(400, "x", code="context_length_exceeded"),
            "is too long for gpt-6.1-terra",
        ),
        (Fault.http_status(400, "maximum context length is 4096"), "is too long for gpt-6.1-terra"),
        (Fault.http_status(413, "too large"), "is too long for gpt-6.1-terra"),
        (Fault.http_status(400, "x", code="content_filter"), "refuses this question"),
        (Fault.http_status(400, "messages: bad role"), "messages: bad role"),
    ],
)
async def test_question_that_is_refused(fault, says):
    """A question that is refused fails its task and is not asked again."""
    async with asking(ScriptedModel().says(fault)) as model:
        with pytest.raises(TaskError, match=says):
            await model.ask(question())


async def test_no_server(unused_tcp_port):
    """A server that is not there is an outage that names the address."""
    base_url = f"http://127.0.0.1:{unused_tcp_port}/v1"
    model = OpenAIModel(
        model="m", api_key=KEY, base_url=base_url, clock=FrozenClock(), sleep=Sleeps()
    )
    with pytest.raises(Outage, match="no connection") as caught:
        await model.ask(question())
    await model.close()

    assert base_url in caught.value.message
