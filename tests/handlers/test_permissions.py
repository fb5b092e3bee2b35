"""What a person may do, as GitHub says at that moment."""

from __future__ import annotations

import pytest
from gidgethub.abc import GitHubAPI

from handlers.events import User
from handlers.grammar import Need
from handlers.issue_thread import role_of, suffices
from tests.handlers.conftest import REPO
from tests.handlers.github import SmallGitHub

SOMEBODY = User(id=5, login="somebody")


@pytest.mark.parametrize(
    ("role_name", "permission", "role"),
    [
        ("admin", "admin", "admin"),
        ("maintain", "write", "maintain"),
        ("write", "write", "write"),
        ("triage", "read", "triage"),
        ("read", "read", "read"),
        ("none", "none", "none"),
        ("release-manager", "write", "write"),
        ("admin", "read", "read"),
        ("novel", "novel", "none"),
    ],
)
async def test_the_finer_role_counts(
    client: GitHubAPI, github: SmallGitHub, role_name: str, permission: str, role: str
) -> None:
    """A known role name is used where it agrees with the base permission."""
    github.grants("somebody", 5, role_name, permission)

    assert await role_of(client, REPO.full_name, SOMEBODY) == role


async def test_unknown_people_have_no_role(client: GitHubAPI) -> None:
    """A 404 means no."""
    assert await role_of(client, REPO.full_name, SOMEBODY) == "none"


async def test_a_login_that_changed_hands_has_no_role(
    client: GitHubAPI, github: SmallGitHub
) -> None:
    """The role is the commenter's by id, not whoever has that login now."""
    github.grants("somebody", 6, "admin")

    assert await role_of(client, REPO.full_name, SOMEBODY) == "none"


async def test_an_answer_without_a_user_is_no(client: GitHubAPI, github: SmallGitHub) -> None:
    """``user`` may be null, which is nobody."""
    github.permissions["somebody"] = {"permission": "admin", "role_name": "admin", "user": None}

    assert await role_of(client, REPO.full_name, SOMEBODY) == "none"


@pytest.mark.parametrize(
    ("need", "enough"),
    [
        ("anyone", "none"),
        ("read", "read"),
        ("write", "write"),
        ("maintain", "maintain"),
        ("admin", "admin"),
    ],
)
def test_a_role_includes_the_lower_ones(need: Need, enough: str) -> None:
    """A need is met by its role and those above, and by none below."""
    roles = ("none", "read", "triage", "write", "maintain", "admin")

    assert [r for r in roles if suffices(r, need)] == list(roles[roles.index(enough) :])
