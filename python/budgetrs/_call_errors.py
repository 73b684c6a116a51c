"""Python's own errors about the arguments of a call, such as a missing `y`, complete with what to do."""

from functools import wraps
from types import FunctionType
from typing import Any, TypeVar

from ._hints import of_keyword

_Class = TypeVar("_Class", bound=type)

_COVERAGE = "coverage must be passed by name: coverage=0.9 covers 90%, which is alpha=0.1"
_KEYED = 'pass both by name: KeyedModels(Classifier(), key="user", folder="models")'
_BINDING = {
    "'y'": "pass the rows, and the label or target of each: {method}({rows}, y)",
    "'path'": 'pass the path of a model file: {method}("model.safetensors")',
    "'key'": _KEYED,
    "'folder'": _KEYED,
    "KeyedModels.__init__() takes": _KEYED,
    "predict_interval() takes": _COVERAGE,
    "predict_interval_one() takes": _COVERAGE,
    "predict_set() takes": _COVERAGE,
    "predict_set_one() takes": _COVERAGE,
}
"""What to do about missing and superfluous arguments, by a part of Python's message."""


def unqualified(cls: _Class) -> _Class:
    """Have Python's errors about arguments of methods omit the class, which may be private, and advise."""
    for name, member in [*vars(cls).items()]:
        function = getattr(member, "__func__", member)  # of a class method
        if isinstance(function, FunctionType):
            function.__qualname__ = name
            if not name.startswith("_"):
                explained = explained_call(function)
                setattr(cls, name, explained if function is member else type(member)(explained))
    return cls


def explained_call(function: Any) -> Any:
    """Have Python's errors about the arguments of calls of a function say what to do; it adds a frame."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                _explain(error, function.__name__, "x" if function.__name__.endswith("_one") else "X")
            raise

    return call


def _explain(error: TypeError, method: str, rows: str) -> None:
    """Add to the message of Python about the arguments of a call what to do."""
    message = str(error)
    if "unexpected keyword" in message and message.endswith("'"):  # not explained yet
        error.args = (of_keyword(message.partition("()")[0], message.rpartition(" ")[2].strip("'")),)
        return
    for part, advice in _BINDING.items():
        if part in message:
            error.args = (f"{message}: {advice.format(method=method, rows=rows)}",)
            return
