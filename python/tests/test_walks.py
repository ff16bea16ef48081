"""Single runs, reports, and what is told while an engine runs."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, Callable

import pytest
import selvedge
from conftest import ENDLESS

RACE = "examples/start/race.weave"


def test_a_seed_repeats_a_run() -> None:
    program = selvedge.load(RACE)
    first = program.simulate(seed=7)
    assert first == program.simulate(seed=7) and first.seed == 7
    assert first.outcome in ("wrong", "ended") and len(first.trace) == len(first.table())
    assert len({program.simulate(seed=seed).schedule for seed in range(20)}) > 1
    assert pickle.loads(pickle.dumps(first)) == first


def test_a_run_without_a_seed_tells_its_own() -> None:
    program = selvedge.load(RACE)
    run = program.simulate()
    assert run.seed is not None and program.simulate(seed=run.seed) == run


def test_a_run_is_as_long_as_it_was_asked_to_be() -> None:
    run = selvedge.parse(ENDLESS).simulate(seed=1, steps=5)
    assert (run.outcome, len(run.trace)) == ("steps", 5)
    assert str(run).endswith(f"5 steps in {run.contexts} contexts: stopped after as many steps as were asked for") or run.contexts == 1
    assert "<td>a := a + 1</td>" in run._repr_html_() or "<td>b := b + 1</td>" in run._repr_html_()


def test_the_schedule_of_a_run_leads_along_it_again() -> None:
    program = selvedge.load(RACE)
    for seed in range(10):
        run = program.simulate(seed=seed)
        again = program.simulate(schedule=run.schedule)
        assert again.trace == run.trace and again.outcome == run.outcome and again.seed is None


def test_evidence_is_a_schedule() -> None:
    program = selvedge.load(RACE)
    answer = program.verify(evidence=True)
    run = program.simulate(schedule=answer.evidence)
    assert run.outcome == "wrong" and "assertion failed" in run.reason
    assert answer.trace is not None and [step.step for step in run.trace] == [step.step for step in answer.trace]


def test_a_schedule_by_hand() -> None:
    program = selvedge.load(RACE)
    run = program.simulate(schedule="worker#1\nworker#2 * 2\n")
    assert [step.thread for step in run.trace] == ["worker#1", "worker#2", "worker#2"]
    assert (run.outcome, run.contexts) == ("schedule", 2)


@pytest.mark.parametrize("schedule", ["nobody\n", "worker#1 * 100\n", "{}", "worker#1 choice\n"])
def test_schedules_that_cannot_be_followed(schedule: str) -> None:
    with pytest.raises(selvedge.InputError):
        selvedge.load(RACE).simulate(schedule=schedule)


def test_proofs_and_two_wishes_are_no_runs() -> None:
    program = selvedge.load("examples/start/mutex.weave")
    with pytest.raises(selvedge.InputError, match="proof"):
        program.simulate(schedule=program.verify(evidence=True).evidence)
    with pytest.raises(selvedge.OptionError, match="schedule"):
        program.simulate(schedule="worker\n", seed=1)
    with pytest.raises(selvedge.OptionError, match="steps"):
        program.simulate(steps=-1)


def test_a_report_is_written_as_its_name_says(tmp_path: Path) -> None:
    report = selvedge.load(RACE).report()
    assert report.answer.verdict == "unsafe" and repr(report).startswith("<Report unsafe: ")
    for name, begins in [("race.html", "<!doctype html>"), ("race.md", "# "), ("race.sarif", "{")]:
        report.save(tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.lower().startswith(begins), text[:80]
        assert "selvedge verify examples/start/race.weave" in text, name
    assert json.loads(report.sarif)["version"] == "2.1.0"
    assert report._repr_html_().startswith('<iframe srcdoc="')
    with pytest.raises(ValueError, match=r"\.html"):
        report.save(tmp_path / "race.pdf")


@pytest.mark.parametrize(
    "options, verdict, command",
    [
        ({"contexts": 2}, "bounded", "check examples/start/race.weave --contexts 2"),
        ({"rounds": 9, "delays": 0}, None, "check examples/start/race.weave --rounds 9 --delays 0"),
        ({"livelock": True}, "safe", "livelock examples/start/race.weave"),
        (
            {"deadlock": False, "engine": "explicit", "symmetry": False, "timeout": 60},
            "unsafe",
            "verify examples/start/race.weave --no-deadlock --engine explicit --no-symmetry --timeout 60s",
        ),
    ],
)
def test_a_report_answers_the_question_that_is_asked(options: Any, verdict: str, command: str) -> None:
    report = selvedge.load(RACE).report(**options)
    assert report.answer.command == f"selvedge {command}"
    assert verdict is None or report.answer.verdict == verdict


def test_a_livelock_has_no_bound() -> None:
    with pytest.raises(selvedge.OptionError):
        selvedge.load(RACE).report(livelock=True, contexts=1)


def test_answers_know_the_command_that_asks_again() -> None:
    program = selvedge.load(RACE, threads={"worker": 3})
    assert program.verify(require_reached=True).command == "selvedge verify examples/start/race.weave --threads worker=3 --require-reached"
    asked = program.check(contexts=1, memory=10**9, reduction=False).command
    assert asked == "selvedge check examples/start/race.weave --threads worker=3 --contexts 1 --no-reduction --memory 1000000000B"
    assert program.livelock(fairness="weak").command == "selvedge livelock examples/start/race.weave --threads worker=3 --fairness weak"
    assert selvedge.parse(ENDLESS).check(contexts=0).command is None


def test_assertions_that_nobody_reaches_can_be_asked_about() -> None:
    program = selvedge.parse("bool go := false; void main() { assume go; assert false; } thread main;")
    assert program.verify(deadlock=False).verdict == "safe"
    answer = program.verify(deadlock=False, require_reached=True)
    assert answer.verdict == "unknown" and answer.reason is not None


def test_progress_is_told_bound_by_bound() -> None:
    heard: list[selvedge.Progress] = []
    answer = selvedge.load("examples/bluetooth/bluetooth3.weave").check(contexts=4, progress=heard.append)
    seen = [told.observation for told in heard if told.observation is not None]
    assert [one.bound for one in seen] == [one.bound for one in answer.observations]
    assert heard[-1].moves > 0 and all(told.time_s >= 0 and told.memory_bytes > 0 for told in heard)
    assert "4 contexts of 4" in [told for told in heard if told.observation is not None][-1].doing


def test_progress_is_told_while_nothing_is_completed() -> None:
    """Also where no bound ends: and what is raised there ends the run."""

    class Enough(Exception):
        pass

    calls = 0

    def hear(told: selvedge.Progress) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise Enough(told.doing)

    program = selvedge.parse(ENDLESS)
    with pytest.raises(Enough):
        program.verify(engine="explicit", progress=hear, timeout=600)
    assert calls == 3
    assert program.check(contexts=0).verdict == "bounded"


@pytest.mark.parametrize(
    "ask",
    [
        lambda program, hear: program.livelock(progress=hear, timeout=600),
        lambda program, hear: program.table(progress=hear, timeout=600),
        lambda program, hear: program.report(progress=hear, engine="explicit", timeout=600),
    ],
    ids=["livelock", "table", "report"],
)
def test_all_that_takes_long_tells_of_it(ask: Callable[[selvedge.Program, Callable[[Any], None]], object]) -> None:
    def stop(told: selvedge.Progress) -> None:
        raise KeyError(told.doing)

    with pytest.raises(KeyError):
        ask(selvedge.parse(ENDLESS), stop)


def test_progress_is_a_function() -> None:
    wrong: Any = "loud"
    with pytest.raises(TypeError):
        selvedge.parse(ENDLESS).verify(engine="explicit", progress=wrong, timeout=600)
