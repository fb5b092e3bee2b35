"""The server over real HTTP, with a real database."""

from __future__ import annotations

import asyncio
import gzip
import io

import pytest
import sqlalchemy as sa

from app.server.http import build_app
from app.server.webhook import signed
from app.store.database import open_store
from app.store.deliveries import Deliveries, Worked
from runner.errors import Outage
from tests.app.server.webhooks import SECRET, FixedClock, always, sign, webhook
from tests.app.store.rows import delivered, unfinished


@pytest.fixture
async def store(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield store
    await store.close()


@pytest.fixture
def deliveries(store):
    return Deliveries(store, FixedClock())


@pytest.fixture
def arrived():
    return []


@pytest.fixture
def readiness():
    return {}


async def known(name, _payload):
    return name in {"issue_comment", "push"}


@pytest.fixture
async def client(aiohttp_client, deliveries, arrived, readiness):
    return await aiohttp_client(
        build_app(
            secret=SECRET,
            deliveries=deliveries,
            on_delivery=lambda: arrived.append(1),
            handles=known,
            readiness=readiness,
            limit=4096,
        )
    )


def test_the_signature_is_githubs():
    """GitHub's own test vector is accepted, and nothing near it."""
    right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    assert signed(b"Hello, World!", right, SECRET)
    assert not signed(b"Hello, World?", right, SECRET)
    assert not signed(b"Hello, World!", right.removeprefix("sha256="), SECRET)


async def test_a_signed_delivery_is_stored_and_handed_on(client, deliveries, arrived):
    """202, the row byte for byte, and one arrival for the queue."""
    request = webhook({"repository": {"id": 42}, "é": "\u2028"})

    answer = await client.post("/webhook", **request)

    stored = await delivered(deliveries, "d-1")
    assert (answer.status, await answer.json()) == (202, {"delivery": "d-1", "status": "stored"})
    assert stored.payload == request["data"]
    assert stored.headers == {"X-GitHub-Delivery": "d-1", "X-GitHub-Event": "issue_comment"}
    assert len(arrived) == 1


BAD = {
    "no signature": (webhook(X_Hub_Signature_256=None), 403, "GITHUB_WEBHOOK_SECRET"),
    "wrong signature": (webhook(X_Hub_Signature_256=sign(b"other")), 403, "X-Hub-Signature-256"),
    "strange signature": (webhook(X_Hub_Signature_256="sha256=\u00fc"), 403, "X-Hub-Signature-256"),
    "SHA-1 only": (
        webhook(X_Hub_Signature_256=None, X_Hub_Signature="sha1=" + "0" * 40), 403, "SHA-1",
    ),
    "unsigned and not JSON": (webhook(body=b"{", X_Hub_Signature_256=None), 403, "Signature"),
    "no event": (webhook(X_GitHub_Event=None), 400, "X-GitHub-Event"),
    "no delivery id": (webhook(X_GitHub_Delivery=None), 400, "X-GitHub-Delivery"),
    "empty delivery id": (webhook(id=""), 400, "X-GitHub-Delivery"),
    "odd delivery id": (webhook(id="a b"), 400, "X-GitHub-Delivery"),
    "endless delivery id": (webhook(id="a" * 101), 400, "X-GitHub-Delivery"),
    "odd event": (webhook(event="\u00fc"), 400, "X-GitHub-Event"),
    "not JSON": (webhook(body=b"{"), 400, "not JSON"),
    "empty": (webhook(body=b""), 400, "not JSON"),
    "not UTF-8": (webhook(body=b'{"a": "\xff"}'), 400, "not JSON"),
    "too deep": (webhook(body=b"[" * 4000), 400, "not JSON"),
    "an array": (webhook(body=b"[]"), 400, "not an object"),
    "a form": (
        webhook(Content_Type="application/x-www-form-urlencoded"), 400, "application/json",
    ),
    "too large": (webhook(body=b" " * 4097), 413, "25 MB"),
    "too large and unsigned": (webhook(body=b" " * 4097, X_Hub_Signature_256=None), 413, "25 MB"),
    "not compressed": (webhook(body=b"{}", Content_Encoding="gzip"), 400, ""),
}  # fmt: skip


@pytest.mark.parametrize(("request_", "status", "says"), BAD.values(), ids=BAD.keys())
async def test_bad_input_is_refused_with_what_to_do(
    client, deliveries, arrived, caplog, request_, status, says
):
    """Each kind of bad request has its status and a JSON error, and stores nothing."""
    answer = await client.post("/webhook", **request_)

    assert answer.status == status
    assert says in (await answer.json())["error"]
    assert ("Delivery " in caplog.text) == (status == 403)  # nobody else sees who sends them
    assert arrived == []
    assert await unfinished(deliveries._store) == []


async def test_a_body_that_grows_too_large_is_refused(client):
    """A body without a length is measured, one that is compressed is not even opened."""

    async def chunks():
        for _ in range(5):
            yield b" " * 1024

    endless = webhook(body=b"") | {"data": chunks()}
    bomb = webhook(body=gzip.compress(b" " * 8192), Content_Encoding="gzip")

    assert (await client.post("/webhook", **endless)).status == 413
    assert (await client.post("/webhook", **bomb)).status == 400


async def test_a_duplicate_is_answered_and_not_worked_twice(client, arrived):
    """A redelivery with the same GUID is 202 and causes nothing."""
    await client.post("/webhook", **webhook())
    again = await client.post("/webhook", **webhook())

    assert (again.status, (await again.json())["status"]) == (202, "known")
    assert len(arrived) == 1


async def test_a_redelivery_of_finished_work_is_202(client, deliveries, arrived):
    """A delivery whose work is done is answered and not worked again."""
    await client.post("/webhook", **webhook())
    await deliveries.finish([Worked("d-1")])

    assert (await client.post("/webhook", **webhook())).status == 202
    assert len(arrived) == 1
    assert (await delivered(deliveries, "d-1")).status == "done"


async def test_what_has_no_work_is_not_stored(client, deliveries, arrived):
    """It is answered 202 and forgotten: a busy repository sends hundreds for each command."""
    answer = await client.post("/webhook", **webhook(event="star"))

    assert (answer.status, (await answer.json())["status"]) == (202, "ignored")
    assert await deliveries.known({"d-1"}) == set()
    assert arrived == []


@pytest.mark.parametrize("repository", [None, "hello", {}, {"id": "42"}, {"id": -1}, {"id": 2**63}])
async def test_an_event_of_no_repository_is_stored(client, deliveries, arrived, repository):
    """A payload without a usable repository id is stored all the same."""
    answer = await client.post("/webhook", **webhook({"repository": repository, "x": 1}))

    assert answer.status == 202
    assert len(arrived) == 1
    assert (await delivered(deliveries, "d-1")).repository_id is None


class Gate:
    """A store whose transactions are not committed before the gate is opened."""

    def __init__(self, store):
        self.store, self.reached, self.open = store, asyncio.Event(), asyncio.Event()

    @property
    def dialect(self):
        return self.store.dialect

    async def insert(self, work):
        loop = asyncio.get_running_loop()

        def then_wait(connection):
            result = work(connection)
            loop.call_soon_threadsafe(self.reached.set)
            asyncio.run_coroutine_threadsafe(self.open.wait(), loop).result(timeout=30)
            return result

        return await self.store.insert(then_wait)


async def test_nothing_is_answered_or_worked_before_the_commit(aiohttp_client, store, arrived):
    """While the row is written but not committed there is no answer and no work."""
    gate = Gate(store)
    client = await aiohttp_client(
        build_app(
            secret=SECRET,
            deliveries=Deliveries(gate, FixedClock()),
            on_delivery=lambda: arrived.append(1),
            handles=always,
            readiness={},
        )
    )
    answer = asyncio.create_task(client.post("/webhook", **webhook()))
    await gate.reached.wait()

    assert not answer.done()
    assert arrived == []

    gate.open.set()
    assert (await answer).status == 202
    assert len(arrived) == 1


async def test_a_failing_database_is_503_and_stores_nothing(client, store, deliveries, arrived):
    """GitHub sees the delivery as failed when it could not be stored, and may deliver it again."""
    await store.change(sa.text("ALTER TABLE deliveries RENAME TO away"))
    failed = await client.post("/webhook", **webhook())
    await store.change(sa.text("ALTER TABLE away RENAME TO deliveries"))

    assert (failed.status, arrived) == (503, [])
    assert "Nothing was stored" in (await failed.json())["error"]
    assert (await client.post("/webhook", **webhook())).status == 202
    assert len(arrived) == 1


async def test_the_real_limit_lets_githubs_largest_payload_in(aiohttp_client, deliveries):
    """A body of 25 MB is taken."""
    client = await aiohttp_client(
        build_app(
            secret=SECRET,
            deliveries=deliveries,
            on_delivery=print,
            handles=always,
            readiness={},
        )
    )
    body = b'{"a": "' + b"x" * (25_000_000 - 9) + b'"}'
    request = webhook(body=body) | {"data": io.BytesIO(body)}

    assert (await client.post("/webhook", **request)).status == 202


async def test_alive(client):
    """/healthz answers with the version."""
    answer = await client.get("/healthz")

    assert (answer.status, (await answer.json())["status"]) == (200, "alive")
    assert (await answer.json())["version"]


async def well():
    pass


async def dead():
    raise Outage("sandbox", "Docker does not answer. Start it.")


async def test_ready_when_every_check_is_well(client, readiness):
    """/readyz is 200 when each part works."""
    readiness.update(database=well, sandbox=well)

    answer = await client.get("/readyz")

    assert answer.status == 200
    assert await answer.json() == {"ready": True, "checks": {"database": "ok", "sandbox": "ok"}}


async def test_not_ready_names_the_part_that_fails(client, readiness):
    """/readyz is 503 with each check's own words when one fails."""
    readiness.update(database=well, sandbox=dead)

    answer = await client.get("/readyz")

    assert answer.status == 503
    assert (await answer.json())["checks"]["sandbox"] == "Docker does not answer. Start it."


async def test_a_wrong_address_or_method_is_told_in_json(client):
    """404 and 405 are JSON and say what there is."""
    missing = await client.post("/hooks")
    wrong = await client.get("/webhook")

    assert "POST /webhook" in (await missing.json())["error"]
    assert (wrong.status, wrong.headers["Allow"]) == (405, "POST")
    assert "Use POST" in (await wrong.json())["error"]


@pytest.mark.parametrize("path", ["/healthz", "/nowhere"])
async def test_the_server_header_tells_no_version(client, path):
    """Answers do not say which server software of which version made them."""
    assert (await client.get(path)).headers["Server"] == "Cairn"
