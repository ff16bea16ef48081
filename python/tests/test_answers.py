"""What an answer is."""

from __future__ import annotations

import copy
import dataclasses
import json
import pathlib
import pickle

import pytest
import selvedge


def test_a_violation_has_a_trace_of_objects() -> None:
    answer = selvedge.load("examples/start/race.weave").verify()
    assert answer.verdict == "unsafe"
    assert answer.bound == {"contexts": 3}
    assert answer.property == "assertions"
    assert answer.violation is not None and "assertion failed" in answer.violation
    assert answer.proof is None and answer.collapse is None and answer.lasso is None
    assert answer.trace is not None
    assert max(step.context for step in answer.trace) == 3
    assert all(isinstance(step, selvedge.Step) and len(step.stacks) == 2 for step in answer.trace)
    last = answer.trace[-1]
    assert last.line is not None and f"line {last.line}" in answer.violation
    assert last.shared == {"count": 1, "finished": 2, "wrong": answer.violation}
    first = answer.trace[0]
    assert first.shared == {"count": 0, "finished": 0}
    assert first.stacks[0] == selvedge.CallStack(1, [selvedge.Frame("worker:15", 15, {"seen": 0})])


def test_values_have_the_types_of_their_variables() -> None:
    text = """
    enum Colour { red, green }
    Colour colour := green;
    bool grid[2][2];
    lock m;
    int big := 36893488147419103232;
    void main() { bool any; acquire m; grid[1][0] := true; assert !any; }
    thread main;
    """
    # Where deadlocks are looked for, all values are chosen at once.
    answer = selvedge.parse(text).verify(deadlock=False)
    assert answer.trace is not None
    shared = answer.trace[-1].shared
    assert shared["colour"] == "green" and shared["m"] == "held" and shared["big"] == 2**65
    assert shared["grid"] == [[None, None], [True, None]]


def test_a_run_is_a_table() -> None:
    answer = selvedge.load("examples/start/race.weave").verify()
    table = answer.table()
    assert table.columns == ["context", "thread", "line", "step", "count", "finished", "wrong"]
    assert [row["context"] for row in table] == [1, 2, 2, 2, 3, 3, 3, 3]
    assert str(table).splitlines()[1].split() == "1 worker#1 14 int[0..2] seen := count 0 0".split()
    assert table._repr_html_().count("<tr>") == 9
    assert selvedge.load("examples/start/mutex.weave").verify().table() == []
    lasso = selvedge.load("examples/livelock/fig1b.weave").livelock()
    assert lasso.lasso is not None
    assert len(lasso.table()) == len(lasso.lasso.stem) + len(lasso.lasso.period)


def test_a_table_is_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    table = selvedge.load("examples/start/race.weave").verify().table()
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns and len(frame) == len(table)
    assert frame["count"].tolist() == [0, 0, 1, 1, 1, 1, 1, 1]
    assert pandas.DataFrame(table)["count"].tolist() == frame["count"].tolist()


def test_any_number_of_jobs_gives_the_same_answer() -> None:
    program = selvedge.load("examples/start/race.weave")
    one, two = (json.loads(program.verify(jobs=jobs).to_json()) for jobs in (1, 2))
    for answer in (one, two):
        del answer["time_s"], answer["peak_memory_bytes"]
    assert one == two
    with pytest.raises(selvedge.OptionError, match="somebody has to work"):
        program.verify(jobs=0)


def test_the_stubs_name_every_engine() -> None:
    stubs = (pathlib.Path(selvedge.__file__).parent / "_native.pyi").read_text()
    named = stubs.split("_Engine = Literal[")[1].split("]")[0].replace('"', "").replace(",", " ").split()
    assert sorted(named) == sorted(selvedge.engines())


def test_observations_are_plain_lists() -> None:
    """The numbers of the paper of Liu and Wahl, which the example tells in its text."""
    answer = selvedge.load("examples/cuba/fig1.cpds").check(contexts=6)
    assert answer.verdict == "bounded"
    assert answer.new_visible == [1, 2, 3, 0, 1, 1, 0]
    assert [seen.bound for seen in answer.observations] == [{"contexts": k} for k in range(7)]
    visible = [seen.visible for seen in answer.observations]
    assert visible == [sum(answer.new_visible[: k + 1]) for k in range(7)]  # type: ignore[arg-type]
    assert type(answer.observations) is list and type(answer.new_visible) is list


def test_a_proof_says_why() -> None:
    answer = selvedge.load("examples/cuba/fig1.cpds").verify()
    assert (answer.verdict, answer.bound, answer.collapse) == ("safe", {"contexts": 5}, {"contexts": 5})
    assert answer.proof and answer.trace is None and answer.violation is None and answer.reason is None


def test_bounds_of_every_kind() -> None:
    race = selvedge.load("examples/start/race.weave")
    assert race.check(contexts=2).verdict == "bounded"
    assert race.check(contexts=3).bound == {"contexts": 3}
    rounds = race.check(rounds=2, engine="lazy")
    assert (rounds.verdict, rounds.bound, rounds.engine) == ("unsafe", {"rounds": 2}, "rounds-lazy")
    delays = race.check(rounds=9, delays=1)
    assert delays.verdict == "unsafe" and delays.bound is not None and set(delays.bound) >= {"rounds", "delays"}


