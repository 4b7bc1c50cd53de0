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

from personamem.cards.audit import Family, Section, list_families, list_sections
from personamem.cards.fields import CONFIGS, QUESTION_TYPE_MEANINGS, Config
from personamem.cards.scores import Score, make_entries

COUNTED = ("question_types", "topics", "letters")
"""Keys of a split in the manifest that hold counts by name."""

TEMPLATE = "dataset_card.md.jinja"

_SIZE_CATEGORIES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
_SEAL = "<!-- Made by personamem. SHA-256 of all above: {} -->\n"
_MARKDOWN_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


def render_card(
    manifest: Mapping[str, Any],
    audit: Mapping[str, Any] | None = None,
    repo_id: str | None = None,
    scores: Sequence[Score] = (),
) -> str:
    """Return the text of README.md for the dataset that ``manifest`` (manifest.json) describes.

    ``audit`` is what ``personamem audit --json`` writes, ``repo_id`` the Hub id under which the
    dataset is published, ``scores`` what models reached. Each adds its section.

    Raises jinja2.UndefinedError or KeyError, naming the key, when one of them lacks one.
    """
    header = yaml.safe_dump(
        build_metadata(manifest, audit, repo_id, scores),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
    )
    body = (
        _make_environment()
        .get_template(TEMPLATE)
        .render(
            manifest=manifest,
            splits=manifest["splits"],
            default_split=next(iter(manifest["splits"])),
            names={key: _collect_names(manifest, key) for key in COUNTED},
            configs=_find_configs(manifest),
            question_type_meanings=QUESTION_TYPE_MEANINGS,
            built_checks=_list_checks(manifest),
            written_kinds=_list_written(manifest),
            written_with=_list_parameters(manifest),
            audited=list(audit["splits"]) if audit else [],
            sections=_list_sections(audit),
            families=_list_families(audit),
            scores=scores,
            source=repo_id or "SOURCE",
            pinned=f"{repo_id}@v{manifest['version']}" if repo_id else "SOURCE",
            published=repo_id is not None,
        )
    )
    text = f"---\n{header}---\n\n{body}"
    return text + _SEAL.format(hashlib.sha256(text.encode()).hexdigest())


def is_as_rendered(text: str) -> bool:
    """Say whether a card is still as ``render_card`` returned it, of whatever dataset."""
    above, mark, _ = text.rpartition(_SEAL.partition("{}")[0])
    return bool(mark) and text == above + _SEAL.format(hashlib.sha256(above.encode()).hexdigest())


def build_metadata(
    manifest: Mapping[str, Any],
    audit: Mapping[str, Any] | None = None,
    repo_id: str | None = None,
    scores: Sequence[Score] = (),
) -> dict[str, Any]:
    """Return the card's YAML header as data: what the Hub and `datasets` read.

    ``eval_results`` has the form of a model's ``.eval_results`` files; it needs the Hub id.
    """
    splits: Mapping[str, Mapping[str, Any]] = manifest["splits"]
    configs = _find_configs(manifest)
    entries = make_entries(repo_id, manifest["version"], audit, scores) if repo_id else []
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
                "config_name": config.name,
                **({"default": True} if config is next(iter(configs)) else {}),
                "description": f"content {_hash_content(manifest, config.name, found)}",
                "data_files": [
                    {"split": split, "path": f"{config.name}/{split}.parquet"} for split in found
                ],
            }
            for config, found in configs.items()
        ],
        **({"eval_results": entries} if entries else {}),
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


def format_percent(value: object) -> Verified:
    """Return a share from 0 to 1 in percent. Raises TypeError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"The card wants a share from 0 to 1 here, not {value!r}.")
    return Verified(f"{100 * value:.1f} %")


def keep_plain_characters(value: object) -> Verified:
    """Return ``value`` with everything dropped that could end a code block, a string or a tag."""
    return Verified(re.sub(r"[^\w .+/-]+", "", _flatten(value)))


def keep_address_characters(value: object) -> Verified:
    """Return a folder's name or ``owner/name@revision``, with everything else dropped."""
    return Verified(re.sub(r"[^\w.+/@-]+", "", _flatten(value)))


def _finalize(value: object) -> object:
    """Escape what a template prints without a filter; literal template text is left alone."""
    return value if isinstance(value, Verified) else escape_markdown(value)


def _make_environment() -> ImmutableSandboxedEnvironment:
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
        address=keep_address_characters,
        code=format_code,
        number=format_number,
        percent=format_percent,
        plain=keep_plain_characters,
        verified=Verified,
    )
    return environment


def _find_configs(manifest: Mapping[str, Any]) -> dict[Config, list[str]]:
    """Return the configs that the dataset has files of, with the names of their splits."""
    found = {config: _find_splits(manifest, config.name) for config in CONFIGS}
    return {config: splits for config, splits in found.items() if splits}


def _find_splits(manifest: Mapping[str, Any], config: str) -> list[str]:
    """Return a config's splits: those of contexts in the manifest's order, then others."""
    paths = [name.split("/") for name in manifest["files"] if name.endswith(".parquet")]
    there = [path[1].removesuffix(".parquet") for path in paths if path[0] == config]
    ordered = [split for split in manifest["splits"] if split in there]
    return ordered + sorted(set(there) - set(ordered))


def _hash_content(manifest: Mapping[str, Any], config: str, splits: Sequence[str]) -> str:
    """Return one digest, in hex, of all data files of a config.

    `datasets` keeps what it has read from a local folder under the folder's last name and a hash of
    this header, and looks at nothing else: with equal headers, a dataset built anew in its place,
    or another one in a folder of the same name, would silently be answered with the old rows.
    """
    digests = [manifest["files"][f"{config}/{split}.parquet"]["sha256"] for split in splits]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _list_checks(manifest: Mapping[str, Any]) -> list[tuple[str, str, object]]:
    """Return the checks of the build as rows of split, check and result."""
    return [
        (place, name, result)
        for place, results in manifest["checks"].items()
        for name, result in (results.items() if isinstance(results, Mapping) else [("", results)])
    ]


def _list_written(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, int]]:
    """Return the counts of the pieces that a model was to write, by their kind."""
    writer = manifest["writer"]
    return {kind: counts for kind, counts in writer.items() if isinstance(counts, Mapping)}


def _list_parameters(manifest: Mapping[str, Any]) -> dict[str, object]:
    """Return what is known of how the model was asked."""
    settings = manifest["config"].get("model") or {}
    known = {name: value for name, value in settings.items() if name != "name"}
    prompts = {"SHA-256 of the prompts": manifest["writer"].get("prompts_sha256")}
    return {name: value for name, value in (known | prompts).items() if value is not None}


def _list_sections(audit: Mapping[str, Any] | None) -> list[Section]:
    return list_sections(audit) if audit else []


def _list_families(audit: Mapping[str, Any] | None) -> list[Family]:
    return list_families(audit) if audit else []


def _collect_names(manifest: Mapping[str, Any], key: str) -> list[str]:
    """Return the names counted under ``key`` in any split, in order of first appearance."""
    return list(dict.fromkeys(name for split in manifest["splits"].values() for name in split[key]))


def _flatten(value: object) -> str:
    return " ".join(str(value).split())


def _categorise_size(rows: int) -> str:
    return next((name for bound, name in _SIZE_CATEGORIES if rows < bound), "1M<n<10M")
