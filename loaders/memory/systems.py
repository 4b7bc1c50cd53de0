"""Memory systems by name: controls, packages of others, programs, and classes of the user's own."""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.memory.controls import CONTROLS, make_control
from personamem.loaders.memory.meter import Meter
from personamem.loaders.memory.process import PREFIX, ProcessMemory
from personamem.loaders.memory.protocol import (
    MOST_REWRITTEN,
    Memory,
    MemorySystem,
    call_optional,
)
from personamem.loaders.memory.scoring import cut_to_budget
from personamem.loaders.memory.timeline import MemoryData

if TYPE_CHECKING:
    from personamem.loaders.memory.gateway import Gateway

AGENTIC, AS_RELEASED = "agentic", "agentic-as-released"


@dataclass(frozen=True, slots=True)
class Program:
    """A package that a program of ours drives: what it is called on PyPI, and how it is imported.

    With ``extracts`` a chat model reads what is added.
    """

    file: str
    package: str
    module: str
    extracts: bool = False


PROGRAMS: Mapping[str, Program] = {
    "mem0": Program("mem0_memory.py", "mem0ai", "mem0"),
    "mem0-extract": Program("mem0_memory.py", "mem0ai", "mem0", extracts=True),
    "langgraph": Program("langgraph_memory.py", "langgraph-checkpoint", "langgraph.store.memory"),
}

SHIMS: Mapping[str, str] = {"amb": "amb_memory.py", "benchd": "benchd_memory.py"}
"""Programs that run an adapter written for another harness, named as ``amb:module:Class``."""

NAMES = (*CONTROLS, *PROGRAMS, AGENTIC, AS_RELEASED)

_ADAPTER = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_FOLDER = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a memory system, and the Python environment that has its package.

    Args:
        llm: name of the chat model that systems which extract or rewrite ask.
        llm_server: its server's address, which ends in ``/v1``.
        key_variable: the environment variable with the server's key.
        llm_tokens: that the model may write at a time into the text of an agentic memory.
        embedder: a dense retriever's name or the folder of a model, the same for all systems.
        python: the interpreter; this one unless given.
    """

    llm: str = ""
    llm_server: str = ""
    key_variable: str = "OPENAI_API_KEY"
    llm_tokens: int = MOST_REWRITTEN
    embedder: str = "minilm"
    python: str = sys.executable


def read_models(given: Mapping[str, Any]) -> Models:
    """Return the models that a mapping names. Raises InvalidInputError for what it must not."""
    names = [field.name for field in fields(Models)]
    for name, value in given.items():
        if name not in names:
            raise unknown_choice("option of a memory system", name, names)
        if name != "llm_tokens" and not isinstance(value, str):
            raise InvalidInputError(f"{name} is {value!r}. Accepted: a text.")
    return check_models(Models(**given))


def check_models(models: Models) -> Models:
    """Return models whose numbers can be. Raises InvalidInputError for others."""
    tokens = models.llm_tokens
    if type(tokens) is not int or not 1 <= tokens <= MOST_REWRITTEN:
        raise InvalidInputError(
            f"llm_tokens is {tokens!r}. Accepted: a whole number from 1 to {MOST_REWRITTEN:,}."
        )
    return models


@dataclass(frozen=True, slots=True)
class Instance:
    """A system with nothing in it yet, and what it uses of the gateway's models, if anything."""

    system: MemorySystem
    meter: Meter


