"""A scripted OpenAI-compatible model on loopback, for tests and the demo. No language model.

::

    model = ScriptedModel()
    model.says("first answer", Fault.http_429(retry_after=1), "second answer")
    async with serve(model) as base_url:
        ...                      # OPENAI_BASE_URL=base_url
    model.verify()
"""

from tests.model_server.faults import Fault
from tests.model_server.replies import Reply
from tests.model_server.script import ScriptedModel
from tests.model_server.script_file import read_script
from tests.model_server.server import serve
from tests.model_server.turns import Asked, Held, Rule

__all__ = ["Asked", "Fault", "Held", "Reply", "Rule", "ScriptedModel", "read_script", "serve"]
