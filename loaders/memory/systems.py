"""Memory systems by name: controls, programs, and classes of the user's own."""

from importlib import import_module
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.memory.controls import CONTROLS, make_control
from personamem.loaders.memory.process import PREFIX, ProcessMemory
from personamem.loaders.memory.protocol import MemorySystem
from personamem.loaders.personamem.dataset import PersonaMem


def make_system(name: str, data: PersonaMem) -> MemorySystem:
    """Return a control, ``cmd:PROGRAM ARGUMENTS``, or what ``module:factory`` returns.

    Raises:
        InvalidInputError: no such control, program, module or factory, or what it returns has no
            ``add`` or no ``search``.
    """
    if name.startswith(PREFIX):
        return ProcessMemory(name.removeprefix(PREFIX))
    if ":" in name:
        return _import_system(name)
    if name not in CONTROLS:
        raise unknown_choice("memory system", name, (*CONTROLS, "cmd:PROGRAM", "module:factory"))
    return make_control(name, data)


def _import_system(name: str) -> MemorySystem:
    module, _, attribute = name.partition(":")
    try:
        factory: Any = getattr(import_module(module), attribute)
        system = factory()
    except ImportError as error:
        raise InvalidInputError(
            f"memory system {name!r}: {module} cannot be imported: {error}"
        ) from error
    except AttributeError as error:
        raise InvalidInputError(f"memory system {name!r}: {error}") from error
    if not isinstance(system, MemorySystem):
        raise InvalidInputError(
            f"memory system {name!r}: a {type(system).__name__} is no memory. Accepted: an object "
            "with the methods add(user, session_id, messages) and search(user, query, as_of, "
            "max_tokens)."
        )
    return system
