"""All kinds of problem: the function that makes one, and the file with its phrasings."""

from collections.abc import Callable

from personamem.dataset_builder.fillers.clock import duration, time_zone
from personamem.dataset_builder.fillers.days import days_between, iso_week, weekday, working_days
from personamem.dataset_builder.fillers.draw import Draw, Turn
from personamem.dataset_builder.fillers.integers import gcd_lcm, number_base, primes, roman
from personamem.dataset_builder.fillers.mathematics import (
    compound_interest,
    geometry,
    probability,
)
from personamem.dataset_builder.fillers.measures import (
    fuel_use,
    map_scale,
    paper_size,
    temperature,
)
from personamem.dataset_builder.fillers.percent import bill_split, discount, percentage
from personamem.dataset_builder.fillers.physics import physics
from personamem.dataset_builder.fillers.programs import (
    json_data,
    python_code,
    regex,
    shell,
    sql,
)
from personamem.dataset_builder.fillers.records import spreadsheet, table
from personamem.dataset_builder.fillers.science import astronomy, countries, elements
from personamem.dataset_builder.fillers.series_and_samples import lists, sequences, statistics
from personamem.dataset_builder.fillers.text_codes import checksum, spelling_alphabet, text_edit
from personamem.dataset_builder.fillers.units import conversion
from personamem.dataset_builder.fillers.words import letters, spelling, synonyms, word_meaning

KINDS: dict[str, tuple[Callable[[Draw], list[Turn]], str]] = {
    "length": (conversion("length"), "conversion"),
    "mass": (conversion("mass"), "conversion"),
    "volume": (conversion("volume"), "conversion"),
    "area": (conversion("area"), "conversion"),
    "speed": (conversion("speed"), "conversion"),
    "data_size": (conversion("data_size"), "conversion"),
    "percentage": (percentage, "percent"),
    "discount": (discount, "discount"),
    "bill_split": (bill_split, "bill_split"),
    "days_between": (days_between, "days_between"),
    "weekday": (weekday, "weekday"),
    "working_days": (working_days, "working_days"),
    "iso_week": (iso_week, "iso_week"),
    "time_zone": (time_zone, "time_zone"),
    "duration": (duration, "duration"),
    "number_base": (number_base, "number_base"),
    "roman": (roman, "roman"),
    "primes": (primes, "primes"),
    "gcd_lcm": (gcd_lcm, "gcd_lcm"),
    "statistics": (statistics, "statistics"),
    "sequences": (sequences, "sequences"),
    "lists": (lists, "lists"),
    "table": (table, "table"),
    "spreadsheet": (spreadsheet, "spreadsheet"),
    "python_code": (python_code, "python_code"),
    "sql": (sql, "sql"),
    "shell": (shell, "shell"),
    "regex": (regex, "regex"),
    "json_data": (json_data, "json_data"),
    "word_meaning": (word_meaning, "word_meaning"),
    "synonyms": (synonyms, "synonyms"),
    "spelling": (spelling, "spelling"),
    "letters": (letters, "letters"),
    "text_edit": (text_edit, "text_edit"),
    "checksum": (checksum, "checksum"),
    "spelling_alphabet": (spelling_alphabet, "spelling_alphabet"),
    "temperature": (temperature, "temperature"),
    "fuel_use": (fuel_use, "fuel_use"),
    "paper_size": (paper_size, "paper_size"),
    "map_scale": (map_scale, "map_scale"),
    "elements": (elements, "elements"),
    "countries": (countries, "countries"),
    "astronomy": (astronomy, "astronomy"),
    "physics": (physics, "physics"),
    "geometry": (geometry, "geometry"),
    "compound_interest": (compound_interest, "compound_interest"),
    "probability": (probability, "probability"),
}
