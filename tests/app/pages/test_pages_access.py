"""Who may see the pages: the token, the login, and the headers that keep a page to itself."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.store.database import open_store
from tests.app.pages.pages_bench import BEARER, PAGE, TOKEN, Bench


@pytest.fixture
async def bench(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield Bench(store)
    await store.close()


@pytest.fixture
async def client(aiohttp_client, bench):
    return await aiohttp_client(bench.app())


PATHS = ["/runs", "/runs/r1", "/runs/r1/events", "/history"]


@pytest.mark.parametrize("path", PATHS)
async def test_programs_without_the_token_get_401(client, path):
    """Nothing is shown without the token; the answer says where it goes."""
    answer = await client.get(path, headers={"Authorization": "Bearer no"})

    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert "CAIRN_ADMIN_TOKEN" in (await answer.json())["error"]


@pytest.mark.parametrize("path", PATHS)
async def test_people_without_a_session_are_sent_to_the_login(client, path):
    """A browser is shown the login, which knows where it came from."""
    answer = await client.get(path, headers={"Accept": "text/html"}, allow_redirects=False)

    assert answer.status == 303
    assert answer.headers["Location"] == f"/login?next={path}"


@pytest.mark.parametrize("path", [*PATHS, "/login"])
async def test_without_a_configured_token_the_page_says_what_to_set(aiohttp_client, bench, path):
    """A server without CAIRN_ADMIN_TOKEN shows nobody anything but how to set it."""
    client = await aiohttp_client(bench.app(token=""))

    answer = await client.get(path, headers={"Accept": "text/html", **BEARER})

    assert answer.status == 403
    assert "CAIRN_ADMIN_TOKEN is not set" in await answer.text()


async def login(client, token=TOKEN, to="/runs", **headers):
    form = {"token": token, "next": to}
    return await client.post("/login", data=form, headers=headers, allow_redirects=False)


async def test_a_login_opens_the_pages(client):
    """After the login the browser's cookie is enough."""
    opened = await login(client, to="/runs/r1?x=1")
    seen = await client.get("/runs", headers={"Accept": "text/html"})

    assert (opened.status, opened.headers["Location"]) == (303, "/runs/r1?x=1")
    assert (seen.status, seen.url.path) == (200, "/runs")


async def test_the_cookie_is_no_ones_but_the_servers(aiohttp_client, bench):
    """No script and no other site can use the cookie; over https only where that is the way."""
    plain = await login(await aiohttp_client(bench.app()))
    secure = await login(await aiohttp_client(bench.app(secure=True)))

    (cookie,), (safe,) = plain.cookies.values(), secure.cookies.values()
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Strict", "")
    assert (safe.key, safe["secure"], safe["path"]) == ("__Host-cairn", True, "/")
    assert TOKEN not in cookie.value


async def test_a_wrong_token_opens_nothing(client):
    """A login that fails says so and sets no cookie."""
    refused = await login(client, token="wrong")

    assert (refused.status, len(refused.cookies)) == (403, 0)
    assert "not the value" in await refused.text()


async def test_who_guesses_has_to_wait(bench, client):
    """After ten wrong tokens from one address none is looked at for a minute; sessions go on."""
    await login(client)
    for _ in range(10):
        await login(client, token="wrong")

    shut = await login(client)
    program = await client.get("/history", headers=BEARER)
    seen = await client.get("/history")
    bench.clock.time += timedelta(minutes=1)

    assert [shut.status, program.status, seen.status] == [429, 429, 200]
    assert "Wait a minute" in await shut.text()
    assert (await login(client)).status == 303


async def test_another_site_cannot_log_anybody_in(client):
    """A form of another site is refused although its token is right."""
    assert (await login(client, **{"Sec-Fetch-Site": "cross-site"})).status == 403


@pytest.mark.parametrize(
    "to", ["https://evil.test", "//evil.test", "/runs\\..\\x", "/runsx", "/runs\r\nX: y", ""]
)
async def test_a_login_leads_nowhere_else(client, to):
    """Whatever address is asked for, the browser stays on our pages."""
    assert (await login(client, to=to)).headers["Location"] == "/runs"


async def test_a_login_form_has_a_bounded_size(client):
    """Somebody without the token cannot make the server read much."""
    assert (await login(client, token="x" * 5000)).status == 413


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"token=\xff"),
        ("application/x-www-form-urlencoded; charset=foo", b"token=x"),
        ("multipart/form-data", b"token=x"),
        ("multipart/form-data; boundary=a", b"--a\r\ntoken=x"),
    ],
)
async def test_a_login_form_that_is_none_is_refused(client, caplog, kind, body):
    """Nonsense of a stranger is a 400, and leaves no traceback."""
    seen = await client.post("/login", data=body, headers={"Content-Type": kind})

    assert seen.status == 400
    assert not [each for each in caplog.records if each.exc_info]


