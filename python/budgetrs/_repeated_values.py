"""The warning about values that repeat far outside the range of their feature, such as -999."""

import warnings

_MAX_FEATURES = 5


class RepeatedValueWarning(UserWarning):
    """A value repeats far outside the range of its feature; online scaling treats it as missing.

    Parameters
    ----------
    found : list of tuple
        For each feature: its name, the value, how many of how many rows have the value, and whether this is
        their exact number, not the smallest possible.
    """

    def __init__(self, found: list[tuple[str, float, tuple[int, int], bool]]) -> None:
        super().__init__(found)
        self.found = found

    @property
    def values(self) -> list[str]:
        """The values as text, each once."""
        return list(dict.fromkeys(_text(value) for _, value, _, _ in self.found))

    def __str__(self) -> str:
        values = self.values
        shown = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
        return self.text(f"missing_values={shown}")

    def text(self, option: str) -> str:
        """Return the message, with the option that says that the values are missing."""
        shown = [
            f"{_text(value)} in feature {name} ({'' if is_exact else 'at least '}{count} of {rows} rows, "
            f"{count / rows:.1%})"
            for name, value, (count, rows), is_exact in self.found[:_MAX_FEATURES]
        ]
        others = len(self.found) - len(shown)
        more = f" and {others} more features" if others else ""
        return (
            "values that repeat far outside the range of their feature are treated as missing: "
            f"{', '.join(shown)}{more}; if they mark missing values: {option}"
        )


def warn(found: list[tuple[str, float, tuple[int, int], bool]]) -> None:
    """Warn the caller of the native model."""
    warnings.warn(RepeatedValueWarning(found), stacklevel=2)


def _text(value: float) -> str:
    """Return the shortest text of a value, also of one in float32."""
    text = min(repr(value), _as_single(value), key=len)
    return text.removesuffix(".0")


def _as_single(value: float) -> str:
    import numpy as np

    with np.errstate(over="ignore"):
        single = np.float32(value)
    return str(single) if float(single) == value else repr(value)
