"""A model as the second checker of profiles: what it is asked, how it is read, what is counted."""

import json
from pathlib import Path

import pytest
from calling import call
from scripted_server import Received, make_answer, make_reply, serve_script

from personamem.dataset_builder.families.personalens.checker.checking import render_profile
from personamem.dataset_builder.families.personalens.checker.verdicts import Verdict, read_verdict
from personamem.loaders.personalens import load_personalens

CONFLICT, SOUND = Verdict(True, ""), Verdict(False, "")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"conflict": 1, "reason": "Vegan, and\\n eats lamb."}', "Vegan, and eats lamb."),
        ('Let me see.\n```json\n{"conflict": true, "reason": "Two."}\n```', "Two."),
        ('{"verdict": {"conflict": "1", "reason": "Deep."}}', "Deep."),
        ('<think>{"conflict": 0}</think>{"conflict": 1, "reason": "Late."}', "Late."),
        ('{"conflict": 1}', CONFLICT),
        ('{"conflict": 0, "reason": "Nothing rules anything out."}', SOUND),
        ('{"conflict": false, "reason": ""}', SOUND),
        ('{"conflict": "No"}', SOUND),
        ("Conflict: 1", CONFLICT),
        ("**Conflict:** 0", SOUND),
        ("All is well.\n- conflict = **no**.", SOUND),
        ("> CONFLICT: Yes, between diet and dishes", CONFLICT),
        ("Conflict: 1 (diet)", CONFLICT),
        ('{"conflict": 1}\nConflict: 1', CONFLICT),
        ('{"conflict": 1} or {"conflict": 0}', None),
        ('{"conflict": 0}\nConflict: 1', None),
        ('{"conflict": 2}', None),
        ('{"conflict": null}', None),
        ('{"conflict": 0.5}', None),
        ('{"conflict": 1, "reason": "cut', None),
        ("Conflict: 0.5", None),
        ("Conflict: 0 or 1", None),
        ("Conflict: 1/10", None),
        ("Conflict: none found", None),
        ("There is no conflict.", None),
        ("1", None),
        ("<think>it never ends", None),
        ("", None),
        ("{" * 1000, None),
    ],
)
def test_a_verdict_is_read_or_it_is_none(reply: str, expected: Verdict | str | None) -> None:
    verdict = Verdict(True, expected) if isinstance(expected, str) else expected
    assert read_verdict(reply) == verdict


def test_a_model_sees_demographics_and_every_preference(tiny_dataset: Path) -> None:
    profile = load_personalens(tiny_dataset).profiles[0]
    text = render_profile(profile)
    assert f"- Age: {profile.demographics.age}\n" in text
    domains = {preference.domain for preference in profile.preferences}
    assert len(domains) == 20
    assert all(text.count(f"\n\n{domain}:\n- ") == 1 for domain in domains)
    for preference in profile.preferences:
        assert f"\n- {preference.type}: {', '.join(preference.values) or '(none)'}\n" in text


def answer(received: Received) -> list[bytes]:
    """Flag one profile, be unreadable of another, refuse a third."""
    prompt = json.loads(received.body)["messages"][-1]["content"]
    number = PROMPTS.index(prompt)
    if number == 0:
        return [make_answer('{"conflict": 1, "reason": "[b]Retired[/b] at 20."}')]
    if number == 1:
        return [make_answer("I would rather not say.")]
    if number == 2:
        return [make_reply(400, b'{"error": {"code": "content_filter", "message": "no"}}')]
    return [make_answer('{"conflict": 0, "reason": ""}')]


PROMPTS: list[str] = []


@pytest.mark.system
def test_what_a_model_flags_is_reported_with_its_reason(tiny_dataset: Path, tmp_path: Path) -> None:
    profiles = load_personalens(tiny_dataset, 20).profiles
    PROMPTS[:] = [render_profile(profile) for profile in profiles]
    store = tmp_path / "opinions.sqlite"
    words = ("stats", tiny_dataset, "--sample", 20, "--draws", 0, "--check", "--store", store)
    words += ("--checker-model", "reader")
    with serve_script(answer) as server:
        planned = call(*words, "--plan", "--price-input", "1", "--price-output", "2")
        assert "calls: 20, and 0 whose opinion is stored" in planned.stdout
        assert "price: at most" in planned.stdout
        assert (server.received, store.exists()) == ([], False)
        done = call(*words, "--base-url", server.url)
        assert done.returncode == 0, done.stderr
        assert len(server.received) == 20
    assert f"{profiles[0].user_id}, by reader: [b]Retired[/b] at 20." in done.stdout
    (row,) = (line for line in done.stdout.split("\n") if line.startswith("│ 20 "))
    assert [cell.strip() for cell in row.split("│")[1:-1]] == ["20", "17", "1", "1", "1", "0"]
    # The server is gone: the file answers, and what failed stays failed.
    again = call(*words, "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)["checker"]
    assert [found[name] for name in ("sound", "flagged", "unreadable", "failed")] == [17, 1, 1, 1]
    assert found["opinions"][1]["reply"] == "I would rather not say."
    assert found["opinions"][2]["status"] == "failed"
    other = call(*words[:-1], "another")
    assert other.returncode == 2
    assert "lacks 20 opinions of 'another'" in " ".join(other.stderr.split())


def test_a_model_is_asked_with_check_alone(tmp_path: Path) -> None:
    done = call("stats", tmp_path, "--checker-model", "reader")
    assert done.returncode == 2
    assert "Accepted: with --check and --checker-model NAME." in " ".join(done.stderr.split())