async def test_a_logout_takes_the_session_away(client):
    """After the logout the browser has no cookie."""
    await login(client)
    await client.post("/logout", allow_redirects=False)

    assert (await client.get("/runs")).status == 401


@pytest.mark.parametrize("path", ["/runs", "/runs/nothing", "/login", "/static/live.js"])
async def test_a_page_keeps_to_itself(client, path):
    """No cache, no index, no frame, no referrer, nothing from elsewhere."""
    headers = (await client.get(path, headers=PAGE)).headers

    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'; ")
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Robots-Tag"] == "noindex"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"


BROWSER = {"Accept": "text/html"}


async def test_a_link_opens_the_run_without_its_token_in_the_address(client, bench):
    """The browser keeps the token for this run's pages, and goes on to a plain address."""
    await bench.queue("r1")
    opened = await client.get(bench.link("r1"), headers=BROWSER, allow_redirects=False)
    seen = await client.get("/runs/r1", headers=BROWSER)

    (cookie,) = opened.cookies.values()
    assert (opened.status, opened.headers["Location"]) == (303, "/runs/r1")
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/runs/r1", True, "Lax")
    assert 28 * 86_400 < int(cookie["max-age"]) <= 30 * 86_400
    assert seen.status == 200
    assert "<code>r1</code>" in await seen.text()


async def test_a_guest_is_no_admin(client, bench):
    """Neither the list, nor another run, nor a log-out is offered or open to who has a link."""
    await bench.queue("r1", "r2")
    shown = await client.get(bench.link("r1"), headers=BROWSER)
    seen = await shown.text()
    others = [
        (await client.get(path, headers=BROWSER, allow_redirects=False)).headers.get("Location")
        for path in ("/runs", "/runs/r2", "/runs/r2/events", "/setup")
    ]

    assert shown.status == 200
    assert "Log out" not in seen
    assert 'href="/runs"' not in seen
    assert others[:3] == [
        f"/login?next={path}" for path in ("/runs", "/runs/r2", "/runs/r2/events")
    ]


async def test_a_program_may_use_the_link_as_it_is(client, bench):
    """Without a browser the answer is JSON at once; the events are open, too."""
    await bench.queue("r1")
    await bench.let("r1", "ended")
    key = bench.link("r1").partition("?")[2]

    assert (await (await client.get(f"/runs/r1?{key}")).json())["run"] == "r1"
    assert (await client.get(f"/runs/r1/events?{key}")).status == 204


async def test_a_link_that_opens_nothing_tells_nothing(client, bench):
    """The same answer for a foreign, old or broken token, whether there is such a run or not."""
    await bench.queue("r1", "r2")
    foreign, old = bench.link("r2").partition("=")[2], bench.link("r1").partition("=")[2]
    bench.clock.forward(31 * 86_400)
    said = set()
    for run in ("r1", "nothing"):
        for key in (foreign, old, "x", "%00", "%C3%A9"):
            answer = await client.get(f"/runs/{run}?key={key}", headers=BROWSER)
            said.add((answer.status, await answer.text(), len(answer.cookies)))

    ((status, text, cookies),) = said
    assert (status, cookies) == (403, 0)
    assert "This link opens nothing" in text


async def test_a_session_sees_more_than_a_link(client, bench):
    """Whoever is logged in is not made a guest by an old link."""
    await bench.queue("r1")
    answer = await client.get("/runs/r1?key=x", headers=PAGE)

    assert answer.status == 200
    assert "Log out" in await answer.text()


async def test_links_work_without_an_admin_token(aiohttp_client, bench):
    """The link needs no admin's token; everything else stays closed."""
    await bench.queue("r1")
    client = await aiohttp_client(bench.app(token=""))

    assert (await client.get(bench.link("r1"), headers=BROWSER)).status == 200
    assert (await client.get("/runs", headers=BROWSER)).status == 403


async def test_over_https_the_tokens_cookie_stays_there(aiohttp_client, bench):
    """The cookie is never sent in the clear."""
    await bench.queue("r1")
    client = await aiohttp_client(bench.app(secure=True))
    opened = await client.get(bench.link("r1"), headers=BROWSER, allow_redirects=False)

    (cookie,) = opened.cookies.values()
    assert (cookie.key, cookie["secure"]) == ("__Secure-cairn-run", True)
