"""Build, load and evaluate benchmarks of personal memory."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("personamem")
except PackageNotFoundError:  # The source tree, not installed.
    __version__ = "0"

__all__ = ["__version__"]
