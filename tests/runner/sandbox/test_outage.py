"""An engine that is down, sick or lacks the image is an outage, told with what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from runner.errors import Outage
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.docker_engine import engine_address
from tests.runner.sandbox.sandbox_bench import IMAGE, SPEC, working_sandbox

# without a charset, as engines say it
JSON = {"Content-Type": "application/json"}
SICK = b'{"message": "the disk of the engine is full"}'


@pytest.fixture
async def sick_engine(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The address of an engine that tells its version and fails at everything else."""
    about = {"ApiVersion": "1.41", **getattr(request, "param", {})}

    async def answer(request: web.Request) -> web.Response:
        if request.path.endswith("/version"):
            return web.json_response(about)
        return web.Response(body=SICK, status=500, headers=JSON)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    socket = tmp_path / "engine.sock"
    await web.UnixSite(runner, str(socket)).start()
    yield f"unix://{socket}"

    await runner.cleanup()


def sandbox_at(address: str) -> DockerSandbox:
    """A sandbox of the engine at ``address``."""
    return DockerSandbox(owner="nobody", image=IMAGE, address=address)


async def test_a_dead_engine_is_an_outage_of_the_check(tmp_path: Path) -> None:
    """The check of an engine that is not there says where it was looked for and what to do."""
    with pytest.raises(Outage, match=r"none\.sock.*Start the Docker Engine"):
        await sandbox_at(f"unix://{tmp_path}/none.sock").check()


async def test_a_dead_engine_is_an_outage_of_an_opening(tmp_path: Path) -> None:
    """Nothing is opened, and nothing else raised, when no engine answers."""
    with pytest.raises(Outage, match="No Docker Engine answers"):
        await sandbox_at(f"unix://{tmp_path}/none.sock").open(SPEC)


async def test_an_address_that_is_none_is_an_outage() -> None:
    """A DOCKER_HOST that cannot be an address is told as such."""
    with pytest.raises(Outage, match="nonsense is not the address"):
        await sandbox_at("nonsense").check()


async def test_an_engine_s_own_failure_is_an_outage(sick_engine: str) -> None:
    """What a failing engine says is passed on."""
    with pytest.raises(Outage, match=r"refused \(500\): the disk of the engine is full"):
        await sandbox_at(sick_engine).open(SPEC)


@pytest.mark.parametrize(
    "sick_engine", [{"Components": [{"Name": "Podman Engine", "Version": "4.3.1"}]}], indirect=True
)
async def test_podman_is_no_docker_engine(sick_engine: str) -> None:
    """It refuses what containers are made with: said at once, so that ``auto`` looks further."""
    with pytest.raises(Outage, match=r"Podman answers at .* use bubblewrap"):
        await sandbox_at(sick_engine).check()


@pytest.mark.docker
async def test_a_missing_image_is_an_outage_that_names_it() -> None:
    """An image that the engine does not hold is named, with the ways to get it."""
    await working_sandbox("docker")
    sandbox = DockerSandbox(owner="nobody", image="cairn-no-such-image:1")

    with pytest.raises(Outage, match=r"cairn-no-such-image:1.*docker pull"):
        await sandbox.open(SPEC)
    with pytest.raises(Outage, match=r"cairn-no-such-image:1.*docker pull"):
        await sandbox.check()


def test_docker_host_names_the_engine() -> None:
    """The usual variable wins over every standard place."""
    assert engine_address({"DOCKER_HOST": "tcp://127.0.0.1:2375"}) == "tcp://127.0.0.1:2375"
