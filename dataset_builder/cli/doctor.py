"""``personamem doctor``: whether everything is there, and the commands that mend what is not."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from personamem.dataset_builder.core.console import errors, output, plain
from personamem.loaders.formats.whole_files import prepare_file, write_json

_STYLES = {"ok": "green", "absent": "yellow", "broken": "red"}


def doctor(
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all checks to this file.")
    ] = None,
) -> None:
    """Check versions, extras, task links, models and disks, and say what mends each fault.

    Nothing is changed and no network is used. Absent is what you may not need; exit code 1 if
    something is broken.

    Example: personamem doctor
    """
    from personamem.dataset_builder.cli.diagnosis import diagnose

    prepare_file(json_file)
    found = list(diagnose())
    table = Table("check", "state", "what was found")
    for each in found:
        table.add_row(each.name, plain(each.state, _STYLES[each.state]), plain(each.what))
    output().print(table)
    mends = {each.mend: each for each in found if each.mend}
    if mends:
        width = max(map(len, mends))
        output().print("\nCommands that mend:")
        for mend, each in mends.items():
            output().print(plain(f"  {mend:{width}}  # {each.name}"), soft_wrap=True)
    if json_file:
        write_json(json_file, [asdict(each) for each in found])
    broken = [each.name for each in found if each.state == "broken"]
    if broken:
        errors().print(f"Broken: {', '.join(broken)}.", soft_wrap=True, markup=False)
        raise typer.Exit(1)
