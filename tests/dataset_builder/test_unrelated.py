"""Every sampled answer is computed again here, by other means than the writer's."""

import hashlib
import json
import math
import re
import sqlite3
import statistics
import subprocess
import sys
from contextlib import redirect_stdout
from datetime import date, datetime
from functools import cache
from io import StringIO
from random import Random

import pytest

from personamem.dataset_builder.errors import InvalidInputError
from personamem.dataset_builder.unrelated import UnrelatedWriter, kinds
from personamem.dataset_builder.unrelated.content_files import FOLDER, load_rows, load_templates
from personamem.dataset_builder.unrelated.registry import KINDS

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
DATE = r"(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4})"
NUMBER = r"(-?\d[\d,]*(?:\.\d+)?)"


@cache
def sample(kind: str, number: int = 60) -> tuple[tuple[str, str], ...]:
    """Pairs of a user message and its answer."""
    writer, pairs = UnrelatedWriter(Random(f"test {kind}")), []
    for _ in range(number):
        texts = [message["content"] for message in writer.exchange(kind)]
        pairs.extend(zip(texts[::2], texts[1::2], strict=True))
    return tuple(pairs)


def found(kind: str, pattern: str) -> list[tuple[str, ...]]:
    """All groups that ``pattern`` finds in the answers of a kind; fails when there are none."""
    hits = [match.groups() for _, reply in sample(kind) for match in re.finditer(pattern, reply)]
    assert hits, f"no answer of {kind} matches {pattern}"
    return hits


def number(text: str) -> float:
    return float(text.replace(",", ""))


