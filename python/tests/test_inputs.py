"""What is read, and what is refused."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any, Callable

import pytest
import selvedge

RACE = Path("examples/start/race.weave")


def test_files_and_texts_are_the_same_program() -> None:
    text = RACE.read_text(encoding="utf-8")
    loaded, parsed = selvedge.load(RACE).verify(), selvedge.parse(text).verify()
    assert (loaded.verdict, loaded.bound, loaded.trace) == (parsed.verdict, parsed.bound, parsed.trace)
    assert (loaded.file, parsed.file) == (str(RACE), "program.weave")


def test_the_ending_of_a_name_tells_the_language() -> None:
    text = Path("examples/cuba/fig1.cpds").read_text(encoding="utf-8")
    assert selvedge.parse(text, "fig1.cpds").verify().verdict == "safe"
    with pytest.raises(selvedge.InputError):
        selvedge.parse(text)
    with pytest.raises(selvedge.Error):
        selvedge.parse(text, "fig1.unheard-of")


def test_paths_of_all_kinds() -> None:
    paths: list[str | Path] = [RACE, str(RACE), RACE.resolve()]
    for path in paths:
        assert selvedge.load(path).file == os.fspath(path)
    assert repr(selvedge.load(RACE)) == "<Program examples/start/race.weave>"


def test_mistakes_have_places() -> None:
    text = "bool done;\nvoid main() {\n  dune := true;\n  assert nothing;\n}\nthread main;\n"
    with pytest.raises(selvedge.InputError) as caught:
        selvedge.parse(text, "wrong.weave")
    found = caught.value.diagnostics
    assert [(d.file, d.line, d.column, d.severity) for d in found] == [
        ("wrong.weave", 3, 3, "error"),
        ("wrong.weave", 4, 10, "error"),
    ]
    assert "dune" in found[0].message and found[0].hint is not None and "done" in found[0].hint
    # As a string it is for people: with the line.
    assert "dune := true;" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.diagnostics == found


def test_columns_are_characters() -> None:
    text = "/* äöü🧵 */ bool nonsense := ;"
    with pytest.raises(selvedge.InputError) as caught:
        selvedge.parse(text)
    assert caught.value.diagnostics[0].column == text.index(";") + 1


def test_warnings_are_kept() -> None:
    assert selvedge.load(RACE).warnings == []
    program = selvedge.parse("bool never;\nvoid main() { return; never := true; assert never; }\nthread main;\n")
    assert all(isinstance(d, selvedge.Diagnostic) and d.severity == "warning" for d in program.warnings)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        selvedge.load("examples/start/rase.weave")
    assert caught.value.filename == "examples/start/rase.weave"
    assert "did you mean examples/start/race.weave?" in str(caught.value)
    with pytest.raises(OSError):
        selvedge.load(tmp_path)
    os.mkfifo(tmp_path / "pipe.weave")
    with pytest.raises(OSError):  # and nobody waits for a writer
        selvedge.load(tmp_path / "pipe.weave")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "bytes.weave"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises((selvedge.Error, OSError), match="bytes.weave"):
        selvedge.load(path)


def test_numbers_of_threads() -> None:
    pool = selvedge.load("examples/start/race.weave", threads={"worker": 1})
    assert pool.verify().verdict == "safe"
    with pytest.raises(selvedge.OptionError, match="did you mean `worker`"):
        selvedge.load(RACE, threads={"wurker": 1}).verify()


def test_constants_of_any_size() -> None:
    text = "const SIZE = 1;\nint x := SIZE;\nvoid main() { assert x == SIZE && SIZE < 2; }\nthread main;\n"
    assert selvedge.parse(text).verify().verdict == "safe"
    assert selvedge.parse(text, consts={"SIZE": -(10**400)}).verify().verdict == "safe"
    assert selvedge.parse(text, consts={"SIZE": 10**5000}).verify().verdict == "unsafe"
    bug = selvedge.load("examples/sequentialization/carry.weave", consts={"BUG": True}).verify()
    assert bug.verdict == "unsafe"


def test_targets_and_initial_states() -> None:
    assert selvedge.load("examples/cuba/fig1.cpds", target="0|1,6").verify().verdict == "unsafe"
    with pytest.raises(selvedge.OptionError, match="init"):
        selvedge.load(RACE, init="0|1")
    with pytest.raises(selvedge.OptionError):
        selvedge.load("examples/cuba/fig1.cpds", consts={"N": 1})


@pytest.mark.parametrize(
    "options, word",
    [
        ({"threads": {"worker": -1}}, "threads"),
        ({"threads": {"worker": 2**40}}, "threads"),
        ({"target": "nobody@nowhere"}, "nobody"),
    ],
)
def test_options_that_are_wrong(options: dict[str, Any], word: str) -> None:
    with pytest.raises(selvedge.OptionError, match=word) as caught:
        selvedge.load(RACE, **options)
    assert isinstance(caught.value, (selvedge.Error, ValueError))


@pytest.mark.parametrize("options", [{}, {"contexts": 2, "rounds": 2}, {"delays": 2}, {"contexts": 2, "delays": 1}])
def test_one_bound_is_needed(options: dict[str, Any]) -> None:
    with pytest.raises(selvedge.OptionError, match="contexts"):
        selvedge.load(RACE).check(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": -1},
        {"timeout": float("nan")},
        {"memory": -1},
        {"engine": "fast"},
        {"engine": "lazy"},
        {"predicates": "gven"},
    ],
)
def test_questions_that_are_wrong(options: dict[str, Any]) -> None:
    with pytest.raises(selvedge.OptionError):
        selvedge.load(RACE).verify(**options)
    with pytest.raises(ValueError):
        selvedge.load(RACE).verify(**options)


@pytest.mark.parametrize(
    "options",
    [{"stem": 1}, {"lasso": 1}, {"fairness": "very"}, {"engine": "lazy"}, {"engine": "exact", "stem": 1, "lasso": 1}],
)
def test_livelocks_that_are_wrong(options: dict[str, Any]) -> None:
    with pytest.raises(selvedge.OptionError):
        selvedge.load(RACE).livelock(**options)


def test_types_that_are_wrong() -> None:
    module: Any = selvedge
    program: Any = selvedge.load(RACE)
    calls: list[Callable[[], object]] = [
        lambda: program.verify("auto"),
        lambda: program.verify(engine=3),
        lambda: program.verify(timeout="1s"),
        lambda: program.check(contexts="2"),
        lambda: program.check(contexts=2.0),
        lambda: module.load(3),
        lambda: module.parse(b"bool x;"),
        lambda: module.load(RACE, threads=[("worker", 2)]),
        lambda: module.load(RACE, consts={"N": "3"}),
        lambda: module.Program(),
        lambda: pickle.dumps(program),
        lambda: setattr(program, "file", "other.weave"),
    ]
    for call in calls:
        with pytest.raises((TypeError, AttributeError)):
            call()


def test_numbers_that_are_too_large_are_no_limits() -> None:
    program = selvedge.load(RACE)
    assert program.check(contexts=10**30).verdict == "unsafe"
    assert program.verify(timeout=float("inf"), memory=10**30).verdict == "unsafe"
