"""The spelling of commands, options and parameters: ``_`` for ``-``, and the nearest name for a mistake."""

import re
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from .errors import UsageError

COMMANDS = {
    "classify": "predict",
    "describe": "info",
    "fit": "train",
    "learn": "train",
    "score": "evaluate",
    "show": "info",
    "test": "evaluate",
}
"""Commands by other names for them."""

NAMES = {
    "class-labels": "classes",
    "decision": "scores",
    "decision-function": "scores",
    "epochs": "passes",
    "label": "target",
    "label-column": "target",
    "lambda": "alpha",
    "max-iter": "passes",
    "max-sv": "budget",
    "method": "algorithm",
    "metric": "metric-learning",
    "normalize": "scaling",
    "n-iter": "passes",
    "n-support": "budget",
    "predict-proba": "proba",
    "probabilities": "proba",
    "random-state": "seed",
    "scale": "scaling",
    "sep": "delimiter",
    "separator": "delimiter",
    "standardize": "scaling",
    "strategy": "maintenance",
}
"""Options and parameters by other names for them."""

_NUMBER = re.compile(r"-(\d+|\d*\.\d+)")
_START_OF_NUMBER = re.compile(r"-[\d.]")


def spelled(argv: Sequence[str], top: ArgumentParser, commands: Mapping[str, ArgumentParser]) -> list[str]:
    """Return the arguments with the names of options as the parser has them.

    Without arguments, and for ``help``, they ask for help.

    Raises
    ------
    UsageError
        If there is no such command or option; the message has the nearest name.
    """
    words = list(argv)
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if not words:
        return ["--help"]
    command = words[0]
    if command.startswith("-"):
        if command not in top._option_string_actions:
            raise UsageError(f"expected a command first, got {command}{_see(top)}")
        return words
    if command not in commands:
        near = COMMANDS.get(command) or nearest(command, commands)
        raise UsageError(f"unknown command {command}{asked(near)}{_see(top)}")
    return [command, *_options(words[1:], commands[command])]


def _options(words: Sequence[str], command: ArgumentParser) -> list[str]:
    """Return the arguments of a command with the names of its options as the parser has them."""
    known, found = command._option_string_actions, []
    for i, word in enumerate(words):
        if word == "--":
            return [*found, *words[i:]]
        option = known.get(found[-1]) if found else None
        if option is not None and option.nargs is None and _START_OF_NUMBER.match(word):
            # A list that begins with a negative number, such as --classes -1,1, is no option.
            found[-1] += f"={word}"
            continue
        if word.startswith("--"):
            name, *value = word.split("=", 1)
            name = name.replace("_", "-")
            if name not in known:
                following = value or [each for each in words[i + 1 : i + 2] if not each.startswith("--")]
                raise _unknown(word.split("=", 1)[0], following, command)
            word = "=".join([name, *value])
        elif len(word) > 1 and word[0] == "-" and word[:2] not in known and not _NUMBER.fullmatch(word):
            raise UsageError(f"unknown option {word}{_see(command)}")
        found.append(word)
    return found


def _unknown(given: str, value: Sequence[str], command: ArgumentParser) -> UsageError:
    """Return the error of an unknown option, with the nearest option or parameter."""
    options = [name.removeprefix("--") for name in command._option_string_actions if name.startswith("--")]
    parameters: Sequence[str] = command.get_default("parameters") or ()
    name = given.removeprefix("--").replace("_", "-")
    is_off = name.startswith("no-") and name[3:].replace("-", "_") in parameters
    if is_off:
        name, value = name[3:], ["false"]
    by_option = {each.replace("_", "-"): each for each in parameters}
    exact = by_option.get(name)
    near = exact or nearest(name, [*options, *by_option])
    if near is None or near in options:
        return UsageError(f"unknown option {given}{asked(near and f'--{near}')}{_see(command)}")
    setting = f"--set {by_option.get(near, near)}={value[0] if value else 'VALUE'}"
    if exact:
        return UsageError(f"unknown option {given}; use {setting}{_see(command, 'help-all')}")
    return UsageError(f"unknown option {given}{asked(setting)}{_see(command, 'help-all')}")


def _see(command: ArgumentParser, option: str = "help") -> str:
    return f' (see "{command.prog} --{option}")'


def asked(near: str | None) -> str:
    """Return the question about a near name."""
    return f"; did you mean {near}?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that means a name, or is most similar in any case of letters; else None."""
    by_lower = {each.lower(): each for each in known}
    if (meant := NAMES.get(name.lower())) in by_lower:
        return meant
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.65)
    return by_lower[found[0]] if found else None
