"""The command ``personamem``."""


def main() -> None:
    """Run the command line."""
    # Imported here: processes that a build starts import this module anew, and need nothing of it.
    from personamem.dataset_builder.cli.app import main as run

    run()
