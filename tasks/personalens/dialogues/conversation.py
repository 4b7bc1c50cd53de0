"""Holding a dialogue: a solver of inspect-ai.

The user opens, then reply and answer take turns. When the user writes the stop word, the assistant
replies once more and the dialogue ends. Without it, the dialogue ends on the user's last turn after
the limit of its kind of task. A user who writes nothing ends it too, and so does a dialogue that no
longer fits a model's window: these are outcomes that reports count, not errors.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from personamem.tasks.personalens.dialogues.models import (
    USER_ROLE,
    Reply,
    ask,
    find_models,
    make_policy,
)
from personamem.tasks.personalens.dialogues.prompts import (
    Scene,
    make_assistant_prompt,
    make_opening_prompt,
    make_user_prompt,
)
from personamem.tasks.personalens.dialogues.scenes import find_scene
from personamem.tasks.personalens.dialogues.settings import (
    MAX_PAIRS,
    MAX_REPLY_TOKENS,
    SETTINGS,
    STOP_WORD,
    USER_TEMPERATURE,
)
from personamem.tasks.personalens.dialogues.transcript import Turn, count_pairs, drop_stop_word

End = Literal["stop word", "turn limit", "empty user", "window of user", "window of assistant"]

RECORD = "dialogue"
"""The name in a sample's store under which a ``DialogueRecord`` is kept, as plain values."""


@dataclass(slots=True)
class DialogueRecord:
    """How a dialogue went.

    ``ended`` is why it ended, None where inspect-ai cut it short by a limit of its own. ``pairs``
    counts replies of the assistant, ``empty_replies`` those without a text, ``stop_words`` those in
    which the assistant wrote the stop word, which ends nothing.
    """

    setting: str
    ended: End | None = None
    pairs: int = 0
    empty_replies: int = 0
    stop_words: int = 0


@solver
def hold_dialogue(
    source: str,
    setting: str,
    max_pairs: int | None = None,
    max_tokens: int | None = None,
    run: str = "",
) -> Solver:
    """Hold the dialogue of a sample between the model under test and the role ``user``.

    Args:
        source: of the users.
        setting: what the assistant is told, of ``SETTINGS``.
        max_pairs: the most pairs of messages; by default those of the protocol.
        max_tokens: the most tokens of a message of the user; by default those of the protocol.
        run: see ``make_policy``.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        dialogue = Dialogue(
            state=state,
            scene=find_scene(source, state.metadata),
            setting=setting,
            policy=make_policy(run, dialogue=str(state.sample_id), setting=setting),
            max_tokens=max_tokens or MAX_REPLY_TOKENS,
        )
        try:
            limit = MAX_PAIRS[dialogue.scene.task.kind] if max_pairs is None else max_pairs
            dialogue.record.ended = await dialogue.hold(limit)
        finally:
            dialogue.keep()
        return state

    return solve


class Dialogue:
    """A dialogue under way; its turns are the messages of ``state``."""

    def __init__(
        self,
        state: TaskState,
        scene: Scene,
        setting: str,
        policy: CachePolicy | None,
        max_tokens: int,
    ) -> None:
        """Begin without messages: the intent of the task is no message of the dialogue."""
        self.state, self.scene, self.setting, self.policy = state, scene, setting, policy
        self.state.messages = []
        self.user_config = GenerateConfig(temperature=USER_TEMPERATURE, max_tokens=max_tokens)
        self.record = DialogueRecord(self.setting)
        self.turns: list[Turn] = []

    async def hold(self, max_pairs: int) -> End:
        """Hold the dialogue and return why it ended."""
        opening = await self._ask_user()
        if opening.is_cut or not drop_stop_word(opening.text):
            return "window of user" if opening.is_cut else "empty user"
        self._add(Turn("user", drop_stop_word(opening.text)))
        for _ in range(max_pairs):
            if not await self._reply():
                return "window of assistant"
            answer = await self._ask_user()
            if answer.is_cut:
                return "window of user"
            if STOP_WORD in answer.text:
                self._add(Turn("user", drop_stop_word(answer.text)))
                return "stop word" if await self._reply() else "window of assistant"
            if not answer.text:
                return "empty user"
            self._add(Turn("user", answer.text))
        return "turn limit"

    def keep(self) -> None:
        """Store how the dialogue went."""
        self.record.pairs = count_pairs(self.turns)
        record: dict[str, Any] = asdict(self.record)
        self.state.store.set(RECORD, record)

    async def _ask_user(self) -> Reply:
        prompt = make_user_prompt(self.scene, self.turns) if self.turns else None
        messages = prompt or make_opening_prompt(self.scene)
        return await ask(find_models(USER_ROLE)[0], messages, self.user_config, self.policy)

    async def _reply(self) -> bool:
        """Add the assistant's reply; return False if the dialogue does not fit its window."""
        prompt = make_assistant_prompt(self.scene, SETTINGS[self.setting], self.turns)
        model = get_model()
        reply = await ask(model, prompt, GenerateConfig(), self.policy)
        if reply.is_cut:
            return False
        self.record.empty_replies += not reply.text
        self.record.stop_words += STOP_WORD in reply.text
        self._add(Turn("assistant", reply.text))
        self.state.output = ModelOutput.from_content(str(model), reply.text)
        return True

    def _add(self, turn: Turn) -> None:
        self.turns.append(turn)
        make = ChatMessageUser if turn.side == "user" else ChatMessageAssistant
        self.state.messages.append(make(content=turn.text))


def read_turns(messages: list[ChatMessage]) -> list[Turn]:
    """Return the turns of a dialogue from the messages of its sample."""
    return [
        Turn("user" if message.role == "user" else "assistant", message.text)
        for message in messages
        if message.role in ("user", "assistant")
    ]
