"""A fake GitHub one can trust: stateful, strict, on real bare git repositories.

    async with FakeGitHub(tmp_path) as fake:
        files = {"ROADMAP.md": b"- [ ] add\\n"}
        fake.add_repository("octo/hello", files, roles={"writer": "write"})
        issue = fake.open_issue("octo/hello", "Please")
        fake.webhook_url = "http://127.0.0.1:8080/webhook"
        assert await fake.comment("octo/hello", issue.number, "/execute", by="writer") == 202
        ...
        assert fake.says("octo/hello", issue.number) == ["Done."]
        fake.verify()

Start: ``FakeGitHub(folder, *, clock=None, prefix="/api/v3", must_read=True, echo=True, port=0)``,
an async context manager. Addresses: ``api_url``, ``server_url``, ``graphql_url``; git is at
``server_url/owner/repo.git``. Set ``webhook_url`` when the app listens. ``clock`` is a
``FakeClock(start=None)`` with ``now()``, ``monotonic()``, ``advance(seconds)`` and stands still;
hand over a ``WallClock()`` where the real time must run (the demo: libraries sign JWTs by it).

The App: ``fake.app`` has ``id``, ``slug``, ``private_key``, ``webhook_secret``, ``permissions``,
``events``, ``bot``. Another one: ``create_app(slug="cairn", *, id=12345, webhook_secret=...,
permissions=..., events=...)``. ``installation(repository)``; ``token(repository,
**permissions) -> str`` is a short cut for tests of adapters.

Registering from a manifest: POST to ``server_url``/settings/apps/new (or
/organizations/ORG/settings/apps/new, ORG an account of type Organization) shows the page whose form
creates the App and sends the browser to ``redirect_url``; the exchange of the code (once, within an
hour) puts the new App in the place of ``fake.app``.

Control, at once: ``add_user(login, *, id=None, type="User")``, ``add_repository(full_name,
files=None, *, source=None, private=False, branch="main", roles=None)``, ``set_role(repository,
login, role)``, ``open_issue(repository, title, body="", *, by="writer") -> Issue``,
``react(comment_or_issue, content, *, by="writer")``, ``forgive(pattern)``.

Control, with a webhook; the app's status comes back (0: nobody answered): ``comment(repository,
number, body, *, by="writer")``, ``edit_comment(comment, body, *, by)``,
``delete_comment(comment, *, by)``, ``push(repository, files, *, branch="", message="Change",
by)``, ``move_branch(repository, branch, sha, *, by)``, ``delete_branch(repository, branch, *,
by)``, ``review(repository, number, state, body="", *, by)`` (state APPROVED, CHANGES_REQUESTED or
COMMENTED), ``ready(repository, number, *, draft=False, by)``, ``merge_pull(repository, number, *,
by, method="merge")`` (not of a draft), ``close(repository, number, *, by)``, ``reopen(...)``,
``link(repository, *numbers, by)`` (a native stack, bottom to top), ``unstack(repository, number)``
(no webhook), ``merge_stack(repository, number, *, by, method="squash", rebase=True)``,
``rebase_stack(repository, number, *, by)``, ``rename(old, new, *, by)``,
``click(repository, check, identifier, *, by)``,
``transfer(repository, owner, *, by)``, ``edit_issue(repository, number, body, *, by)``,
``delete_issue(repository, number, *, by)``,
``suspend(repository, *, suspended=True)``, ``redeliver(delivery)``, ``send(body, headers)``
(raw; ``signed(delivery)`` gives both to be spoiled), ``tell(happening)``;
``open_pull(repository, title, *, head, base="", by) -> Issue``; ``settle()`` waits for the
webhooks the app's own requests caused.

Faults: ``fail(method, path, *, status=502, times=1, after=False, drop=False, headers={},
body=None, hold=None, skip=0) -> Fault`` (``path`` without prefix, ``*`` allowed; git paths too);
``rate_limit("primary" | "secondary" | "429", method="*", path="*", times=1) -> Fault``.

Reading: ``says(repository, number) -> list[str]``, ``unread()``, ``repo(name)`` with ``id``,
``git``, ``pulls``, ``issues``, ``branches``, ``checks``, ``labels``, ``comments(number)``,
``file(ref, path)``, ``files(ref)``, ``tree(ref)``; ``requests``, ``deliveries``, ``violations``,
``verify()`` (last line of every test).

Data: tests/data/github, with its notice. Nothing here needs pytest.
"""

from tests.fake_github.clock import FakeClock, WallClock
from tests.fake_github.fake import FakeGitHub
from tests.fake_github.faults import Fault

__all__ = ["FakeClock", "FakeGitHub", "Fault", "WallClock"]