def test_so_many_started_threads_act() -> None:
    text = "int[0..3] x := 0; void up() { x := x + 1; } thread main { while (*) async up(); assert x < 2; }"
    program = selvedge.parse(text)
    assert program.check(rounds=1, started=1).verdict == "bounded"
    assert program.check(rounds=2, started=2).verdict == "unsafe"
    with pytest.raises(selvedge.OptionError, match="for rounds"):
        program.check(contexts=2, started=1)
    with pytest.raises(selvedge.OptionError):
        program.check(rounds=2, started=-1)


def test_a_livelock_is_a_lasso() -> None:
    answer = selvedge.load("examples/livelock/fig1b.weave").livelock()
    assert (answer.verdict, answer.property, answer.trace) == ("nonterminating", "fair-termination", None)
    assert answer.lasso is not None and answer.lasso.period
    assert answer.lasso.fairness == "strong" and answer.lasso.ended
    assert all(isinstance(step, selvedge.Step) for step in answer.lasso.stem + answer.lasso.period)
    assert all(isinstance(thread, selvedge.LassoThread) for thread in answer.lasso.threads)
    assert "acts" in {thread.part for thread in answer.lasso.threads}


def test_what_counts_as_a_livelock_can_be_said() -> None:
    program = selvedge.load("examples/livelock/fig1a.weave")
    assert program.livelock().verdict == "nonterminating"
    assert program.livelock(none_ended=True).verdict == "safe"
    assert program.livelock(fairness="none").verdict == "nonterminating"
    bounded = program.livelock(engine="rounds", stem=1, lasso=1)
    assert (bounded.verdict, bounded.bound) == ("bounded", {"stem": 1, "lasso": 1})


def test_a_string_is_what_the_command_prints() -> None:
    answer = selvedge.load("examples/start/race.weave").verify()
    text = str(answer)
    assert text.splitlines()[0] == f"unsafe: {answer.sentence}"
    assert "last state" in text and "\x1b" not in text
    assert repr(answer) == f"<Answer unsafe: {answer.sentence}>"


def test_nobody_takes_unknown_for_safe() -> None:
    program = selvedge.load("examples/start/mutex.weave")
    for answer in [program.verify(), program.check(contexts=1), program.verify(timeout=0)]:
        with pytest.raises(TypeError, match="verdict"):
            bool(answer)
        with pytest.raises(TypeError, match="verdict"):
            assert answer
        with pytest.raises(TypeError):
            not answer


def test_answers_are_values() -> None:
    answer = selvedge.load("examples/start/race.weave").verify()
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.verdict = "safe"  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer == copy.deepcopy(answer)
    assert again.to_json() == answer.to_json() and str(again) == str(answer)
    assert dataclasses.replace(answer, verdict="unknown") != answer


def test_json_is_the_same_answer() -> None:
    answer = selvedge.load("examples/start/race.weave").verify()
    found = json.loads(answer.to_json())
    assert found["verdict"] == answer.verdict
    assert found["file"] == answer.file == "examples/start/race.weave"
    assert [dataclasses.asdict(step) for step in answer.trace or []] == found["trace"]
    assert [dataclasses.asdict(seen) for seen in answer.observations] == found["observations"]
    assert found["selvedge"] == selvedge.__version__


@pytest.mark.parametrize(
    "file, verdict",
    [("start/race.weave", "unsafe"), ("start/mutex.weave", "safe"), ("cuba/fig1.cpds", "safe")],
)
def test_evidence_is_checked(file: str, verdict: str) -> None:
    program = selvedge.load(f"examples/{file}")
    assert program.verify().evidence is None
    evidence = program.verify(evidence=True).evidence
    assert evidence is not None
    found = json.loads(evidence)
    assert found["kind"] in found and found["digest"]
    checked = program.recheck(evidence)
    assert (checked.accepted, checked.verdict, checked.reason) == (True, verdict, None)
    assert checked.checked
    with pytest.raises(TypeError, match="accepted"):
        bool(checked)


def test_evidence_of_livelocks_is_checked() -> None:
    for file, none_ended, verdict in [
        ("fig1b.weave", False, "nonterminating"),
        ("fig1a.weave", False, "nonterminating"),
        ("fig1a.weave", True, "safe"),
    ]:
        program = selvedge.load(f"examples/livelock/{file}")
        evidence = program.livelock(evidence=True, none_ended=none_ended).evidence
        assert evidence is not None
        assert program.recheck(evidence).verdict == verdict


def test_evidence_that_is_wrong_is_refused() -> None:
    race, mutex = selvedge.load("examples/start/race.weave"), selvedge.load("examples/start/mutex.weave")
    evidence = race.verify(evidence=True).evidence
    assert evidence is not None
    shorter = json.loads(evidence)
    del shorter["violation"]["schedule"][-1]
    for program, wrong in [(mutex, evidence), (race, json.dumps(shorter)), (race, "{}"), (race, "nonsense")]:
        refused = program.recheck(wrong)
        assert (refused.accepted, refused.verdict, refused.checked) == (False, None, None)
        assert refused.reason


def test_what_nobody_asked_is_a_note() -> None:
    answer = selvedge.parse("bool x; void main() { x := true; } thread main;").verify()
    assert answer.verdict == "safe" and len(answer.notes) == 1 and "assert" in answer.notes[0]
    assert selvedge.load("examples/start/race.weave").verify().notes == []


def test_a_program_can_be_asked_again() -> None:
    program = selvedge.load("examples/start/race.weave")
    first, second = program.verify(), program.verify()
    assert (first.verdict, first.bound, first.trace) == (second.verdict, second.bound, second.trace)
    assert program.check(contexts=2).verdict == "bounded"
    assert program.verify(deadlock=True).property != first.property
