"""Texts, tables and programs are checked again, by other means than the writer's."""

import json
import math
import re
import sqlite3
import subprocess
from contextlib import redirect_stdout
from io import StringIO

import pytest
from unrelated_samples import NUMBER, cells, found, number, sample

from personamem.dataset_builder.fillers.content_files import load_rows


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
            assert re.search(rf"\b{total}\b", reply)  # as in the table, without a comma


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


@pytest.mark.system
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


def test_extremes_are_named_completely() -> None:
    ties = 0
    for _, reply in sample("synonyms", 150):
        named = re.search(r"[Tt]he shortest (?:is|are) (.+?), with (\d+) letters( each)?", reply)
        words = re.match(r'.*?"\w+" are ([^;]+);', reply)
        if named and words:
            choices = re.split(r", | and ", words[1])
            shortest = {word for word in choices if len(word) == min(map(len, choices))}
            assert set(re.findall(r'"(\w+)"', named[1])) == shortest
            assert bool(named[3]) == (len(shortest) > 1)
            ties += len(shortest) > 1
    assert ties
    for ask, reply in sample("lists", 150):
        named = re.search(r"the longest (?:is|are) ([\w, ]+) \((\d+) letters", reply)
        if named:
            words = set(re.findall(r"[a-z]{3,}", ask))
            longest = {word for word in words if len(word) == int(named[2])}
            assert set(re.split(r", | and ", named[1])) >= longest & set(named[1].split())
            assert set(re.split(r", | and ", named[1])) <= longest


def test_both_orders_keep_duplicates_and_differ() -> None:
    checked = doubled = 0
    for ask, reply in sample("lists", 150):
        orders = re.findall(r"(?:\d+, ){4,}\d+", reply)
        if "as text" in ask and len(orders) == 2:
            values = re.search(r"(?:\d+, ){4,}\d+", ask)
            assert values
            given = values[0].split(", ")
            assert orders[0].split(", ") == sorted(given, key=int)
            assert orders[1].split(", ") == sorted(given)
            assert orders[0] != orders[1]
            doubled += len(set(given)) < len(given)
            checked += 1
    assert checked > 20
    assert doubled > 5


def test_nobody_asks_twice_for_one_word_and_gets_two() -> None:
    for ask, reply in sample("spelling", 150):
        if "plural" in ask and "misspel" not in reply:
            asked = re.findall(r'"([\w-]+)"', ask)
            if len(asked) == 1:
                assert "what about" in ask or len(re.findall(r" becomes ", reply)) <= 1, reply


def test_zip_has_numbers_for_what_it_says() -> None:
    for ask, reply in sample("python_code", 200):
        code = re.search(r"= (\[.*?\])\n?.*zip", reply + ask, flags=re.S)
        if code and "shorter input" in reply:
            assert len(json.loads(code[1].replace("'", '"'))) > 3


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
