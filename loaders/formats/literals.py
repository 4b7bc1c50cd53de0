"""Python literals in cells, as the official releases write lists and mappings."""

import ast
import warnings
from typing import Any

from personamem.loaders.formats.unicode import refuse_surrogates


def parse_literal(text: str) -> Any:
    """Return the value of a Python literal. Raises ValueError if the text is none."""
    try:
        with warnings.catch_warnings():
            # "\d" in a text makes the parser warn; it means what it says.
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            value = ast.literal_eval(text)
        refuse_surrogates(value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError("it is no Python literal") from error
    return value
