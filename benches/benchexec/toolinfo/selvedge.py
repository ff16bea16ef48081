# SPDX-License-Identifier: MIT OR Apache-2.0

import html
import json
import os

import benchexec.result as result
import benchexec.tools.template

# The command for each property, by the name of the property file.
COMMANDS = {
    "unreach-call": ["verify"],
    "no-deadlock": ["verify", "--deadlock"],
    "termination": ["livelock"],
}

# The same for programs in C. "safety" is what is asked where nothing is said: assertions and pointers.
COMMANDS_FOR_C = {
    "safety": ["verify"],
    "unreach-call": ["verify", "--property", "unreach-call"],
    "valid-memsafety": ["verify", "--property", "valid-memsafety"],
    "no-overflow": ["verify", "--property", "no-overflow"],
    "no-data-race": ["verify", "--property", "no-data-race"],
    "no-deadlock": ["verify", "--deadlock"],
    "termination": ["livelock"],
}

# What a violation in C says, and what BenchExec calls it.
VIOLATIONS = {
    "data race:": result.RESULT_FALSE_DATARACE,
    "does not fit into its type": result.RESULT_FALSE_OVERFLOW,
    # Whether it is valid-deref or valid-free is not told.
    "undefined behaviour:": result.RESULT_FALSE_PROP,
}

# How each verdict ends the process, and what is wrong if there is none.
EXIT_CODES = {"safe": 0, "bounded": 1, "unsafe": 10, "nonterminating": 11, "unknown": 20}
MISTAKES = {64: "usage", 65: "wrong input", 66: "unreadable file", 70: "bug"}


class Tool(benchexec.tools.template.BaseTool2):
    """
    Tool info for Selvedge, a verifier for concurrent programs with recursion.
    The property file says what is asked (unreach-call, no-deadlock, termination; of programs in C also valid-memsafety,
    no-overflow, no-data-race); the first option may name another command for it, such as "check" with "--contexts" and a
    number. Arguments that belong to a task stand in its definition: options, arguments; and of programs in C data_model.
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("selvedge")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="selvedge")

    def name(self):
        return "Selvedge"

    def cmdline(self, executable, options, task, rlimits):
        commands = commands_for(task)
        asked = property_name(task, commands)
        command = commands[asked]
        if options and options[0] in ("verify", "check", "livelock"):
            if (options[0] == "livelock") != (command[0] == "livelock"):
                raise benchexec.tools.template.UnsupportedFeatureException(
                    f"'{options[0]}' does not answer the property '{asked}'"
                )
            command = [options[0], *command[1:]]
            options = options[1:]
        arguments = (task.options or {}).get("arguments", [])
        return [
            executable,
            *command,
            "--format",
            "json",
            "--quiet",
            *limits(rlimits, options),
            *data_model(task, options),
            *options,
            *map(str, arguments),
            task.single_input_file,
        ]

    def determine_result(self, run):
        said = answer(run.output)
        code = run.exit_code.value
        if said is None:
            # A process that was ended by a signal is left to BenchExec, which knows why.
            return error(code) if code in MISTAKES else result.RESULT_ERROR
        verdict = said.get("verdict")
        if verdict not in EXIT_CODES:
            return error(code)
        # The object and the exit code say the same. Where only the object is known, as in the test of
        # tool-info modules, the code is 0.
        if code not in (EXIT_CODES[verdict], 0):
            return f"{result.RESULT_ERROR} ({verdict}, but the exit code is {code})"
        if verdict == "safe":
            return result.RESULT_TRUE_PROP
        if verdict == "nonterminating":
            return result.RESULT_FALSE_TERMINATION
        if verdict == "unsafe":
            violation = said.get("violation") or ""
            for words, found in VIOLATIONS.items():
                if words in violation:
                    return found
            is_deadlock = violation == "a deadlock"
            return result.RESULT_FALSE_DEADLOCK if is_deadlock else result.RESULT_FALSE_REACH
        reason = said.get("reason") or ""
        if reason.startswith("the time limit was reached"):
            return result.RESULT_TIMEOUT
        if reason.startswith("the memory limit was reached"):
            return "OUT OF MEMORY"
        # Bounded, too: that nothing was found within a bound is no proof, and no error.
        return result.RESULT_UNKNOWN

    def get_value_from_output(self, output, identifier):
        """A field of the object: verdict, engine, bound, reason, violation, proof, time_s, peak_memory_bytes."""
        value = (answer(output) or {}).get(identifier)
        if value is None or isinstance(value, list):
            return ""
        if isinstance(value, dict):
            value = ", ".join(f"{name} {number}" for name, number in value.items())
        return html.escape(str(value))


def commands_for(task):
    """The commands for a task, by property: programs in C have properties of their own."""
    is_c = task.single_input_file.endswith((".c", ".i"))
    return COMMANDS_FOR_C if is_c else COMMANDS


def property_name(task, commands):
    """The property that is asked about; assertions and targets if there is no property file."""
    if not task.property_file:
        return "unreach-call"
    name = os.path.splitext(os.path.basename(task.property_file))[0]
    if name not in commands:
        raise benchexec.tools.template.UnsupportedFeatureException(
            f"property file '{task.property_file}': the names of known ones are "
            + ", ".join(f"{known}.prp" for known in commands)
        )
    return name


def limits(rlimits, options):
    """
    Selvedge ends by itself when a limit is reached, and says what it has done until then. Its time is that of the clock; for
    processor time, BenchExec ends it, with a signal that has the same effect. Options of the benchmark definition go before.
    """
    found = []
    if rlimits.walltime and not has_option(options, "--timeout"):
        found += ["--timeout", f"{rlimits.walltime}s"]
    if rlimits.memory and not has_option(options, "--memory"):
        # What it counts is what it asked for; the process needs somewhat more.
        found += ["--memory", f"{rlimits.memory // 10 * 9}B"]
    return found


def data_model(task, options):
    """How wide `long` and pointers are, where the task says it and the benchmark definition does not."""
    model = (task.options or {}).get("data_model")
    if model not in ("ILP32", "LP64") or has_option(options, "--data-model"):
        return []
    return ["--data-model", model.lower()]


def has_option(options, name):
    return any(option == name or option.startswith(name + "=") for option in options)


def answer(output):
    """The object that was printed, or None: there may be messages before and after it."""
    text = output.text
    start = 0 if text.startswith("{") else text.find("\n{") + 1
    if not text.startswith("{", start):
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None
    return found if "selvedge" in found else None


def error(code):
    return f"{result.RESULT_ERROR} ({MISTAKES.get(code, 'not answered')})"
