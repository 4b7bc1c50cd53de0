"""Writes a PersonaBench release of one small community in the official layout.

Four people, the first two with documents, and every form of answer that the release has.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOISES = ("0.0", "0.5")
NAMES = ("Ilse Brandt", "Omar Said", "Ruth Amsel", "Piet Vos")
COMMUNITY = "synthetic_data/community_7"

Item = dict[str, Any]

QUESTIONS: dict[str, list[tuple[str, Any, str, str, list[str] | None]]] = {
    "Ilse Brandt": [
        ("Where do I work?", "Bell foundry", "Basic information", "easy", None),
        ("How old am I?", 41, "Basic information", "easy", None),
        ("Which pets do I have?", [{"cat": "Mull"}, {"dog": "O'Rex"}], "Basic information", "easy",
         None),
        ("Which cities do I like?", ["Ghent", "Łódź"], "Preference", "easy", None),
        ("What do I drink?", ["rooibos", "iced mate", "cider", "kvass", "mead"], "Preference",
         "hard", ["hot mate"]),
        ("Which fits me? A: Curious or B: Dull", "A", "Subjective", "easy", None),
        ("Who is Omar Said to me?", "neighbor", "Social", "easy", None),
        ("What does my sister play?", "the viola", "Social", "hard", None),
    ],
    "Omar Said": [
        ("Which season do I prefer?", "Autumn", "Preference", "hard", None),
        ("Who is Ilse Brandt to me?", "neighbor", "Social", "easy", None),
    ],
    "Ruth Amsel": [("What do I play?", "the viola", "Basic information", "easy", None)],
    "Piet Vos": [("Where was I born?", "Delft", "Basic information", "easy", None)],
}  # fmt: skip

GOLD: dict[str, dict[str, list[int]]] = {
    "Where do I work?": {"Bell foundry": [0]},
    "How old am I?": {"41": [1]},
    "Which pets do I have?": {"(('dog', \"O'Rex\"),)": [2], "(('cat', 'Mull'),)": [3, 0]},
    "Which cities do I like?": {"Łódź": [1], "Ghent": [2]},
    "What do I drink?": {
        "mead": [3], "rooibos": [0], "cider": [1, 2], "kvass": [2], "iced mate": [4],
    },
    "Which fits me? A: Curious or B: Dull": {"Curious": [0], "Patient": [4]},
    "Who is Omar Said to me?": {"Omar Said": [1]},
    "What does my sister play?": {"the viola": [0]},
    "Which season do I prefer?": {"Autumn": [1]},
    "Who is Ilse Brandt to me?": {"Ilse Brandt": [0]},
}  # fmt: skip
"""Value -> indices of the sessions that reveal it, by question."""

SESSIONS = {"Ilse Brandt": 5, "Omar Said": 3}


def write_release(folder: Path) -> Path:
    """Write the release and return its folder ``eval_data_v1``."""
    root = folder / "eval_data_v1"
    community = root / COMMUNITY
    ids = {name: f"00700{index}" for index, name in enumerate(NAMES)}
    _write(community / "graph_json/social_graph.json", _make_graph())
    questions: dict[str, list[Item]] = {
        name: [
            {
                "q_id": f"{ids[name]}{number:03d}",
                "question": text,
                "answer": answer,
                "type": kind,
                "difficulty": difficulty,
                "outdated_value": outdated,
            }
            for number, (text, answer, kind, difficulty, outdated) in enumerate(asked)
        ]
        for name, asked in QUESTIONS.items()
    }
    _write(
        community / "eval_info/eval_info_all.json",
        [{"Name": name, "Eval_Info": {"qa": asked}} for name, asked in questions.items()],
    )
    for noise in NOISES:
        gold = [
            {
                "q_id": item["q_id"],
                "question": item["question"],
                "answer": item["answer"],
                "segment_id": {
                    value: [f"{ids[name]}{index:06d}" for index in indices]
                    for value, indices in GOLD[item["question"]].items()
                },
            }
            for name in SESSIONS
            for item in questions[name]
        ]
        _write(community / f"eval_info/qa_gt_context_all_noise_{noise}.json", gold)
        for kind, make in (
            ("conversation", _make_conversations),
            ("user_ai_interaction", _make_interactions),
            ("purchase_history", _make_purchases),
        ):
            people = [
                {"Name": name, "Data": make(name, ids[name], count + (2 if noise != "0.0" else 0))}
                for name, count in SESSIONS.items()
            ]
            _write(community / f"private_data/noise_{noise}/{kind}_data_all.json", people)
    return root


def edit_json(path: Path, change: Callable[[Any], object]) -> None:
    """Change the content of a JSON file in place; what ``change`` returns is of no use."""
    content = json.loads(path.read_text("utf-8"))
    change(content)
    _write(path, content)


def _make_graph() -> Item:
    def edge(source: int, target: int, relationship: str) -> Item:
        properties = {"relationship": relationship, "description": f"{source} and {target}."}
        return {"source": source, "target": target, "properties": properties}

    return {
        "nodes": [
            {"node": number, "properties": {"name": name, "persona": f"{name} rings bells."}}
            for number, name in enumerate(NAMES, start=1)
        ],
        "edges": [edge(1, 2, "neighbor"), edge(2, 1, "neighbor"), edge(3, 1, "sister")],
    }


def _stamp(index: int) -> str:
    return f"2024/Oct/{14 + index:02d}/0{index + 1}:05 PM"


def _make_conversations(name: str, prefix: str, count: int) -> list[Item]:
    """The sessions but the last two, the even ones with one person, the odd with another."""
    partners = [other for other in NAMES if other != name][:2]
    return [
        {
            "Target_name": partner,
            "Conversations": [
                {
                    "session": f"conversation---session---{number}",
                    "time": _stamp(index),
                    "target_name": partner,
                    "conversation": [
                        {"role": name, "content": f'Number {index}, "Łódź" — is it far?'},
                        {"role": partner, "content": f"Not from Ghent; take train {index}."},
                    ],
                    "segment_id": f"{prefix}{index:06d}",
                }
                for number, index in enumerate(range(parity, count - 2, 2), start=1)
            ],
        }
        for parity, partner in enumerate(partners)
    ]


def _make_interactions(name: str, prefix: str, count: int) -> list[Item]:
    index = count - 2
    return [
        {
            "session": "user_ai_interaction---session---1",
            "time": _stamp(index),
            "user_ai_interaction": [
                {"role": "user", "content": "How long does mead keep?"},
                {"role": "assistant", "content": "For years, in a cool place."},
            ],
            "segment_id": f"{prefix}{index:06d}",
        }
    ]


def _make_purchases(name: str, prefix: str, count: int) -> list[Item]:
    index = count - 1
    return [
        {
            "session": "purchase_history---session---1",
            "time": _stamp(index),
            "purchase_history": [
                {
                    "title": "Cat tree",
                    "description": "Stands firm.",
                    "brand": "Miaou",
                    "categories": ["Pets", "Cats"],
                }
            ],
            "segment_id": f"{prefix}{index:06d}",
        }
    ]


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
