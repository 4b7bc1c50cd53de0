"""Building a dataset: every family of the configuration, the folder whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

from personamem.cards import render_card
from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.core.parallel import Pool, Workers
from personamem.dataset_builder.core.whole_folders import stage_folder
from personamem.dataset_builder.families.base import BuildJob, Progress
from personamem.dataset_builder.families.registry import (
    describe_cards,
    get_family,
    list_imports,
)
from personamem.dataset_builder.packaging.eval_yaml import write_eval_yaml
from personamem.dataset_builder.packaging.generated_text import GeneratedText
from personamem.dataset_builder.packaging.manifest import make_manifest, write_manifest
from personamem.dataset_builder.reports.pictures import write_pictures
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.manifest import FamilyRecord, Manifest


def build_dataset(
    config: BuildConfig,
    out: Path,
    workers: int | Pool | None = None,
    overwrite: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
    generated: GeneratedText | None = None,
) -> Manifest:
    """Build the dataset ``config`` into the folder ``out`` and return its manifest.

    ``workers`` is a number of processes (default: one a core), or a pool that is entered once the
    folder is known to be usable. ``generated`` is what a model wrote, for a ``config`` with the
    writer openai. Raises InvalidInputError for a folder that cannot be used or questions that do
    not fit, and GateError when a check fails.
    """
    if (generated is None) != (config.writer == "template"):
        raise InvalidInputError("Generated text is needed for the writer openai, and no other.")
    generated = generated or GeneratedText()
    if workers is None or isinstance(workers, int):
        workers = Workers(workers or os.cpu_count() or 1, list_imports(config.families))
    with stage_folder(out, overwrite) as folder, workers as pool:
        # All are started before any is finished, so that no worker waits.
        started = {
            name: get_family(name).start_build(
                BuildJob(config, folder, pool, generated.texts.get(name), report)
            )
            for name in config.families
        }
        built = {name: finish() for name, finish in started.items()}
        (folder / "CHANGELOG.md").write_text(
            f"# Changelog\n\n## {config.version}\n\nBuilt with seed {config.seed}; "
            f"configuration {config.fingerprint()}.\n",
            encoding="utf-8",
        )
        hub_tasks = [task for family in built.values() for task in family.hub_tasks]
        write_eval_yaml(folder, config.name, hub_tasks)
        for name, family in built.items():
            record = FamilyRecord(**family.summary, checks=family.checks)
            write_pictures(folder, get_family(name).draw_pictures(record))
        manifest = make_manifest(config, folder, built, generated.writer)
        card = render_card(manifest, describe_cards(manifest))
        (folder / "README.md").write_text(card, encoding="utf-8")
        write_manifest(folder, manifest)
    return manifest