def day(text: str) -> date:
    for form in ("%Y-%m-%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    raise AssertionError(text)


def prose(text: str) -> str:
    """The text without code, tables and quoted samples."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


def cells(text: str) -> list[list[str]]:
    """The rows of the Markdown tables in ``text``, header first, rules left out."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if not re.fullmatch(r"[-: ]+", "".join(row))]


def digest(seed: int) -> str:
    pairs = UnrelatedWriter(Random(seed)).session(9_000, len)
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()


def test_there_are_many_kinds() -> None:
    assert len(kinds()) == len(set(kinds())) >= 40


def test_unknown_kind_is_an_error_with_the_choices() -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'percentage'"):
        UnrelatedWriter(Random(1)).exchange("percentages")


@pytest.mark.parametrize("kind", kinds())
def test_exchange_alternates_and_leaves_no_residue(kind: str) -> None:
    writer = UnrelatedWriter(Random(3))
    for _ in range(40):
        messages = writer.exchange(kind)
        assert [message["role"] for message in messages] == ["user", "assistant"] * (
            len(messages) // 2
        )
        assert 2 <= len(messages) <= 6
        for message in messages:
            text = message["content"]
            assert text
            assert text == text.strip()
            plain = prose(text)
            assert not re.search(r"\{[a-z_:]+\}|<[a-z_]+>", plain), text
            if kind not in ("python_code", "shell", "regex"):
                assert not re.search(r"[\[\]]", plain), text
            twice = re.search(r"\b([a-z]+) \1\b", plain)
            assert not twice, (twice and twice[0], text)
            assert kind == "shell" or not re.search(r"\w  \w|\w ,|, ,| \.\s", plain), text


def test_no_message_has_stray_blanks_or_commas() -> None:
    writer = UnrelatedWriter(Random(2_000))
    for _ in range(2_000):
        for message in writer.exchange():
            text = message["content"]
            assert text == text.strip(), text
            plain = prose(text)
            assert ", ," not in plain, text
            assert "  " not in plain, text


@pytest.mark.parametrize("kind", kinds())
def test_content_has_enough_phrasings(kind: str) -> None:
    own = load_templates(KINDS[kind][1])
    groups = {**load_templates("questions"), **own} if "ask" not in own else own
    replies = [name for name in groups if "reply" in name]
    asks = [name for name in groups if "reply" not in name]
    assert sum(len(groups[name]) for name in asks) >= 6
    assert sum(len(groups[name]) for name in replies) >= 5


def test_every_content_file_is_used_and_parses() -> None:
    used = {content for _, content in KINDS.values()} | {"frames", "questions", "phrases"}
    files = {path.stem for path in FOLDER.glob("*.yaml") if not path.stem.startswith("tables")}
    assert files == used
    for name in files - {"phrases"}:
        load_templates(name)
    assert len(load_rows("meanings")) >= 250


def test_session_is_counted_and_near_its_target() -> None:
    writer = UnrelatedWriter(Random(5))
    missed = []
    for target in (400, 1_000, 2_500, 6_000):
        session = writer.session(target, lambda text: len(text) // 4)
        assert all(size == len(message["content"]) // 4 for message, size in session)
        roles = [message["role"] for message, _ in session]
        assert roles == ["user", "assistant"] * (len(session) // 2)
        missed.append(sum(size for _, size in session) - target)
    assert max(map(abs, missed)) < 450
    assert UnrelatedWriter(Random(5)).session(1, len)


def test_same_seed_gives_the_same_text_in_another_process() -> None:
    code = (
        "import hashlib,json;from random import Random;"
        "from personamem.dataset_builder.unrelated import UnrelatedWriter;"
        "pairs=UnrelatedWriter(Random(11)).session(9_000,len);"
        "print(hashlib.sha256(json.dumps(pairs).encode()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(11) != digest(12)


def test_long_messages_hardly_repeat() -> None:
    session = UnrelatedWriter(Random(2)).session(60_000, lambda text: len(text) // 3)
    texts = [message["content"] for message, _ in session if len(message["content"]) > 60]
    assert len(set(texts)) >= 0.997 * len(texts)


@pytest.mark.parametrize(
    ("kind", "source", "target", "factor"),
    [
        ("length", "mi", "km", 1.609344),
        ("length", "ft", "m", 0.3048),
        ("mass", "lb", "kg", 0.45359237),
        ("volume", "US gal", "L", 3.785411784),
        ("area", "ha", "m²", 10_000),
        ("speed", "km/h", "m/s", 1 / 3.6),
        ("data_size", "GiB", "MB", 1073.741824),
    ],
)
def test_unit_factors(kind: str, source: str, target: str, factor: float) -> None:
    rows = {row[2]: int(row[3]) / int(row[4]) for row in load_rows(kind)}
    assert rows[source] / rows[target] == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("kind", ["length", "mass", "volume", "area", "speed", "data_size"])
def test_conversion_multiplies_by_the_stated_factor(kind: str) -> None:
    sizes = {row[2]: int(row[3]) / int(row[4]) for row in load_rows(kind)}
    pattern = rf"1 (?:{'|'.join(row[1] for row in load_rows(kind))}|\S+) [=≈] {NUMBER}"
    assert found(kind, pattern)
    tables = 0
    for _, reply in sample(kind):
        for (source, target), *rows in filter(None, [cells(reply)]):
            tables += 1
            for value, answer in rows:
                expected = number(value) * sizes[source] / sizes[target]
                assert number(answer) == pytest.approx(expected, rel=1e-4)
    assert tables


def test_products_and_quotients_that_are_written_out() -> None:
    for first, second, result in found("percentage", rf"{NUMBER} × {NUMBER} = {NUMBER}"):
        assert number(result) == pytest.approx(number(first) * number(second), abs=0.006)
    for first, second, result in found("discount", rf"{NUMBER} × {NUMBER} = (?:\*\*)?{NUMBER}"):
        assert number(result) == pytest.approx(number(first) * number(second), abs=0.006)
    for part, whole, result in found(
        "percentage", rf"(?<![×\d.,] )(?<![\d.,]){NUMBER} ÷ {NUMBER} = {NUMBER}"
    ):
        assert number(result) == pytest.approx(number(part) / number(whole), abs=0.006)


def test_bill_shares_add_up() -> None:
    for odd, more, even, share, total in found(
        "bill_split", rf"- (\d+) × {NUMBER}\n- (\d+) × {NUMBER}\n\n\w+: {NUMBER} "
    ):
        paid = int(odd) * number(more) + int(even) * number(share)
        assert paid == pytest.approx(number(total), abs=0.001)


def test_days_between() -> None:
    checked = 0
    for ask, reply in sample("days_between"):
        ends = re.findall(DATE, ask)
        days = re.search(
            r"(?:comes to|equals|gives|makes|covers|so|hence|all|\*\*|^) ?"
            r"([\d,]+) days",
            reply,
        )
        if len(ends) == 2 and days:
            assert int(number(days[1])) == (day(ends[1]) - day(ends[0])).days, (ask, reply)
            checked += 1
    assert checked > 20


def test_weekdays() -> None:
    for text, name in found("weekday", DATE + r" (?:is|falls on) a (\w+day)"):
        assert WEEKDAYS[day(text).weekday()] == name


def test_working_days() -> None:
    checked = 0
    for ask, reply in sample("working_days"):
        start, end = re.search(DATE, ask), re.search(DATE + r",? ?\(?(?:a )?\w+day", reply)
        count = re.search(r"(\d+) (?:working|business|weekdays)", ask)
        if start and end and count and reply.startswith(end[1]):
            steps, current = 0, day(start[1]).toordinal()
            while current < day(end[1]).toordinal():
                current += 1
                steps += date.fromordinal(current).weekday() < 5
            assert steps == int(count[1]), (ask, reply)
            checked += 1
    assert checked > 5


def test_iso_weeks_and_leap_years() -> None:
    checked = 0
    for ask, reply in sample("iso_week"):
        text, code = re.search(DATE, ask), re.search(r"\d{4}-W\d\d-\d", reply)
        if text and code:
            year, week, weekday = day(text[1]).isocalendar()
            assert code[0] == f"{year}-W{week:02d}-{weekday}"
            checked += 1
    assert checked > 20
    for year, verdict in found("iso_week", r"(\d{4}) (is a leap|is not a leap) year"):
        days = (datetime(int(year) + 1, 1, 1) - datetime(int(year), 1, 1)).days
        assert (days == 366) == (verdict == "is a leap")


def test_time_zones() -> None:
    for here, local, there, target in (
        (rows[1][1], rows[1][2], rows[3][1], rows[3][2])
        for _, reply in sample("time_zone")
        if len(rows := cells(reply)) == 4
    ):
        shift = [
            int(sign + hours) * 60 + int(sign + (minutes or "0"))
            for sign, hours, minutes in (
                re.fullmatch(r"UTC([+-])(\d+)(?::(\d\d))?", text).groups()  # type: ignore[union-attr]
                for text in (here, there)
            )
        ]
        clock = [int(text[:2]) * 60 + int(text[3:]) for text in (local, target)]
        assert (clock[0] - shift[0] + shift[1] - clock[1]) % 1440 == 0


def test_seconds_as_clock_time() -> None:
    checked = 0
    for ask, reply in sample("duration"):
        total, clock = (
            re.search(r"([\d,]+) s(?:econds)?\b", ask),
            re.search(r"\b(\d+):(\d\d):(\d\d)\b", reply),
        )
        if total and clock and "h:mm:ss" in ask:
            hours, minutes, seconds = map(int, clock.groups())
            assert hours * 3600 + minutes * 60 + seconds == number(total[1])
            checked += 1
    assert checked > 3


def test_number_bases() -> None:
    for digits, base, value in found("number_base", r'int\("(\w+)", (\d+)\) \w+ ([\d,]+)'):
        assert int(digits, int(base)) == number(value)


def test_roman_numerals() -> None:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    checked = 0
    for ask, reply in sample("roman"):
        asked, numeral = (
            re.search(r"\b(\d{2,4})\b", ask),
            re.match(r"(?:\*\*)?([IVXLCDM]+)\b", reply),
        )
        if asked and numeral:
            signs = [values[sign] for sign in numeral[1]]
            pairs = zip(signs, [*signs[1:], 0], strict=True)
            assert sum(-one if one < two else one for one, two in pairs) == int(asked[1])
            checked += 1
    assert checked > 10


def test_prime_factors() -> None:
    for value, product in found(
        "primes", r"(?<!÷ )\b([\d,]{2,}) = (\d+(?:\^\d+)?(?: × \d+(?:\^\d+)?)*)"
    ):
        result = 1
        for factor in product.split(" × "):
            prime, _, power = factor.partition("^")
            assert all(int(prime) % divisor for divisor in range(2, math.isqrt(int(prime)) + 1))
            result *= int(prime) ** int(power or 1)
        assert result == number(value)


def test_gcd_and_lcm() -> None:
    checked = 0
    for ask, reply in sample("gcd_lcm"):
        pair, answer = (
            re.findall(r"\d{2,}", ask),
            re.search(r"gcd (?:=|is) ?(\d+), .*?(?:lcm =|multiple\]?|the lcm) ([\d,]+)", reply),
        )
        if len(pair) == 2 and answer:
            first, second = map(int, pair)
            assert int(answer[1]) == math.gcd(first, second)
            assert int(number(answer[2])) == math.lcm(first, second)
            checked += 1
    assert checked


def test_statistics() -> None:
    checked = 0
    for ask, reply in sample("statistics"):
        values = [int(text) for text in re.findall(r"(?:\d+, )+\d+", ask)[0].split(", ")]
        mean = re.search(
            r"(?:mean|Mean)(?: is| of| comes to)? (\d+(?:\.\d+)?)(?![\d,/]|\.\d| /|,\d)", reply
        )
        if mean:
            assert float(mean[1].rstrip(".")) == pytest.approx(statistics.fmean(values), abs=0.0051)
            checked += 1
        spread = re.search(r"standard deviation: ([\d.]+).*?, ([\d.]+)", reply)
        if spread:
            assert float(spread[1]) == pytest.approx(statistics.pstdev(values), abs=0.0051)
            assert float(spread[2]) == pytest.approx(statistics.stdev(values), abs=0.0051)
    assert checked > 20


def test_check_digits() -> None:
    checked = 0
    for ask, reply in sample("checksum"):
        digits = re.search(r"\d{8,12}", ask)
        assert digits
        check = re.search(r"digit is ([\dX])|check digit ([\dX])\b", reply)
        assert check, reply
        full = digits[0] + (check[1] or check[2])
        values = [10 if sign == "X" else int(sign) for sign in full]
        if "ISBN-13" in ask:
            assert (sum(values[::2]) + 3 * sum(values[1::2])) % 10 == 0
        elif "ISBN-10" in ask:
            weighted = sum(value * (10 - place) for place, value in enumerate(values))
            assert weighted % 11 == 0
        else:
            doubled = [sum(divmod(2 * value, 10)) for value in values[-2::-2]]
            assert (sum(values[::-2]) + sum(doubled)) % 10 == 0
        checked += 1
    assert checked > 60


def test_words_are_counted() -> None:
    checked = 0
    for ask, reply in sample("letters"):
        text, letter = re.search(r'"([a-z]+(?: [a-z]+){3,})"', ask), re.search(r'"([a-z])"', reply)
        for word, count in re.findall(r"([a-z]+) \((\d)\)", reply):
            if text and letter:
                assert word in text[1].split(" ")
                assert word.count(letter[1]) == int(count)
                checked += 1
    assert checked > 20
    for one, other, verdict in found(
        "letters", r'compare sorted\("(\w+)"\) with sorted\("(\w+)"\): the \d+ letters (\w+)'
    ):
        assert (sorted(one) == sorted(other)) == (verdict == "match")


def test_tables_add_up() -> None:
    for ask, reply in sample("table"):
        rows = [line.split(",") for line in ask.splitlines() if re.fullmatch(r"\S+,\w+,\w+", line)]
        if rows[:1] == [["item", "site", "quantity"]]:
            assert cells(reply) == rows
            total = sum(int(row[2]) for row in rows[1:])
            assert f"{total:,}" in reply


def test_python_snippets_print_what_is_claimed() -> None:
    checked = 0
    for _, reply in sample("python_code"):
        code = re.search(r"```python\n(.*?)\n```", reply, flags=re.S)
        if code:
            with redirect_stdout(StringIO()) as printed:
                exec(code[1], {})
            assert f"`{printed.getvalue().strip()}`" in reply
            checked += 1
    assert checked > 30


def test_sql_results() -> None:
    checked = 0
    for ask, reply in sample("sql"):
        query = re.search(r"```sql\n(.*?)\n```", reply, flags=re.S)
        inventory, result = cells(ask), cells(reply)
        if query and result:
            name = re.search(r"FROM (\w+)", query[1])
            assert name
            with sqlite3.connect(":memory:") as base:
                base.execute(f"CREATE TABLE {name[1]} (item, site, quantity INT, mass INT)")
                base.executemany(f"INSERT INTO {name[1]} VALUES (?,?,?,?)", inventory[1:])
                rows = [[str(cell) for cell in row] for row in base.execute(query[1])]
            base.close()
            assert rows == result[1:]
            checked += 1
    assert checked > 30


def test_shell_output(tmp_path_factory: pytest.TempPathFactory) -> None:
    checked = 0
    for ask, reply in sample("shell")[:40]:
        lines, output = (re.search(r"```\n(.*?)\n```", text, flags=re.S) for text in (ask, reply))
        command = re.search(r"`((?:sort|grep|tail|head|cut)[^`]+)`", reply + ask)
        if lines and output and command:
            folder = tmp_path_factory.mktemp("shell")
            (folder / command[1].split(".txt")[0].split(" ")[-1]).with_suffix(".txt").write_text(
                lines[1] + "\n"
            )
            done = subprocess.run(
                ["sh", "-c", command[1]],
                cwd=folder,
                capture_output=True,
                text=True,
                env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
            )
            assert done.stdout.rstrip("\n") == output[1], command[1]
            checked += 1
    assert checked > 20


def test_regex_verdicts() -> None:
    checked = 0
    for ask, reply in sample("regex"):
        patterns = [row[0] for row in load_rows("patterns") if f"`{row[0]}`" in ask + reply]
        for text, verdict in cells(reply)[1:]:
            assert patterns
            assert bool(re.fullmatch(patterns[0], text.strip("`"))) == (verdict == "yes")
            checked += 1
    assert checked > 50


def test_json_is_valid_and_paths_hold() -> None:
    checked = 0
    for ask, reply in sample("json_data"):
        block = re.search(r"```json\n(.*?)\n```", ask + reply, flags=re.S)
        path = re.search(r"`\.(\w+)\[(\d)\]\.quantity`", reply)
        assert block
        data = json.loads(block[1])
        if path:
            assert str(data[path[1]][int(path[2])]["quantity"]) in reply
            checked += 1
    assert checked > 10


def test_morse_and_spoken_letters() -> None:
    for line in (line for _, reply in sample("spelling_alphabet") for line in reply.splitlines()):
        sign = re.fullmatch(r"([A-Z])  ([A-Z][\w-]+)  ([.-]+)", line)
        if sign:
            assert sign[2][0] == sign[1]
    known = dict(found("spelling_alphabet", r"\n([A-Z0-9])  [\w-]+  ([.-]+)"))
    expected = {"S": "...", "O": "---", "E": ".", "T": "-", "R": ".-.", "N": "-.", "A": ".-"}
    assert all(known.get(sign, mark) == mark for sign, mark in expected.items())


def test_temperatures() -> None:
    for value, answer in found("temperature", r"(-?[\d.,]+) °C (?:equals|matches) (-?[\d.,]+) °F"):
        assert number(answer) == pytest.approx(number(value) * 1.8 + 32, abs=0.006)
    for value, answer in found("temperature", r"\((-?[\d.,]+) - 32\) × 5/9[ =:]+(-?[\d.,]+) °C"):
        assert number(answer) == pytest.approx((number(value) - 32) / 1.8, abs=0.006)


def test_probabilities_are_their_fractions() -> None:
    for top, bottom, percent in found("probability", r"([\d,]+)/([\d,]+) = ([\d.]+) %"):
        assert number(percent) == pytest.approx(100 * number(top) / number(bottom), abs=0.0006)
    for size, wanted, others, rest, hands, hand, all_hands in found(
        "probability",
        r"C\((\d+), (\d+)\) × C\((\d+), (\d+)\) = ([\d,]+) hands out of C\(52, (\d+)\) = ([\d,]+)",
    ):
        ways = math.comb(int(size), int(wanted)) * math.comb(int(others), int(rest))
        assert (ways, math.comb(52, int(hand))) == (number(hands), number(all_hands))


def test_growth() -> None:
    for factor, power, value in found(
        "compound_interest", r"(\d\.\d+)\^(\d+) = (\d+\.\d+), (?:so|hence)"
    ):
        assert number(value) == pytest.approx(float(factor) ** int(power), abs=1e-6)


def test_molar_masses_add_up() -> None:
    for terms, total in found("elements", r"((?:\d × [\d.]+(?: \+ )?)+) = ([\d.]+) g/mol"):
        parts = [term.split(" × ") for term in terms.split(" + ")]
        expected = sum(int(count) * float(mass) for count, mass in parts)
        assert float(total) == pytest.approx(expected, abs=1e-6)


def test_geometry_and_physics_are_evaluated() -> None:
    for square, value in found("geometry", rf"π × {NUMBER} = {NUMBER} cm²"):
        assert number(value) == pytest.approx(math.pi * number(square), abs=0.006)
    for volts, ohms, amperes in found("physics", r"(\d+) / (\d+)\s*(?:=|gives|is) ([\d.,]+) A\b"):
        assert number(amperes) == pytest.approx(int(volts) / int(ohms), rel=1e-3)
