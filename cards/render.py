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

from personamem.cards.audit import list_baselines, list_sections
from personamem.cards.family import SLOTS, FamilyCard, Picture, Table
from personamem.cards.scores import Score, make_entries
from personamem.loaders.formats.audit_record import AuditRecord
from personamem.loaders.formats.manifest import Manifest

TEMPLATE = Path(__file__).with_name("dataset_card.md.jinja")

_SIZE_CATEGORIES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
_SEAL = "<!-- Made by personamem. SHA-256 of all above: {} -->\n"
_MARKDOWN_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


def render_card(
    manifest: Manifest,
    families: Sequence[FamilyCard],
    audit: AuditRecord | None = None,
    repo_id: str | None = None,
    scores: Sequence[Score] = (),
    measured: Sequence[Picture] = (),
) -> str:
    """Return the text of README.md for the dataset that ``manifest`` describes.

    ``families`` hold the text of the families, ``audit`` is a stored audit, ``repo_id`` the Hub id
    under which the dataset is published, ``scores`` what models reached. Each adds its section;
    ``measured`` are pictures of audit and scores. Of the families' pictures those are shown that
    the dataset has files of.
    """
    header = yaml.safe_dump(
        build_metadata(manifest, families, audit, repo_id, scores),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
    )
    body = (
        _make_environment(TEMPLATE.parent)
        .get_template(TEMPLATE.name)
        .render(
            manifest=manifest,
            cards=families,
            tables=[table for table, _ in _list_tables(manifest, families)],
            pictures=[
                picture
                for card in families
                for picture in card.pictures
                if manifest.lists(picture.path)
            ],
            measured=measured,
            built_checks=_list_checks(manifest),
            check_meanings={
                name: meaning for card in families for name, meaning in card.check_meanings.items()
            },
            written_with=_list_parameters(manifest),
            audited=list(audit.parts) if audit else [],
            sections=list_sections(audit) if audit else [],
            baselines=list_baselines(audit) if audit else [],
            scores=scores,
            pinned=name_pinned(manifest, repo_id),
            published=repo_id is not None,
        )
    )
    text = re.sub(r"\n{3,}", "\n\n", f"---\n{header}---\n\n{body}")
    return text + _SEAL.format(hashlib.sha256(text.encode()).hexdigest())


def render_slots(template: Path, **values: Any) -> dict[str, str]:
    """Return the slots of a family's template: a macro each, of the names in ``SLOTS``.

    In the template, values are printed through the filters of the card.
    """
    loaded = _make_environment(template.parent).get_template(template.name)
    module = loaded.make_module(values)
    macros = {
        slot: getattr(module, f"{slot}_", None) or getattr(module, slot, None) for slot in SLOTS
    }
    return {slot: f"{macro()}".strip() + "\n" for slot, macro in macros.items() if macro}


def name_pinned(manifest: Manifest, repo_id: str | None) -> str:
    """Return the source to load this version from: "owner/name@v1.0.0", or "SOURCE"."""
    return f"{repo_id}@v{manifest.version}" if repo_id else "SOURCE"


def is_as_rendered(text: str) -> bool:
    """Say whether a card is still as ``render_card`` returned it, of whatever dataset."""
    above, mark, _ = text.rpartition(_SEAL.partition("{}")[0])
    return bool(mark) and text == above + _SEAL.format(hashlib.sha256(above.encode()).hexdigest())


def build_metadata(
    manifest: Manifest,
    families: Sequence[FamilyCard],
    audit: AuditRecord | None = None,
    repo_id: str | None = None,
    scores: Sequence[Score] = (),
) -> dict[str, Any]:
    """Return the card's YAML header as data: what the Hub and `datasets` read.

    ``eval_results`` has the form of a model's ``.eval_results`` files; it needs the Hub id.
    """
    tables = _list_tables(manifest, families)
    entries = make_entries(repo_id, manifest.version, families, audit, scores) if repo_id else []
    return {
        "pretty_name": f"{manifest.name} {manifest.version}",
        "license": "mit",
        "language": ["en"],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual"],
        "source_datasets": ["original"],
        "task_categories": list(
            dict.fromkeys(name for family in families for name in family.task_categories)
        ),
        "size_categories": [_categorise_size(sum(card.num_questions for card in families))],
        "tags": ["personalization", "long-context", "memory", "benchmark", "synthetic"],
        "configs": [
            {
                "config_name": table.name,
                **({"default": True} if number == 0 else {}),
                "description": f"content {_hash_content(manifest, table.name, splits)}",
                "data_files": [
                    {"split": split, "path": f"{table.name}/{split}.parquet"} for split in splits
                ],
            }
            for number, (table, splits) in enumerate(tables)
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


def _make_environment(folder: Path) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folder),
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


def _list_tables(
    manifest: Manifest, families: Sequence[FamilyCard]
) -> list[tuple[Table, list[str]]]:
    """Return the tables that the dataset has files of, with the names of their splits."""
    found = [
        (
            table,
            [split for split in family.splits if manifest.lists(f"{table.name}/{split}.parquet")],
        )
        for family in families
        for table in family.tables
    ]
    return [(table, splits) for table, splits in found if splits]


def _hash_content(manifest: Manifest, config: str, splits: Sequence[str]) -> str:
    """Return one digest, in hex, of all data files of a config.

    `datasets` keeps what it has read from a local folder under the folder's last name and a hash of
    this header, and looks at nothing else: with equal headers, a dataset built anew in its place,
    or another one in a folder of the same name, would silently be answered with the old rows.
    """
    digests = [manifest.files[f"{config}/{split}.parquet"].sha256 for split in splits]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _list_checks(manifest: Manifest) -> list[tuple[str, str, object]]:
    """Return the checks of the build as rows of part (a split, or a family), check and result."""
    rows: list[tuple[str, str, object]] = []
    for family, record in manifest.families.items():
        for name, result in record.checks.items():
            if isinstance(result, Mapping):
                rows += [(name, check, value) for check, value in result.items()]
            else:
                rows.append((family, name, result))
    return rows


def _list_parameters(manifest: Manifest) -> dict[str, object]:
    """Return what is known of how the model was asked."""
    settings = manifest.config.get("model") or {}
    known = {name: value for name, value in settings.items() if name != "name"}
    prompts = {
        f"SHA-256 of the prompts of {family}": sha256
        for family, sha256 in manifest.writer.prompts_sha256.items()
    }
    return {name: value for name, value in (known | prompts).items() if value is not None}


def _flatten(value: object) -> str:
    return " ".join(str(value).split())


def _categorise_size(rows: int) -> str:
    return next((name for bound, name in _SIZE_CATEGORIES if rows < bound), "1M<n<10M")
