"""What the tests have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

#: The repository.
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

#: No end of states, at every bound: two numbers without limits. (A solver has a proof: for a run without an end, follow states.)
ENDLESS = """
int a := 0;
int b := 0;
void count() { while (true) { a := a + 1; } }
void other() { while (true) { b := b + 1; assert b >= 0; } }
thread count;
thread other;
"""


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are those that the documentation uses."""
    monkeypatch.chdir(ROOT)
