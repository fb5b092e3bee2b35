"""The pages of the set-up: what leads to an App, and everything that must not."""

from __future__ import annotations

import asyncio
import errno
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dotenv import dotenv_values

from app.github.token_identity import APP_PERMISSIONS
from app.setup.registration import SecretFile
from handlers.webhooks import SUBSCRIBED
from tests.app.setup.setup_kit import KEY, OURS, Bench, manifest_of, setting_up


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """A set-up opened by a link; GitHub must find nothing wrong with what it was asked."""
    async with setting_up(tmp_path) as made:
        yield made
        made.github.verify()


async def test_the_app_is_registered_and_its_secrets_are_written(bench: Bench) -> None:
    """From the link to the file, which holds what GitHub gave and is its owner's alone."""
    done = await bench.browser.register(await bench.shown())

    app, written = bench.github.app, dotenv_values(bench.file)
    assert done.status == 200
    assert f"{bench.github.server_url}/apps/{app.slug}/installations/new" in done.words
    assert (written["GITHUB_APP_ID"], written["GITHUB_WEBHOOK_SECRET"]) == (
        str(app.id),
        app.webhook_secret,
    )
    assert (written["GITHUB_APP_PRIVATE_KEY"] or "").strip() == app.private_key.strip()
    assert written["GITHUB_SERVER_URL"] == bench.github.server_url
    assert written["GITHUB_API_URL"] == bench.github.api_url
    assert written["CAIRN_PUBLIC_URL"] == OURS
    assert stat.S_IMODE(bench.file.stat().st_mode) == 0o600
    assert bench.registration.done.is_set()


async def test_no_secret_is_shown(bench: Bench) -> None:
    """What the file keeps is on no page."""
    done = await bench.browser.register(await bench.shown())

    app = bench.github.app
    assert app.webhook_secret not in done.text
    assert "PRIVATE KEY" not in done.text


async def test_the_manifest_asks_for_what_the_app_uses(bench: Bench) -> None:
    """Permissions and events are those of the running App, the addresses are ours."""
    told = manifest_of(await bench.shown())

    assert told["default_permissions"] == dict(APP_PERMISSIONS)
    assert told["default_events"] == list(SUBSCRIBED)
    assert told["hook_attributes"] == {"url": f"{OURS}/webhook", "active": True}
    assert (told["url"], told["public"]) == (OURS, False)
    assert told["redirect_url"] == f"{bench.address}/callback"
    assert told["name"] == "Cairn at cairn.example.com"


async def test_the_person_may_name_the_app_at_github(bench: Bench) -> None:
    """The name on GitHub's page wins over ours."""
    await bench.browser.register(await bench.shown(), name="Our Cairn")

    assert bench.github.app.slug == "our-cairn"
    assert "our-cairn" in bench.file.read_text()


async def test_the_page_may_send_its_form_to_github_only(bench: Bench) -> None:
    """The policy lets the form lead to GitHub, and nothing be loaded from elsewhere."""
    shown = await bench.shown()

    policy = shown.headers["Content-Security-Policy"]
    assert f"form-action {bench.github.server_url};" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "<script" not in shown.text


async def test_an_organisation_owns_the_app(tmp_path: Path) -> None:
    """With an organisation the form leads to that one's page."""
    async with setting_up(tmp_path, organization="octo-org") as bench:
        bench.github.add_user("octo-org", type="Organization")

        await bench.browser.register(await bench.shown())

        assert bench.github.app.owner.login == "octo-org"
        bench.github.verify()


async def test_a_name_cannot_leave_its_place_in_the_page(tmp_path: Path) -> None:
    """Markup in a name is shown and sent as it is."""
    name = '"><script>x</script>&'
    async with setting_up(tmp_path, name=name) as bench:
        shown = await bench.shown()

    assert "<script" not in shown.text
    assert manifest_of(shown)["name"] == name


async def test_without_the_code_nothing_can_begin(bench: Bench) -> None:
    """Who knows the address alone sees a form that asks for the code, and no state."""
    for url, status in ((bench.address, 200), (f"{bench.address}?key=wrong", 403)):
        page = await bench.browser.open(url)

        assert page.status == status
        assert "manifest" not in page.form[1]
        assert "state" not in page.form[1]


