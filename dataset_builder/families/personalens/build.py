"""Building PersonaLens: users in parts that workers draw, then quads, tables and checks."""

from collections.abc import Callable
from dataclasses import dataclass

from personamem.dataset_builder.families.base import BuildJob, BuiltFamily, Progress
from personamem.dataset_builder.families.personalens.checks import require_sound
from personamem.dataset_builder.families.personalens.config import PersonaLensConfig, configure
from personamem.dataset_builder.families.personalens.files import write_files, write_tables
from personamem.dataset_builder.families.personalens.official_layout import encode_user
from personamem.dataset_builder.families.personalens.quads import draw_quads
from personamem.dataset_builder.families.personalens.record import summarise
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.dataset_builder.families.personalens.users import User, draw_users
from personamem.dataset_builder.families.personalens.values import list_types
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import SPLIT

USERS_PER_PART = 50


@dataclass(frozen=True, slots=True)
class Part:
    """Some users as a worker returns them, and their files in the official layout by name."""

    users: tuple[User, ...]
    files: dict[str, bytes]


def start_build(job: BuildJob) -> Callable[[], BuiltFamily]:
    """Start to draw users; the returned function waits for them and writes the files."""
    config = configure(job.config)
    starts = range(0, config.users, USERS_PER_PART)
    waits = [job.pool.start(draw_part, (config, start)) for start in starts]

    def finish() -> BuiltFamily:
        users: list[User] = []
        while waits:
            part = waits.pop(0)()
            users += part.users
            write_files(job.folder, part.files)
            job.report(Progress(SPLIT, len(users), config.users, 0))
        data = join_users(config, users)
        checks = require_sound(data)
        rows = write_tables(job.folder, data)
        return BuiltFamily(summarise(data), rows, {SPLIT: checks})

    return finish


def draw_part(job: tuple[PersonaLensConfig, int]) -> Part:
    """Draw the users of one part, and encode their files."""
    config, start = job
    last = min(start + USERS_PER_PART, config.users)
    users = tuple(draw_users(config.seed, config.users, start, last))
    tasks = {task.task_id: task for task, _ in list_tasks()}
    files = {name: body for user in users for name, body in encode_user(user, tasks)}
    return Part(users, files)


def join_users(config: PersonaLensConfig, users: list[User]) -> PersonaLens:
    """Return the whole dataset; quads are drawn over all users."""
    profiles = tuple(user.profile for user in users)
    return PersonaLens(
        source="",
        profiles=profiles,
        tasks=tuple(task for task, _ in list_tasks()),
        scenarios=tuple(scenario for user in users for scenario in user.scenarios),
        preference_types=list_types(),
        quads=tuple(draw_quads(config.seed, profiles, config.quad_rounds)),
    )
