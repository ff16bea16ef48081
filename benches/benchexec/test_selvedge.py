# SPDX-License-Identifier: MIT OR Apache-2.0

"""
Tests the tool-info module on real runs: with BenchExec's own test command, and with BenchExec's classes where exit codes and
limits matter, which that command does not know. `scripts/test-benchexec` calls it, with SELVEDGE set to the binary.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

from benchexec import model, util
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException
from toolinfo.selvedge import Tool

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
SELVEDGE = os.path.abspath(os.environ["SELVEDGE"])
TASKS = sorted(glob.glob(os.path.join(HERE, "tasks", "*.yml")))

# Arguments of a run in the folder of examples, the result by its output alone, and the result if the exit code is known.
RUNS = {
    "safe": ("verify start/mutex.weave", "true", "true"),
    "unsafe": ("verify start/race.weave", "false(unreach-call)", "false(unreach-call)"),
    "target": ("verify delays/ex8.cpds --target 2|*,*,*", "false(unreach-call)", "false(unreach-call)"),
    "deadlock": ("verify locks/philosophers.weave --deadlock", "false(no-deadlock)", "false(no-deadlock)"),
    "assertion": ("verify start/race.weave --deadlock", "false(unreach-call)", "false(unreach-call)"),
    "c_safe": ("verify c/mutex.c --property no-data-race", "true", "true"),
    "c_unsafe": ("verify c/race.c --property unreach-call", "false(unreach-call)", "false(unreach-call)"),
    "c_race": ("verify c/race.c --property no-data-race", "false(no-data-race)", "false(no-data-race)"),
    "c_deadlock": ("verify c/philosophers.c --deadlock", "false(no-deadlock)", "false(no-deadlock)"),
    "nonterminating": ("livelock start/livelock.weave", "false(termination)", "false(termination)"),
    "terminating": ("livelock livelock/fig3c-timeout-fair.weave", "true", "true"),
    "bounded": ("check start/mutex.weave --contexts 2", "unknown", "unknown"),
    "unknown": ("verify delays/program-p.weave --solver no-such-solver", "unknown", "unknown"),
    "timeout": ("verify bluetooth/bluetooth3.weave --threads adder=9 --threads stopper=9 --no-reduction --timeout 100ms", "TIMEOUT", "TIMEOUT"),
    "memory": ("verify bluetooth/bluetooth3.weave --threads adder=9 --threads stopper=9 --no-reduction --memory 1MiB", "OUT OF MEMORY", "OUT OF MEMORY"),
    "input": ("verify README.md", "ERROR (not answered)", "ERROR (wrong input)"),
    "file": ("verify not-there.weave", "ERROR (not answered)", "ERROR (unreadable file)"),
    "usage": ("verify start/race.weave --no-such-option", "ERROR (not answered)", "ERROR (usage)"),
}

_answers = {}


def answer(name):
    """Output, as BenchExec sees it, and exit code of a run."""
    if name not in _answers:
        words = RUNS[name][0].split()
        done = subprocess.run(
            [SELVEDGE, *words, "--format", "json", "--quiet"],
            cwd=os.path.join(ROOT, "examples"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        _answers[name] = (done.stdout, done.returncode)
    return _answers[name]


def outcome(output, value=None, signal=None):
    """What the module makes of an output and an exit code, or a signal."""
    code = util.ProcessExitCode.create(signal=signal) if signal else util.ProcessExitCode.create(value=value)
    lines = BaseTool2.RunOutput(output.splitlines(keepends=True))
    return Tool().determine_result(BaseTool2.Run(["selvedge"], code, lines, None))


def command_line(options=(), property_name=None, arguments=None, file="a.weave", data_model=None, **rlimits):
    own = {"arguments": arguments, "data_model": data_model}
    task = BaseTool2.Task.with_files(
        [file],
        property_file=f"properties/{property_name}.prp" if property_name else None,
        options={name: value for name, value in own.items() if value} or None,
    )
    return Tool().cmdline("selvedge", list(options), task, BaseTool2.ResourceLimits(**rlimits))


class TestCommand(unittest.TestCase):
    """`python3 -m benchexec.test_tool_info`"""

    def test_it_prints_what_is_expected(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: os.path.join(folder, f"{name}.txt") for name in RUNS}
            for name, path in files.items():
                with open(path, "w") as file:
                    file.write(answer(name)[0])
            done = subprocess.run(
                [sys.executable, "-m", "benchexec.test_tool_info", "toolinfo.selvedge", "--no-container"]
                + ["--tool-directory", os.path.dirname(SELVEDGE)]
                + ["--task-definition", *TASKS]
                + ["--tool-output", *files.values()],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": HERE},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
            )
        said = done.stdout
        self.assertEqual(done.returncode, 0, said)
        self.assertNotIn("Traceback", said)
        self.assertRegex(said, r"\nName of tool: “Selvedge”\n")
        self.assertRegex(said, r"\nVersion: “\d+\.\d+\.\d+[^ ”]*”\n")
        # The command tries a property that nobody knows, twice, and several files; it would rather have a relative path.
        warnings = [line for line in said.splitlines() if line.startswith(("WARNING", "ERROR"))]
        expected = ("does not support tasks with property file", "does not support SV-Benchmarks task")
        expected += ("does not support tasks with multiple input files", "Path to executable is absolute")
        left = [line for line in warnings if not any(words in line for words in expected)]
        self.assertEqual(left, [])
        self.assertEqual(len(warnings), 4, warnings)
        results = dict(re.findall(r"tool output in “[^”]*/(\w+)\.txt”:\n\t“(.*)”", said))
        self.assertEqual(results, {name: run[1] for name, run in RUNS.items()})
        self.assertGreater(len(TASKS), 80)
        self.assertEqual(len(re.findall(r"\.yml without property file:\n\t", said)), len(TASKS))


class Results(unittest.TestCase):
    def test_exit_codes_are_looked_at(self):
        for name, (arguments, _, expected) in RUNS.items():
            self.assertEqual(outcome(answer(name)[0], answer(name)[1]), expected, arguments)

    def test_messages_around_the_object_do_no_harm(self):
        output, code = answer("unsafe")
        self.assertEqual(outcome("a note\n" + output + "another\n", code), "false(unreach-call)")

    def test_a_process_that_dies_has_no_answer(self):
        output, _ = answer("safe")
        self.assertRegex(outcome(output, 70), "^ERROR")
        self.assertRegex(outcome(output, 10), "^ERROR")
        self.assertRegex(outcome(output, signal=9), "^ERROR")
        self.assertEqual(outcome("selvedge: a panic\n", 70), "ERROR (bug)")
        self.assertEqual(outcome("", signal=9), "ERROR")

    def test_half_an_object_is_no_answer(self):
        for name in RUNS:
            output, code = answer(name)
            end = output.rindex("}")
            for length in range(0, end, max(1, end // 50)):
                self.assertRegex(outcome(output[:length], code), "^ERROR", f"{name}, {length}")

    def test_columns(self):
        output = BaseTool2.RunOutput(answer("unsafe")[0].splitlines(keepends=True))
        fields = ["verdict", "bound", "violation", "reason", "trace", "no such field"]
        values = [Tool().get_value_from_output(output, field) for field in fields]
        self.assertEqual(values, ["unsafe", "contexts 3", "line 17: assertion failed", "", "", ""])


class CommandLines(unittest.TestCase):
    def test_properties(self):
        start = ["--format", "json", "--quiet"]
        self.assertEqual(command_line(), ["selvedge", "verify", *start, "a.weave"])
        self.assertEqual(command_line(property_name="unreach-call"), command_line())
        deadlock = command_line(property_name="no-deadlock", arguments=["--const", "N=5"])
        self.assertEqual(deadlock, ["selvedge", "verify", "--deadlock", *start, "--const", "N=5", "a.weave"])
        self.assertEqual(command_line(property_name="termination")[1], "livelock")
        with self.assertRaises(UnsupportedFeatureException):
            command_line(property_name="valid-deref")

    def test_programs_in_c(self):
        start = ["--format", "json", "--quiet"]
        race = command_line(property_name="no-data-race", file="a.i", data_model="ILP32")
        self.assertEqual(race, ["selvedge", "verify", "--property", "no-data-race", *start, "--data-model", "ilp32", "a.i"])
        own = command_line(["--data-model", "lp64"], "unreach-call", file="a.c", data_model="ILP32")
        self.assertEqual(own, ["selvedge", "verify", "--property", "unreach-call", *start, "--data-model", "lp64", "a.c"])
        self.assertEqual(command_line(property_name="safety", file="a.c"), ["selvedge", "verify", *start, "a.c"])
        bounded = command_line(["check", "--contexts", "3"], "no-overflow", file="a.c")
        self.assertEqual(bounded[:4], ["selvedge", "check", "--property", "no-overflow"])
        self.assertEqual(command_line(property_name="termination", file="a.c")[1], "livelock")
        with self.assertRaises(UnsupportedFeatureException):
            command_line(property_name="valid-deref", file="a.c")
        with self.assertRaises(UnsupportedFeatureException):
            command_line(property_name="no-data-race")

    def test_another_command(self):
        bounded = command_line(["check", "--contexts", "3"], "no-deadlock")
        start = ["selvedge", "check", "--deadlock", "--format", "json", "--quiet"]
        self.assertEqual(bounded, [*start, "--contexts", "3", "a.weave"])
        with self.assertRaises(UnsupportedFeatureException):
            command_line(["check", "--contexts", "3"], "termination")
        with self.assertRaises(UnsupportedFeatureException):
            command_line(["livelock"])

    def test_limits(self):
        limited = command_line(cputime=60, cputime_hard=70, walltime=50, memory=1000)
        self.assertEqual(limited[5:9], ["--timeout", "50s", "--memory", "900B"])
        self.assertNotIn("--timeout", command_line(cputime=60, cputime_hard=70))
        own = command_line(["--timeout=5s", "--memory", "1GiB"], walltime=60, memory=1000)
        self.assertEqual(own[5:8], ["--timeout=5s", "--memory", "1GiB"])
        self.assertEqual(len(own), 9)

    def test_selvedge_understands_every_task(self):
        asked = 0
        for path in TASKS:
            task = model.load_task_definition_file(path)
            files = model.handle_files_from_task_definition(task["input_files"], path)
            for entry in task["properties"]:
                file = os.path.join(os.path.dirname(path), entry["property_file"])
                self.assertTrue(os.path.isfile(file), file)
                line = model.cmdline_for_run(
                    Tool(), SELVEDGE, ["--timeout", "1ms"], files, path, file, task["options"], BaseTool2.ResourceLimits()
                )
                done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
                self.assertIn(done.returncode, (0, 10, 11, 20), f"{line}\n{done.stdout}")
                asked += 1
        self.assertGreater(asked, 90)


if __name__ == "__main__":
    unittest.main()