async def test_the_code_can_be_typed(bench: Bench) -> None:
    """The form that asks for it takes organisation and name along."""
    bench.github.add_user("octo-org", type="Organization")
    asks = await bench.browser.open(bench.address)

    shown = await bench.browser.send(asks, key=KEY, organization="octo-org", name="Ours")
    await bench.browser.register(shown)

    assert (bench.github.app.slug, bench.github.app.owner.login) == ("ours", "octo-org")


async def test_a_wrong_code_opens_nothing(bench: Bench) -> None:
    """It is told, and nothing of the manifest is shown."""
    asks = await bench.browser.open(bench.address)

    refused = await bench.browser.send(asks, key="wrong")

    assert refused.status == 403
    assert "not the code" in refused.words
    assert "manifest" not in refused.form[1]


async def test_another_site_cannot_open_the_setup(bench: Bench) -> None:
    """A form of another site is refused although its code is right."""
    elsewhere = {"Sec-Fetch-Site": "cross-site"}

    refused = await bench.browser.post(bench.address, {"key": KEY}, **elsewhere)

    assert (refused.status, refused.has_form) == (403, False)


async def test_the_form_has_a_bounded_size(bench: Bench) -> None:
    """Somebody without the code cannot make the server read much."""
    assert (await bench.browser.post(bench.address, {"key": "x" * 5000})).status == 413


@pytest.mark.parametrize(
    ("typed", "says"),
    [({"organization": "no/org"}, "name of an organisation"), ({"name": "x" * 35}, "at most 34")],
)
async def test_what_github_would_refuse_is_told_before(
    bench: Bench, typed: dict[str, str], says: str
) -> None:
    """A wrong organisation or name is a sentence."""
    refused = await bench.browser.post(bench.address, {"key": KEY, **typed})

    assert refused.status == 400
    assert says in refused.words


async def test_the_admin_token_opens_the_setup_but_never_by_address(tmp_path: Path) -> None:
    """A token that lasts belongs into no log of a proxy: header or form, not the address."""
    async with setting_up(tmp_path, by_link=False) as bench:
        by_address = await bench.shown()
        by_header = await bench.browser.open(bench.address, Authorization=f"Bearer {KEY}")
        by_form = await bench.browser.send(by_address, key=KEY)

    assert "manifest" not in by_address.form[1]
    assert manifest_of(by_header) == manifest_of(by_form)


BACK = {
    "nothing": ("", "", 400),
    "no state": ("c0de", "", 400),
    "no code": ("", "STATE", 400),
    "a path": ("..%2F..%2Fapp", "STATE", 400),
    "an endless code": ("c" * 201, "STATE", 400),
    "a wrong state": ("c0de", "wrong", 403),
    "a strange state": ("c0de", "%FF%C3%BC", 403),
}


@pytest.mark.parametrize(("code", "state", "status"), BACK.values(), ids=BACK.keys())
async def test_an_answer_that_is_none_is_refused(
    bench: Bench, code: str, state: str, status: int
) -> None:
    """GitHub is not even asked, and nothing is written."""
    _, fields = (await bench.shown()).form

    refused = await bench.came_back(code, state.replace("STATE", fields["state"]))

    assert (refused.status, bench.exchanges) == (status, [])
    assert "/setup again" in refused.words
    assert not bench.file.exists()


async def test_nobody_can_answer_what_was_not_asked(bench: Bench) -> None:
    """Before a form was shown there is no state that would do."""
    assert (await bench.came_back("c0de", "x")).status == 403
    assert (await bench.came_back("c0de", "")).status == 400


async def test_a_form_is_good_for_an_hour(bench: Bench) -> None:
    """What comes back later is refused; the page then gives a new form."""
    old = await bench.shown()
    bench.github.clock.advance(3600)

    late = await bench.browser.register(old)
    done = await bench.browser.register(await bench.shown())

    assert (late.status, done.status, bench.exchanges) == (403, 200, [201])


async def test_a_code_github_does_not_know_is_told(bench: Bench) -> None:
    """A used or expired code (404) is a sentence, and a new try is possible."""
    shown = await bench.shown()

    spent = await bench.came_back("0" * 40, shown.form[1]["state"])

    assert (spent.status, bench.exchanges) == (400, [404])
    assert "older than an hour" in spent.words
    assert not bench.file.exists()
    assert (await bench.browser.register(shown)).status == 200


