"""Pictures of a release: the highest control of each kind and level, and models beside them."""

import xml.etree.ElementTree as ElementTree

from personamem.cards import Score
from personamem.dataset_builder.publish.pictures import draw_measured
from personamem.loaders.formats.audit_record import AuditRecord, parse_audit


def make_audit(**policies: dict[str, float]) -> AuditRecord:
    rows = [
        {
            "policy": policy,
            "question_type": group,
            "questions": 64,
            "accuracy": accuracy,
            "interval_95": [accuracy - 0.05, accuracy + 0.05],
        }
        for policy, found in policies.items()
        for group, accuracy in found.items()
    ]
    part = {"findings": [], "baselines": {"blind": rows, "shallow": []}}
    return parse_audit(
        {
            "source": "s",
            "manifest_sha256": None,
            "personamem": "0",
            "content_sha256": "",
            "parts": {"4k": part, "dataset": {"findings": [], "baselines": {}}},
        }
    )


AUDIT = make_audit(
    longest={"overall": 0.3, "recall": 0.9, "level implied": 0.2},
    shortest={"overall": 0.25, "recall": 0.1, "level implied": 0.4},
)


def read_titles(svg: str) -> list[str]:
    space = "{http://www.w3.org/2000/svg}"
    return [str(group.findtext(f"{space}title")) for group in ElementTree.fromstring(svg).iter()]


def test_the_highest_control_of_each_group_is_shown() -> None:
    (controls,) = draw_measured(AUDIT, ())
    assert controls.path == "pictures/controls.svg"
    titles = [title for title in read_titles(controls.svg) if title.startswith("4k, ")]
    assert titles == [
        "4k, question and options alone, overall: 30.0 % (25.0-35.0 %) of 64",
        "4k, question and options alone, implied: 40.0 % (35.0-45.0 %) of 64",
    ]


def test_models_are_shown_by_the_levels_that_the_audit_knows() -> None:
    groups = {"implied": 0.5, "recall_user_shared_facts": 1.0}
    score = Score("own/<model>", "personamem_4k", 0.75, 0.05, 64, "2026-01-01", groups)
    _, models = draw_measured(AUDIT, [score])
    titles = [title for title in read_titles(models.svg) if title.startswith("own/<model>")]
    assert titles == [
        "own/<model>, personamem_4k, overall: 75.0 % (65.2-84.8 %) of 64",
        "own/<model>, personamem_4k, implied: 50.0 % (50.0-50.0 %) of 64",
    ]


def test_without_figures_there_is_no_picture() -> None:
    assert draw_measured(make_audit(), ()) == []
