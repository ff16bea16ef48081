"""All examples, as `examples/expected.tsv` lists them, and what is made of their answers in JSON."""

from __future__ import annotations

import json
import shutil
from typing import Any, NamedTuple

import jsonschema
import pytest
import selvedge
from conftest import EXAMPLES, ROOT

SCHEMA = json.loads((ROOT / "docs/answers.schema.json").read_text(encoding="utf-8"))


def valid(kind: str, text: str) -> None:
    schema = {key: value for key, value in SCHEMA.items() if key != "anyOf"}
    jsonschema.validate(json.loads(text), {**schema, "$ref": f"#/$defs/{kind}"})


class Row(NamedTuple):
    file: str
    options: str
    verdict: str
    bound: str
    run: str

    def arguments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What `load` is told, and what the question is."""
        inputs: dict[str, Any] = {}
        question: dict[str, Any] = {}
        words = iter(self.options.split())
        for word in words:
            if word in ("--const", "--threads"):
                name, value = next(words).split("=")
                number = {"true": True, "false": False}.get(value)
                inputs.setdefault({"--const": "consts"}.get(word, "threads"), {})[name] = (
                    int(value) if number is None else number
                )
            elif word in ("--target", "--property"):
                inputs[word[2:]] = next(words)
            elif word == "--timeout":
                question["timeout"] = int(next(words).removesuffix("ms")) / 1000
            elif word == "--no-deadlock":
                question["deadlock"] = False
            elif word in ("--deadlock", "--none-ended"):
                question[word[2:].replace("-", "_")] = True
            else:
                question[word[2:]] = next(words)
        return inputs, question

    def __str__(self) -> str:
        return f"{self.file} {self.options}".strip()


ROWS = [Row(*line.split("\t")) for line in (EXAMPLES / "expected.tsv").read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.parametrize("row", [row for row in ROWS if row.run == "test"], ids=str)
def test_verify(row: Row) -> None:
    inputs, question = row.arguments()
    answer = selvedge.load(EXAMPLES / row.file, **inputs).verify(**question)
    assert answer.verdict == row.verdict, answer
    if row.bound != "-":
        number, _, what = row.bound.partition(" ")
        assert answer.bound is not None
        assert answer.bound.get((what or "contexts").removesuffix("s") + "s") == int(number)
    assert (answer.trace is not None) == (row.verdict == "unsafe")
    assert (answer.reason is not None) == (row.verdict == "unknown")
    valid("answer", answer.to_json())


@pytest.mark.parametrize("row", [row for row in ROWS if row.run == "solver"], ids=str)
def test_verify_with_a_solver(row: Row) -> None:
    if shutil.which("z3") is None:
        pytest.skip("there is no z3")
    inputs, question = row.arguments()
    answer = selvedge.load(EXAMPLES / row.file, **inputs).verify(**question)
    assert answer.verdict == row.verdict, answer
    valid("answer", answer.to_json())


@pytest.mark.parametrize("row", [row for row in ROWS if row.run == "livelock"], ids=str)
def test_livelock(row: Row) -> None:
    inputs, question = row.arguments()
    answer = selvedge.load(EXAMPLES / row.file, **inputs).livelock(**question)
    assert answer.verdict == row.verdict, answer
    assert (answer.lasso is not None) == (row.verdict == "nonterminating")
    valid("livelock", answer.to_json())


@pytest.mark.parametrize("bound", [{"contexts": 2}, {"rounds": 2}, {"rounds": 9, "delays": 1}], ids=str)
def test_check(bound: dict[str, int]) -> None:
    race: Any = selvedge.load(EXAMPLES / "start/race.weave")
    answer = race.check(**bound)
    assert answer.bound == bound or answer.verdict == "unsafe"
    valid("answer", answer.to_json())


def test_the_schema_can_refuse() -> None:
    answer = selvedge.load(EXAMPLES / "start/race.weave").verify()
    found = json.loads(answer.to_json())
    del found["verdict"]
    with pytest.raises(jsonschema.ValidationError):
        valid("answer", json.dumps(found))