async def test_an_answer_counts_once(bench: Bench) -> None:
    """Replayed, together or later, it changes nothing: one exchange, one file."""
    shown = await bench.shown()
    offer = await bench.browser.send(shown)
    action, fields = offer.form
    async with bench.browser.session.post(action, data=fields, allow_redirects=False) as answer:
        back = answer.headers["Location"]

    pages = await asyncio.gather(bench.browser.open(back), bench.browser.open(back))
    before = bench.file.read_bytes()
    again = [await bench.browser.open(back), await bench.shown()]

    assert sorted(page.status for page in pages) == [200, 410]
    assert [page.status for page in again] == [410, 410]
    assert (bench.exchanges, bench.file.read_bytes()) == ([201], before)


FAULTS = {
    "a gateway": ({"status": 502}, 502),
    "a broken server": ({"status": 500, "body": "<html>"}, 502),
    "a line that is cut": ({"drop": True}, 502),
    "a limit": ({"status": 429}, 503),
    "another limit": ({"status": 403}, 503),
    "a redirect": ({"status": 302, "headers": {"Location": "https://evil.test/"}}, 502),
}


@pytest.mark.parametrize(("fault", "status"), FAULTS.values(), ids=FAULTS.keys())
async def test_a_github_that_does_not_work_can_be_asked_again(
    bench: Bench, fault: dict[str, object], status: int
) -> None:
    """Nothing is written, the sentence says to reload, and reloading goes on."""
    bench.github.fail("POST", "/app-manifests/*", **fault)

    failed = await bench.browser.register(await bench.shown())
    left = bench.file.exists()
    reloaded = await bench.browser.open(failed.url)

    assert (failed.status, left) == (status, False)
    assert "Reload" in failed.words
    assert reloaded.status == 200
    assert bench.file.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"id": "x"},
        {"pem": "no key hunter2"},
        {"webhook_secret": None},
        {"webhook_secret": "two\nhunter2"},
        {"slug": "a b; hunter2"},
        {"html_url": "javascript:hunter2"},
    ],
    ids=str,
)
async def test_an_answer_that_cannot_be_used_is_not_written(
    bench: Bench, change: dict[str, object]
) -> None:
    """What would not start a server is named, not repeated, and leaves no file."""
    app = bench.github.app
    good = {"id": 7, "slug": "x", "html_url": "https://github.com/apps/x"}
    secrets = {"pem": app.private_key, "webhook_secret": "0123456789abcdef"}
    body = {**good, **secrets, **change}
    bench.github.fail("POST", "/app-manifests/*", status=201, body=body)

    refused = await bench.browser.register(await bench.shown())

    assert refused.status == 502
    assert f"no usable {next(iter(change))}" in refused.words
    assert "hunter2" not in refused.text
    assert not bench.file.exists()


@pytest.mark.parametrize("link", [False, True], ids=["a file", "a link to nowhere"])
async def test_a_file_that_came_meanwhile_is_kept(bench: Bench, link: bool) -> None:
    """Nothing is overwritten or followed, and GitHub's code is not spent on it."""
    shown = await bench.shown()
    target = bench.file.with_name("elsewhere")
    bench.file.symlink_to(target) if link else bench.file.write_text("mine\n")

    refused = await bench.browser.register(shown)

    assert (refused.status, bench.exchanges) == (409, [])
    assert "Move it away" in refused.words
    assert not target.exists()
    assert link or bench.file.read_text() == "mine\n"


class _Full(SecretFile):
    """A file on a disk that is full by the time it is written."""

    @contextmanager
    def reserved(self) -> Iterator[Callable[[str], None]]:
        def write(text: str) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with super().reserved():
            yield write


async def test_secrets_that_cannot_be_written_are_told_as_lost(tmp_path: Path) -> None:
    """The App exists by then: the sentence says how to go on by hand, and shows no secret."""
    async with setting_up(tmp_path, file=_Full(tmp_path / "cairn.env")) as bench:
        lost = await bench.browser.register(await bench.shown())

        assert lost.status == 500
        assert "No space left on device" in lost.words
        assert f"GITHUB_APP_ID={bench.github.app.id}" in lost.words
        assert bench.github.app.webhook_secret not in lost.text
        assert not bench.file.exists()


async def test_nothing_else_is_served(bench: Bench) -> None:
    """A webhook that comes too early can be delivered again."""
    url = bench.address.removesuffix("/setup")
    page = await bench.browser.post(f"{url}/webhook", {})

    assert (page.status, page.headers["Server"]) == (503, "Cairn")
    assert "no GitHub App yet" in page.text
