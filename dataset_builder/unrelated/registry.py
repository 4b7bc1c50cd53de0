"""All kinds of problem: the function that makes one, and the file with its phrasings."""

from collections.abc import Callable

from personamem.dataset_builder.unrelated.draw import Draw, Turn
from personamem.dataset_builder.unrelated.clock import duration, time_zone
from personamem.dataset_builder.unrelated.days import days_between, iso_week, weekday, working_days
from personamem.dataset_builder.unrelated.integers import gcd_lcm, number_base, primes, roman
from personamem.dataset_builder.unrelated.percent import bill_split, discount, percentage
from personamem.dataset_builder.unrelated.series_and_samples import lists, sequences, statistics
from personamem.dataset_builder.unrelated.units import conversion

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
}