class MemoryFactory:
    """Makes instances of one system, which share a gateway; a context manager."""

    def __init__(
        self, name: str, data: MemoryData | None = None, models: Models | None = None
    ) -> None:
        """``name`` is one of ``NAMES``, ``cmd:PROGRAM ARGUMENTS``, ``module:factory``, or
        ``amb:module:Class`` or ``benchd:module:Class``: an adapter of another harness.

        Raises:
            InvalidInputError: there is no such system, or it asks a chat model that nobody named.
        """
        self.name, self.models = name, check_models(models or Models())
        self._data = data
        self._gateway: Gateway | None = None
        if ":" not in name and name not in NAMES:
            raise unknown_choice("memory system", name, (*NAMES, "cmd:PROGRAM", "module:factory"))
        if name in (AGENTIC, AS_RELEASED) or (name in PROGRAMS and PROGRAMS[name].extracts):
            self._check_llm()
        self._opening, self._is_open, self._dimensions = Lock(), False, 0

    def __enter__(self) -> "MemoryFactory":
        """Return the factory."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the gateway."""
        self.close()

    def close(self) -> None:
        """Close the gateway."""
        if self._gateway is not None:
            self._gateway.close()
            self._gateway = None

    def make(self, folder: Path) -> Instance:
        """Return a new instance that keeps its files, if any, in ``folder``.

        Raises:
            InvalidInputError: there is no such package, program, module or factory, or what it
                returns has no ``add`` or no ``search``.
            MemoryFailure: a program does not answer.
        """
        with self._opening:
            if not self._is_open:
                self._open()
                self._is_open = True
        url, meter = self._gateway.open_line() if self._gateway else ("", Meter())
        if self.name in PROGRAMS:
            return Instance(self._start_program(PROGRAMS[self.name], url, folder), meter)
        shim, _, adapter = self.name.partition(":")
        if shim in SHIMS:
            return Instance(self._start_shim(SHIMS[shim], adapter, url, folder), meter)
        if self.name in (AGENTIC, AS_RELEASED):
            from personamem.loaders.memory.agentic import (
                AgenticMemory,
                ChatModel,
                QueryAwareMemory,
            )

            make = AgenticMemory if self.name == AGENTIC else QueryAwareMemory
            return Instance(make(ChatModel(url, self.models.llm, self.models.llm_tokens)), meter)
        if self.name.startswith(PREFIX):
            variables = _describe_models(url, self.models.llm) if url else {}
            command = self.name.removeprefix(PREFIX)
            return Instance(ProcessMemory(command, folder=folder, environment=variables), meter)
        if ":" in self.name:
            system = _import_system(self.name)
            call_optional(system, "open", folder)
            return Instance(system, meter)
        if self.name == "oracle" and self._data is None:
            raise InvalidInputError("memory system oracle: it knows a dataset, and nothing else.")
        return Instance(make_control(self.name, self._data), meter)

    def _open(self) -> None:
        """Check what is needed and open the gateway: a run that is kept needs neither."""
        from personamem.loaders.memory.gateway import ChatServer, Gateway

        name, server = self.name, self.models.llm_server
        if name in PROGRAMS:
            _check_package(name, self.models.python)
        needs_models = name in PROGRAMS or name in (AGENTIC, AS_RELEASED)
        may_ask = name.startswith(PREFIX) or name.partition(":")[0] in SHIMS
        if needs_models or (may_ask and server):
            encoder = self._load_encoder()
            if name in PROGRAMS:
                self._dimensions = len(encoder.embed(["dimensions"])[0])
            chats = ChatServer(server, self.models.key_variable) if server else None
            self._gateway = Gateway(encoder.embed, chats)

    def _load_encoder(self) -> Any:
        from personamem.loaders.retrieval import make_retriever

        retriever = make_retriever(self.models.embedder)
        if not hasattr(retriever, "embed"):
            raise InvalidInputError(
                f"embedder {self.models.embedder!r}. Accepted: minilm, mpnet, bge-m3 or the folder "
                "of a sentence-transformers model."
            )
        return retriever

    def _start_program(self, program: Program, url: str, folder: Path) -> MemorySystem:
        variables = {
            **_describe_models(url, self.models.llm if program.extracts else ""),
            "PERSONAMEM_FOLDER": str(folder),
            "PERSONAMEM_DIMENSIONS": str(self._dimensions),
        }
        return self._start_file(program.file, folder, variables)

    def _start_shim(self, file: str, adapter: str, url: str, folder: Path) -> MemorySystem:
        if not _ADAPTER.fullmatch(adapter):
            raise InvalidInputError(f"adapter {adapter!r}. Accepted: module:Class.")
        variables = _describe_models(url, self.models.llm) if url else {}
        variables |= {"PERSONAMEM_FOLDER": str(folder), "PERSONAMEM_ADAPTER": adapter}
        return self._start_file(file, folder, variables)

    def _start_file(self, file: str, folder: Path, variables: Mapping[str, str]) -> MemorySystem:
        command = shlex.join([*_start_python(self.models.python), str(_FOLDER / file)])
        return _CutMemory(command, folder=folder, environment=variables)

    def _check_llm(self) -> None:
        if not self.models.llm or not self.models.llm_server:
            raise InvalidInputError(
                f"memory system {self.name}: it asks a chat model. Give llm (its name) and "
                "llm_server (an address such as http://localhost:8000/v1)."
            )


class _CutMemory(ProcessMemory):
    """Cuts what a program of ours returns: in its environment nobody counts tokens."""

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return what was found, within the budget."""
        return cut_to_budget(super().search(user, query, as_of, max_tokens), max_tokens)[0]


def _describe_models(url: str, llm: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "PERSONAMEM_LLM": llm}


def _start_python(python: str) -> tuple[str, ...]:
    """Return how another environment's Python starts: without what PYTHONPATH adds to this one."""
    return python, "-E"


def _check_package(name: str, python: str) -> None:
    program = PROGRAMS[name]
    words = [*_start_python(python), "-c", f"import {program.module}"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise InvalidInputError(f"python {python!r} cannot be started: {error}") from error
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise InvalidInputError(
            f"memory system {name}: {python} does not have it ({said}). Run "
            f"{shlex.quote(python)} -m pip install {program.package}, or name the interpreter of "
            "another environment (python)."
        )


def _import_system(name: str) -> MemorySystem:
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        # As `python -m` does: a module of the folder where the command runs.
        sys.path.insert(0, "")
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
