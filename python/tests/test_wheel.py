"""The wheel: what is in it, and that whoever gets it can use it within seconds."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

#: What installing may cost, in seconds of a processor: on a machine that has nothing else to do, it takes no longer.
SECONDS = 20.0


def wheel() -> Path:
    """The wheel that is tested."""
    found = os.environ.get("SELVEDGE_WHEEL")
    if found is None:
        pytest.skip("SELVEDGE_WHEEL names no wheel: scripts/test-python does")
    return Path(found)


def test_licences_and_types_are_in_the_wheel() -> None:
    with zipfile.ZipFile(wheel()) as files:
        names = files.namelist()
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"]:
            inside = [name for name in names if name.endswith(f".dist-info/licenses/{licence}")]
            assert len(inside) == 1, names
            assert files.read(inside[0]) == (ROOT / licence).read_bytes()
    assert "selvedge/py.typed" in names and "selvedge/_native.pyi" in names


def test_one_wheel_is_for_all_versions_of_python() -> None:
    _, _, tag, abi, platform = wheel().stem.split("-")
    assert (tag, abi) == ("cp39", "abi3")
    if sys.platform == "linux":
        assert platform.startswith("manylinux"), "the wheel says which machines it runs on"


def test_an_install_takes_seconds(tmp_path: Path) -> None:
    """In a fresh environment, without the package index: the wheel needs nothing else."""
    built = wheel().resolve()
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", str(built)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"installing took {spent:.1f} s of a processor")
    assert spent < SECONDS
    script = "import selvedge; print(selvedge.parse('void main() { assert false; } thread main;').verify().verdict)"
    said = subprocess.run([python, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout == "unsafe\n"
