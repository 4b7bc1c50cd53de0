"""``personamem publish``: a dataset on the Hub, complete, audited, under a tag that never moves."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.core.console import errors, output
from personamem.loaders.formats.whole_files import prepare_file, write_json

if TYPE_CHECKING:
    from personamem.dataset_builder.publish.plan import Plan
    from personamem.dataset_builder.publish.release import Outcome


def publish(
    folder: Annotated[
        Path, typer.Argument(help="Folder of a dataset, as `personamem build` made.")
    ],
    repo_id: Annotated[str, typer.Option(help="Dataset repository on the Hub: owner/name.")],
    tag: Annotated[str, typer.Option(help="The version of the dataset with a v, like v1.0.0.")],
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Run all checks and show the plan; needs no token."),
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Create the repository as a private one.")
    ] = False,
    revision: Annotated[
        str, typer.Option(metavar="BRANCH", help="Branch to upload to; created if missing.")
    ] = "main",
    create_pr: Annotated[
        bool,
        typer.Option(
            "--create-pr",
            help="Upload to a pull request: the open one of this release, or a new one. The tag is "
            "set when it is merged and the command is run again.",
        ),
    ] = False,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Accept a repository with other content, and delete that content."
        ),
    ] = False,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            help="results_*.json of lm-eval on this dataset, to show on the card; repeatable."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Worker processes of the audit. [default: one per core]"),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the plan to this file.")
    ] = None,
) -> None:
    """Check a dataset, upload it to the Hub, read it back, and tag its version.

    Before anything is sent, these are checked: every file against the manifest, the version, the
    audit, and that `datasets` loads every config and split.

    The audit is kept in the folder as audit.json and published too. One that is there already
    (`personamem audit D --json D/audit.json`) is used if it is about this manifest, comes from this
    version of personamem, covers all splits and baselines, and matches the digest of its content.
    The digest finds edits; it is no signature, so only running the audit proves anything to others.
    README.md is rendered from manifest and audit, with pictures of what controls reach (and models,
    with --results), unless it was edited. A dry run writes these files as well.

    Afterwards the repository holds exactly the files of the manifest, manifest.json, README.md,
    audit.json and these pictures; other files are deleted there, except hidden ones, and not
    uploaded from here. The tag is set after the commit was read back, and is never moved. After an
    interruption, run the same command again.

    The token comes from HF_TOKEN or from `hf auth login`. Exit code 1 when the audit or the Hub
    fails, 2 when the dataset, a name, the token, the tag or the repository cannot be used.

    Example: personamem publish data --repo-id me/my-benchmark --tag v1.0.0 --dry-run
    """
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    from personamem.dataset_builder.publish.release import ReleaseRequest
    from personamem.dataset_builder.publish.release import publish as release
    from personamem.dataset_builder.publish.scores import read_scores

    if not errors().is_terminal:
        disable_progress_bars()
    scores = [
        score for path in results or () for score in read_scores(path, folder, f"{repo_id}@{tag}")
    ]
    request = ReleaseRequest(
        folder=folder,
        repo_id=repo_id,
        tag=tag,
        branch=revision,
        private=private,
        create_pr=create_pr,
        replace=replace,
        dry_run=dry_run,
        workers=workers or os.cpu_count() or 1,
        scores=scores,
    )
    prepare_file(json_file)

    def show(plan: "Plan") -> None:
        _show_plan(plan)
        if json_file:
            write_json(json_file, asdict(plan))

    outcome = release(request, log=_log, on_plan=show)
    output().print(_describe(outcome, request.create_pr), soft_wrap=True)


def _log(line: str) -> None:
    errors().print(escape(line), soft_wrap=True)


def _show_plan(plan: "Plan") -> None:
    table = Table(title=escape(f"{plan.dataset} to {plan.repo_id}, {plan.branch}, {plan.tag}"))
    table.add_column("file")
    table.add_column("bytes", justify="right")
    table.add_column("change")
    for file in plan.files:
        table.add_row(escape(file.name), f"{file.size:,}", file.change.value)
    output().print(table)
    changes = [file.change for file in plan.files]
    counts = (f"{changes.count(change)} {change.value}" for change in dict.fromkeys(changes))
    output().print(f"{len(plan.files)} files: {', '.join(counts)}. Repository: {plan.repository}.")
    if plan.not_compared:
        output().print(f"Not compared. {escape(plan.not_compared)}", soft_wrap=True)
    if plan.left_out:
        names = ", ".join(plan.left_out[:5]) + " and more" * (len(plan.left_out) > 5)
        output().print(escape(f"Not published, since the manifest does not list them: {names}"))


def _describe(outcome: "Outcome", asked_for_request: bool) -> str:
    plan = outcome.plan
    where = f"{plan.repo_id}, {plan.tag}"
    if outcome.commit is None:
        return f"Dry run: {where} can be published. Nothing was sent."
    if outcome.pull_request:
        return (
            f"{outcome.pull_request} holds the release. When it is merged, run the same command "
            f"again to tag {plan.tag}."
        )
    if not outcome.tagged:
        return f"Already published: {where}, commit {outcome.commit}."
    unchanged = "" if outcome.uploaded else " (the content was there already)"
    asked = " No pull request was needed." if asked_for_request else ""
    return f"Published {where}, commit {outcome.commit}{unchanged}.{asked}"
