"""A manifest for tests of the card, and the text that must do no harm in it."""

import re
from typing import Any

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
    }


def make_manifest() -> dict[str, Any]:
    return {
        "name": "My benchmark",
        "version": "1.2.0",
        "config": {"sizes": ["32k", "1M"]},
        "config_sha256": "0123456789abcdef" * 4,
        "seed": 17,
        "writer": {"name": "template", "model": None},
        "tokenizer": "o200k_base",
        "made_with": {"personamem": "0.1.0", "bpe-openai": "0.1.4"},
        "splits": {"32k": make_split(40, 592), "1M": make_split(20, 2_676)},
        "files": {
            f"{config}/{split}.parquet": {"sha256": f"{config} {split}", "bytes": 5, "rows": 592}
            for config in ("benchmark", "contexts", "annotations")
            for split in ("32k", "1M")
        },
        "checks": {"blind_accuracy": 0.25},
    }


def strip_code(text: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
