"""Render the card of a dataset, its README.md on the Hub, from its manifest.

The card is made of two parts. The YAML header is built as plain data and dumped by a YAML library,
so no text of a manifest can break out of it. The body is a Jinja template in which every value goes
through a filter that takes the meaning out of Markdown and HTML marks.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import StrictUndefined
from jinja2.loaders import FileSystemLoader
from jinja2.sandbox import ImmutableSandboxedEnvironment

from personamem.cards.fields import (
    ANNOTATIONS_FIELDS,
    BENCHMARK_FIELDS,
    CONTEXTS_FIELDS,
    DOCUMENTS_FIELDS,
    OPEN_QUESTIONS_FIELDS,
    QUESTION_TYPE_MEANINGS,
)

CONFIGS = ("benchmark", "contexts", "annotations")
"""Configs of every dataset, each a folder with one Parquet file a split; the first is default."""

OPEN_CONFIGS = ("documents", "open_questions")
"""Configs of a dataset with communities, each with one Parquet file a noise level."""

COUNTED = ("question_types", "topics", "letters")
"""Keys of a split in the manifest that hold counts by name."""

TEMPLATE = "dataset_card.md.jinja"

_SIZE_CATEGORIES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
_MARKDOWN_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


def render_card(manifest: Mapping[str, Any]) -> str:
    """Return the text of README.md for the dataset that ``manifest`` (manifest.json) describes.

    Raises jinja2.UndefinedError or KeyError, naming the key, when the manifest lacks one.
    """
    header = yaml.safe_dump(
        build_metadata(manifest), sort_keys=False, allow_unicode=True, default_flow_style=False
    )
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        # Not autoescape: the output is Markdown, for which HTML escapes are wrong within code.
        # `finalize` makes safe what no filter was named for.
        autoescape=False,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        code=format_code, number=format_number, plain=keep_plain_characters, verified=Verified
    )
    body = environment.get_template(TEMPLATE).render(
        manifest=manifest,
        splits=manifest["splits"],
        default_split=next(iter(manifest["splits"])),
        names={key: _collect_names(manifest, key) for key in COUNTED},
        benchmark_fields=BENCHMARK_FIELDS,
        contexts_fields=CONTEXTS_FIELDS,
        annotations_fields=ANNOTATIONS_FIELDS,
        documents_fields=DOCUMENTS_FIELDS,
        open_questions_fields=OPEN_QUESTIONS_FIELDS,
        question_type_meanings=QUESTION_TYPE_MEANINGS,
    )
    return f"---\n{header}---\n\n{body}"


def build_metadata(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card's YAML header as data: what the Hub and `datasets` read."""
    splits: Mapping[str, Mapping[str, Any]] = manifest["splits"]
    return {
        "pretty_name": f"{manifest['name']} {manifest['version']}",
        "license": "mit",
        "language": ["en"],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual"],
        "source_datasets": ["original"],
        "task_categories": ["question-answering", "multiple-choice"],
        "size_categories": [_categorise_size(sum(s["questions"] for s in splits.values()))],
        "tags": ["personalization", "long-context", "memory", "benchmark", "synthetic"],
        "configs": [
            {
                "config_name": config,
                **({"default": True} if config == CONFIGS[0] else {}),
                "description": f"content {_hash_content(manifest, config, names)}",
                "data_files": [
                    {"split": split, "path": f"{config}/{split}.parquet"} for split in names
                ],
            }
            for config, names in _list_configs(manifest).items()
        ],
    }


class Verified(str):
    """Text that a filter has made safe for its place in the card."""


def escape_markdown(value: object) -> Verified:
    """Return ``value`` on one line with every Markdown and HTML mark shown as itself."""
    return Verified(_MARKDOWN_MARKS.sub(r"\\\1", _flatten(value)))


def format_code(value: object) -> Verified:
    """Return ``value`` on one line as inline code; it may hold backticks, but not pipes."""
    text = _flatten(value).replace("|", "\N{BROKEN BAR}")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return Verified(f"{fence}{pad}{text}{pad}{fence}")


def format_number(value: object) -> Verified:
    """Return an integer with separated thousands. Raises TypeError for anything else."""
    if not isinstance(value, int):
        raise TypeError(f"The card wants an integer here, not {value!r}.")
    return Verified(f"{value:,}")


def keep_plain_characters(value: object) -> Verified:
    """Return ``value`` with everything dropped that could end a code block, a string or a tag."""
    return Verified(re.sub(r"[^\w .+/-]+", "", _flatten(value)))


def _finalize(value: object) -> object:
    """Escape what a template prints without a filter; literal template text is left alone."""
    return value if isinstance(value, Verified) else escape_markdown(value)


def _list_configs(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the splits of each config, by its name."""
    configs = {config: list(manifest["splits"]) for config in CONFIGS}
    if "communities" in manifest:
        levels = list(manifest["communities"]["splits"])
        configs |= {config: levels for config in OPEN_CONFIGS}
    return configs


def _hash_content(manifest: Mapping[str, Any], config: str, splits: Sequence[str]) -> str:
    """Return one digest, in hex, of all data files of a config.

    `datasets` keeps what it has read from a local folder under the folder's last name and a hash of
    this header, and looks at nothing else: with equal headers, a dataset built anew in its place,
    or another one in a folder of the same name, would silently be answered with the old rows.
    """
    digests = [manifest["files"][f"{config}/{split}.parquet"]["sha256"] for split in splits]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _collect_names(manifest: Mapping[str, Any], key: str) -> list[str]:
    """Return the names counted under ``key`` in any split, in order of first appearance."""
    return list(dict.fromkeys(name for split in manifest["splits"].values() for name in split[key]))


def _flatten(value: object) -> str:
    return " ".join(str(value).split())


def _categorise_size(rows: int) -> str:
    return next((name for bound, name in _SIZE_CATEGORIES if rows < bound), "1M<n<10M")
