"""Routes about the App, its installations, tokens and deliveries."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.fake_github import auth, shapes
from tests.fake_github.answers import Answer, Call, Refused, invalid, missing
from tests.fake_github.clock import stamp
from tests.fake_github.registering import convert
from tests.fake_github.state import Delivery, Installation

KEPT = timedelta(days=3)


def get_app(call: Call) -> Answer:
    """The App itself."""
    return Answer(body=shapes.app(call.world) | {"installations_count": 1})


def _installation(call: Call, one: Installation) -> dict[str, Any]:
    world = call.world
    shape: dict[str, Any] = shapes.template(world, "apps/get-installation")
    account = shapes.user(world, one.account)
    base = f"{world.api_url}/app/installations/{one.id}"
    shape.update(
        id=one.id,
        account=account,
        access_tokens_url=f"{base}/access_tokens",
        html_url=f"{world.server_url}/settings/installations/{one.id}",
        app_id=world.app.id,
        app_slug=world.app.slug,
        target_id=one.account.id,
        target_type=one.account.type,
        permissions=dict(one.permissions),
        events=list(world.app.events),
        repository_selection="selected" if one.excluded else "all",
        created_at=stamp(one.created),
        updated_at=stamp(one.created),
        suspended_at=stamp(one.suspended) if one.suspended else None,
    )
    return shape


def _found(call: Call) -> Installation:
    found = call.world.installations.get(int(call.params["installation_id"]))
    if found is None:
        raise missing()
    return found


def get_installation(call: Call) -> Answer:
    """One installation."""
    return Answer(body=_installation(call, _found(call)))


def list_installations(call: Call) -> Answer:
    """All installations of the App."""
    items, headers = call.page(list(call.world.installations.values()))
    return Answer(body=[_installation(call, one) for one in items], headers=headers)


def repository_installation(call: Call) -> Answer:
    """The installation that covers a repository."""
    found = call.world.installation_of(call.repo.owner)
    if found is None or call.repo.id in found.excluded:
        raise missing()
    return Answer(body=_installation(call, found))


def create_token(call: Call) -> Answer:
    """A token, narrowed to what is asked; never more than the installation has."""
    installation = _found(call)
    if installation.suspended:
        raise Refused(403, "This installation has been suspended")
    body = call.body or {}
    asked = body.get("permissions")
    if asked is not None and not auth.grants(installation.permissions, asked):
        raise invalid("The permissions requested are not granted to this installation.")
    held = {**(asked or installation.permissions), "metadata": "read"}
    scope = _scope(call, installation, body)
    made = call.world.new_token(installation, held, scope)
    answer: dict[str, Any] = {
        "token": made.text,
        "expires_at": stamp(made.expires),
        "permissions": held,
        "repository_selection": "all" if scope is None else "selected",
    }
    if scope is not None:
        chosen = [r for r in call.world.installed(installation) if r.id in scope]
        answer["repositories"] = [shapes.repository(call.world, r, full=False) for r in chosen]
    return Answer(201, answer)


def _scope(call: Call, installation: Installation, body: dict[str, Any]) -> frozenset[int] | None:
    names, numbers = body.get("repositories"), body.get("repository_ids")
    if names is None and numbers is None:
        return None
    installed = call.world.installed(installation)
    wanted = {n.lower() for n in names or ()}
    chosen = {r.id for r in installed if r.name.lower() in wanted or r.id in (numbers or ())}
    if len(chosen) < len({*wanted}) or not {*(numbers or ())} <= chosen:
        raise invalid(
            "There is at least one repository that does not exist or is not accessible to the "
            "parent installation."
        )
    return frozenset(chosen)


def revoke_token(call: Call) -> Answer:
    """Give the token back."""
    del call.world.tokens[call.token.text]
    return Answer(204)


def installation_repositories(call: Call) -> Answer:
    """What the token may see."""
    world, token = call.world, call.token
    seen = [r for r in world.installed(token.installation) if world.visible(token, r)]
    items, headers = call.page(seen)
    shaped = [shapes.repository(world, r) for r in items]
    selection = "all" if token.repositories is None else "selected"
    body = {
        "total_count": len(seen),
        "repository_selection": selection,
        "repositories": shaped,
    }
    return Answer(body=body, headers=headers)


def rate_limit(call: Call) -> Answer:
    """The state of the limits."""
    shape: dict[str, Any] = shapes.template(call.world, "rate-limit/get")
    used = call.world.used
    now = {
        "limit": 5000,
        "used": used,
        "remaining": 5000 - used,
        "reset": int(call.world.window().timestamp()),
    }
    shape["rate"] = now
    shape["resources"]["core"] = dict(now)
    return Answer(body=shape)


def get_hook(call: Call) -> Answer:
    """Where webhooks go; the secret itself is never told."""
    shape: dict[str, Any] = shapes.template(call.world, "apps/get-webhook-config-for-app")
    app = call.world.app
    shape.update(
        url=app.webhook_url,
        content_type="json",
        insecure_ssl="0",
        secret="********",
    )
    if not app.webhook_secret:
        del shape["secret"]
    return Answer(body=shape)


def _delivery(call: Call, one: Delivery, identity: str) -> dict[str, Any]:
    shape: dict[str, Any] = shapes.template(call.world, identity)
    shape = shape[0] if isinstance(shape, list) else shape
    good = 200 <= one.status < 300
    shape.update(
        id=one.id,
        guid=one.guid,
        delivered_at=stamp(one.delivered),
        redelivery=one.redelivery,
        status="OK" if good else "Invalid HTTP Response" if one.status else "failed to connect",
        status_code=one.status or 502,
        event=one.event,
        action=one.action,
        installation_id=one.installation,
        repository_id=one.repository,
        throttled_at=None,
    )
    return shape


def _kept(call: Call) -> list[Delivery]:
    """What GitHub still has (.../redelivering-webhooks: the past three days)."""
    oldest = call.world.clock.now() - KEPT
    return [d for d in call.world.deliveries if d.delivered >= oldest]


def list_deliveries(call: Call) -> Answer:
    """Webhooks of three days, newest first; paged by ``cursor`` (an id: older than it)."""
    kept = list(reversed(_kept(call)))
    if status := call.query.get("status"):
        kept = [d for d in kept if (200 <= d.status < 300) == (status == "success")]
    cursor, size = call.query.get("cursor"), min(int(call.query.get("per_page", 30)), 100)
    if cursor:
        kept = [d for d in kept if d.id < int(cursor)]
    items = kept[:size]
    headers = {}
    if len(kept) > size:
        query = f"?per_page={size}&cursor={items[-1].id}"
        headers["link"] = f'<{call.world.api_url}{call.path}{query}>; rel="next"'
    shaped = [_delivery(call, d, "apps/list-webhook-deliveries") for d in items]
    return Answer(body=shaped, headers=headers)


def _sent(call: Call) -> Delivery:
    wanted = int(call.params["delivery_id"])
    found = next((d for d in _kept(call) if d.id == wanted), None)
    if found is None:
        raise missing()
    return found


def get_delivery(call: Call) -> Answer:
    """One delivery with its payload."""
    one = _sent(call)
    shape = _delivery(call, one, "apps/get-webhook-delivery")
    shape["request"] = {
        "headers": {"X-GitHub-Delivery": one.guid, "X-GitHub-Event": one.event},
        "payload": one.payload,
    }
    return Answer(body=shape)


def redeliver(call: Call) -> Answer:
    """Send a delivery again; it happens after the answer."""
    call.world.redeliver.append(_sent(call))
    return Answer(202, {})


def convert_manifest(call: Call) -> Answer:
    """The App of a code, with the secrets GitHub shows once."""
    made = convert(call.world, call.params["code"])
    shape: dict[str, Any] = shapes.template(call.world, "apps/create-from-manifest", "201")
    shape.update(shapes.app(call.world))
    shape.update(pem=made.private_key, webhook_secret=made.webhook_secret)
    return Answer(201, shape)


ROUTES = {
    "apps/create-from-manifest": convert_manifest,
    "apps/get-authenticated": get_app,
    "apps/get-installation": get_installation,
    "apps/list-installations": list_installations,
    "apps/get-repo-installation": repository_installation,
    "apps/create-installation-access-token": create_token,
    "apps/revoke-installation-access-token": revoke_token,
    "apps/list-repos-accessible-to-installation": installation_repositories,
    "apps/list-webhook-deliveries": list_deliveries,
    "apps/get-webhook-delivery": get_delivery,
    "apps/get-webhook-config-for-app": get_hook,
    "apps/redeliver-webhook-delivery": redeliver,
    "rate-limit/get": rate_limit,
}
