"""Import the ``openai`` package without most of its types, which no question needs.

They are more than half of what importing it takes. Whoever asks for one of them gets it.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec

_UNUSED = "openai._vendor.httpx_aiohttp"
"""A part for clients of aiohttp."""


def without_types() -> None:
    """To be called before ``openai`` is imported."""
    sys.modules.setdefault(_UNUSED, None)  # type: ignore[arg-type]
    load_when_asked("openai.types")
    load_when_asked("openai.types.responses")


def load_when_asked(name: str) -> None:
    """Let a package's own code run when a name of it is asked for, not at its import.

    The package around it is one of these itself, or was not imported yet.
    ``importlib.util.LazyLoader`` would run the code as soon as a module below is imported.
    """
    around, _, own = name.rpartition(".")
    outer = find_spec(around)
    spec = PathFinder.find_spec(name, outer.submodule_search_locations) if outer else None
    if name in sys.modules or spec is None or spec.loader is None:
        return
    module, run = module_from_spec(spec), spec.loader.exec_module

    def loaded(attribute: str) -> object:
        if attribute.startswith("__") or not module.__dict__.pop("__getattr__", None):
            raise AttributeError(attribute)
        run(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = loaded
    sys.modules[name] = module
    if around in sys.modules:
        setattr(sys.modules[around], own, module)
