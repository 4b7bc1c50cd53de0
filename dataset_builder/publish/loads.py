"""Whether ``datasets`` loads every config and split that a card promises, with all its rows."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from personamem.dataset_builder.publish.local import CARD, LocalDataset
from personamem.loaders.formats.errors import DatasetError

ROWS_AT_ONCE = 16
"""Rows that are in memory at a time: contexts of the largest split take megabytes each."""


def check_loads(local: LocalDataset) -> dict[str, dict[str, int]]:
    """Stream every split of every config of the card; return the rows by config and split.

    Nothing is written: the tables are decoded as ``load_dataset(..., streaming=True)`` does.

    Raises:
        DatasetError: the card names no config, or a split does not load, has other rows than the
            manifest says, or a table of the manifest is in no config.
    """
    # Imported here: it takes seconds.
    import datasets

    try:
        names = datasets.get_dataset_config_names(str(local.folder))
    except (ValueError, OSError) as error:
        raise DatasetError(f"{local.folder / CARD}: its configs cannot be read: {error}") from error
    rows: dict[str, dict[str, int]] = {}
    loaded: set[Path] = set()
    with tempfile.TemporaryDirectory() as cache:
        for name in names:
            try:
                builder = datasets.load_dataset_builder(str(local.folder), name, cache_dir=cache)
                files: Mapping[str, list[str]] = builder.config.data_files or {}
                rows[name] = {}
                for split in files:
                    stream = builder.as_streaming_dataset(split=split).with_format("arrow")
                    rows[name][split] = sum(
                        batch.num_rows for batch in stream.iter(batch_size=ROWS_AT_ONCE)
                    )
            except Exception as error:
                # Whatever `datasets` raises, nobody could load the split.
                raise DatasetError(
                    f"{local.folder}: config {name!r} does not load: {error}"
                ) from error
            loaded.update(Path(path).resolve() for paths in files.values() for path in paths)
    _check_rows(local, rows, loaded)
    return rows


def _check_rows(
    local: LocalDataset, rows: Mapping[str, Mapping[str, int]], loaded: set[Path]
) -> None:
    for name, file in local.data.items():
        config, _, table = name.partition("/")
        if not table.endswith(".parquet"):
            continue
        if file.path.resolve() not in loaded:
            raise DatasetError(f"{local.folder / CARD} names no config that loads {name}.")
        found = rows.get(config, {}).get(table.removesuffix(".parquet"))
        expected = local.manifest.files[name].rows
        if found is not None and expected is not None and found != expected:
            raise DatasetError(f"{file.path}: {found} rows load, expected {expected}.")
