"""Runs: Ctrl-C, other threads of Python, limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import pytest
import selvedge
from conftest import ENDLESS

#: Nothing here should come near it, however busy the machine is; without it, a mistake would run for ever.
LONG = 600.0


def interrupted_after(seconds: float, ask: Callable[[], object]) -> float:
    """How long it takes from Ctrl-C to `KeyboardInterrupt`."""
    # A shell lets what it starts in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ask()
            time.sleep(LONG)  # where the answer is there before the signal
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
        timer.join()


@pytest.mark.parametrize(
    "ask",
    [
        lambda program: program.verify(timeout=LONG),
        lambda program: program.check(contexts=10**6, timeout=LONG),
        lambda program: program.livelock(timeout=LONG),
    ],
    ids=["verify", "check", "livelock"],
)
def test_ctrl_c(ask: Callable[[selvedge.Program], object]) -> None:
    program = selvedge.parse(ENDLESS)
    # Whoever does not hear of it comes back after LONG.
    assert interrupted_after(0.5, lambda: ask(program)) < LONG / 2
    # The program, and the interpreter, are as good as before.
    assert program.check(contexts=0, timeout=LONG).verdict == "bounded"


def test_other_signals_may_raise_what_they_like() -> None:
    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Alarm):
            selvedge.parse(ENDLESS).verify(engine="explicit", timeout=LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_signal_that_raises_nothing_stops_nothing() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: heard.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        answer = selvedge.parse(ENDLESS).verify(engine="explicit", timeout=1.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard == [signal.SIGALRM]
    assert answer.verdict == "unknown" and answer.time_s is not None and answer.time_s > 0.9


def test_a_process_ends_at_ctrl_c() -> None:
    """As in a terminal: a whole interpreter, which dies of the signal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    script = f"import selvedge; p = selvedge.parse({ENDLESS!r}); print('ready', flush=True); p.verify(engine='explicit', timeout={LONG})"
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=LONG / 2)
    finally:
        child.kill()
    assert b"KeyboardInterrupt" in errors
    assert child.returncode in (-signal.SIGINT, 130)


def test_other_threads_go_on() -> None:
    """While one thread verifies, another one counts: the interpreter is not locked."""
    done = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not done.wait(0.01):
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        # One second is enough, unless the machine is so busy that nobody counts.
        for _ in range(60):
            before = counted
            answer = selvedge.parse(ENDLESS).verify(engine="explicit", timeout=1.0)
            assert answer.verdict == "unknown"
            if counted - before >= 5:
                break
    finally:
        done.set()
        counter.join()
    assert counted - before >= 5


def test_two_verifications_at_once() -> None:
    """Each begins before the other one has ended, and both have their answers; so have many short ones beside them."""
    race, endless = selvedge.load("examples/start/race.weave"), selvedge.parse(ENDLESS)

    def slow() -> tuple[float, str, float]:
        start = time.monotonic()
        verdict = endless.verify(engine="explicit", timeout=1.0).verdict
        return start, verdict, time.monotonic()

    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(slow) for _ in range(2)]
        fast = [pool.submit(race.verify) for _ in range(8)]
        assert [future.result().verdict for future in fast] == ["unsafe"] * 8
        first, second = (future.result() for future in runs)
    assert first[1] == second[1] == "unknown"
    assert first[0] < second[2] and second[0] < first[2]


def test_a_time_limit() -> None:
    start = time.monotonic()
    answer = selvedge.parse(ENDLESS).verify(engine="explicit", timeout=0.3)
    assert answer.verdict == "unknown" and answer.reason is not None and "time" in answer.reason
    assert 0.3 <= time.monotonic() - start < LONG / 2


def test_a_memory_limit() -> None:
    limit = 20 << 20
    answer = selvedge.parse(ENDLESS).check(contexts=10**6, memory=limit, timeout=LONG)
    assert answer.verdict == "unknown" and answer.reason is not None and "memory" in answer.reason
    assert answer.peak_memory_bytes is not None
    assert limit / 2 < answer.peak_memory_bytes < 2 * limit


def test_memory_is_given_back() -> None:
    """Otherwise a limit would be reached by many small runs together."""
    program = selvedge.load("examples/bluetooth/bluetooth3.weave")
    peaks = [program.check(contexts=4, memory=64 << 20).peak_memory_bytes or 0 for _ in range(5)]
    assert 0 < max(peaks[1:]) < 2 * peaks[0]


def test_a_bug_is_an_exception() -> None:
    """A panic ends the run and not the interpreter. Only modules for tests can be asked for one."""
    native: Any = selvedge._native
    if not hasattr(native, "_panic"):
        pytest.skip("this module was built to be used")
    with pytest.raises(selvedge.InternalError, match="(?s)on purpose.*report"):
        native._panic()
    assert selvedge.load("examples/start/race.weave").verify().verdict == "unsafe"
