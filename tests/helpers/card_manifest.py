"""A manifest for tests of the card, and the text that must do no harm in it."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from personamem.cards import render_card
from personamem.cards.scores import Score
from personamem.dataset_builder.families.registry import describe_cards
from personamem.loaders.formats.audit_record import parse_audit
from personamem.loaders.formats.manifest import Manifest

HOSTILE = (
    '"}]\n---\nlicense: other\n<script>alert(1)</script> | {{ 7 * 7 }} '
    "`[x](http://x) {% raw %} # *b*"
)


def make_split(contexts: int, questions: int) -> dict[str, Any]:
    return {
        "budget_tokens": 32_768,
        "contexts": contexts,
        "questions": questions,
        "quads": questions // 4,
        "personas": 20,
        "tokens": 1_234_567,
        "min_context_tokens": 28_001,
        "max_context_tokens": 32_760,
        "question_types": {"suggest_new_ideas": 93, "recall_user_shared_facts": questions - 93},
        "topics": {"therapy": questions},
        "letters": {letter: questions // 4 for letter in "abcd"},
        "levels": {"suggest_new_ideas": {"implied": 93}},
        "distances": [questions, *[0] * 9],
        "context_parts": {"sessions on topics": 1_234_567},
    }


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def make_manifest() -> dict[str, Any]:
    """Return the plain values of a manifest; ``render`` reads them as a manifest is read."""
    splits = {"32k": make_split(40, 592), "1M": make_split(20, 2_676)}
    return {
        "name": "My benchmark",
        "version": "1.2.0",
        "config": {"families": {"personamem": {"sizes": ["32k", "1M"]}}},
        "config_sha256": "0123456789abcdef" * 4,
        "seed": 17,
        "writer": {"name": "template"},
        "tokenizer": "o200k_base",
        "made_with": {"personamem": "0.1.0", "bpe-openai": "0.1.4"},
        "families": {"personamem": {"splits": splits, "checks": {"blind_accuracy": 0.25}}},
        "files": {
            f"{config}/{split}.parquet": make_file(f"{config} {split}")
            for config in ("benchmark", "contexts", "annotations")
            for split in ("32k", "1M")
        },
    }


def make_file(content: str) -> dict[str, Any]:
    return {"sha256": digest(content), "bytes": 5, "rows": 592}


def splits_of(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the record of the splits, to be changed."""
    splits: dict[str, Any] = manifest["families"]["personamem"]["splits"]
    return splits


def render(
    manifest: dict[str, Any],
    audit: Mapping[str, Any] | None = None,
    repo_id: str | None = None,
    scores: list[Score] | None = None,
) -> str:
    """Return the card of plain values, with the text of the families."""
    read = Manifest.model_validate(manifest)
    return render_card(
        read,
        describe_cards(read, repo_id),
        parse_audit(audit) if audit else None,
        repo_id,
        scores or (),
    )


def strip_code(text: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
