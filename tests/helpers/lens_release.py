"""A PersonaLens release for dialogues: users and tasks that a prompt tells apart."""

from pathlib import Path

from tiny_lens import (
    change_json,
    make_definition,
    make_profile,
    make_user_task,
    write_json,
    write_lines,
    write_release,
)

INTERESTS = ("Books", "Games")


def write_users(folder: Path, number: int) -> Path:
    """Write users with four tasks of one domain each and one of two; each has a country."""
    write_release(folder)
    for domain in INTERESTS:
        task = {**make_definition(1), "User Intent": f"Choose {domain}."}
        write_lines(folder / "task" / domain / "task.jsonl", [task])
    several = {**make_definition(1, ["Books", "Games"]), "User Intent": "Choose several."}
    write_lines(folder / "task" / "Multi-Domain" / "task.jsonl", [several])
    for user in range(number):
        place = folder / "profile" / f"user{user}"
        write_json(place / "profile.json", make_profile(f"user{user}", set(INTERESTS)))
        change_json(
            place / "profile.json", "demographics", "birth_country", value=f"Country {user}"
        )
        single = {
            f"Task {n}": {
                **make_user_task(f"SD-{domain}-task-1", [domain]),
                "User Intent": f"Choose {domain}.",
            }
            for n, domain in enumerate(INTERESTS, start=1)
        }
        write_json(place / "tasks.json", single)
        task = make_user_task("MD-task-1", ["Books", "Games"])
        write_json(place / "tasks_md.json", {"Task 1": {**task, "User Intent": "Choose several."}})
    return folder


def make_reference(user_id: str, intent: str) -> str:
    """Return how the user of the scripted server refers to its dialogue."""
    return f"Country {user_id.removeprefix('user')}: {intent}"
