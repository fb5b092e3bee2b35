"""What the Docker Engine knows of a server's containers."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aiodocker import Docker

from app.settings import ServerSettings
from runner.sandbox.docker_engine import OWNER, engine_address


@dataclass
class Containers:
    """The containers of one server, since this object was made."""

    settings: ServerSettings
    since: float = field(default_factory=lambda: datetime.now(UTC).timestamp())

    @property
    def _mine(self) -> str:
        return f"{OWNER}={self.settings.cairn_data_dir.resolve()}"

    async def there(self) -> set[str]:
        """Ids of those that exist now."""
        async with Docker(url=engine_address(os.environ)) as docker:
            filters = json.dumps({"label": [self._mine]})
            found = await docker.containers.list(all=True, filters=filters)
            return {container.id for container in found}

    async def history(self) -> Counter[str]:
        """How often one was created or destroyed; an engine remembers only its last events."""
        until = datetime.now(UTC).timestamp()
        filters = json.dumps({"label": [self._mine], "type": ["container"]})
        asked = {"since": f"{self.since:.9f}", "until": f"{until:.9f}", "filters": filters}
        async with Docker(url=engine_address(os.environ)) as docker:
            address = f"{docker.docker_host}/events"
            async with docker.session.get(address, params=asked) as answer:
                events = [json.loads(line) for line in (await answer.text()).splitlines()]
        return Counter(event["Action"] for event in events)
