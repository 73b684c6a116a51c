"""A comparison as text."""

from .curves import Curves, named

# How many checkpoints the table has before the last.
_BEFORE = 2


def table(comparison: Curves) -> str:
    """Lay out one line for each budget: the error at some checkpoints, support vectors, speed."""
    shown = _shown(comparison.rows.tolist())
    rows = [f"{comparison.rows[step]:,} rows" for step in shown]
    lines = [["budget", *rows, "std. error", "vectors", "rows/s"]]
    for at, budget in enumerate(comparison.budgets):
        seconds = comparison.seconds[at, -1]
        lines.append(
            [
                named(budget),
                *(shown_error(comparison, comparison.error[at, step]) for step in shown),
                shown_error(comparison, comparison.standard_error[at, -1]),
                str(comparison.n_support_vectors[at, -1]),
                f"{comparison.rows[-1] / seconds:,.0f}" if seconds > 0 else "-",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ("  ".join(map(str.rjust, line, widths)) for line in lines)
    return "\n".join([f"{comparison.algorithm}, {kind(comparison)} after", *aligned])


def kind(comparison: Curves) -> str:
    """Say which error it is."""
    return "progressive mean absolute error" if comparison.n_mistakes is None else "progressive error"


def formula(comparison: Curves) -> str:
    """Say what the standard error is of: an error p after n rows, or a mean of absolute errors e."""
    return "sqrt((mean(e^2) - mean(e)^2) / n)" if comparison.n_mistakes is None else "sqrt(p (1 - p) / n)"


def shown_error(comparison: Curves, error: float) -> str:
    """Write an error with the digits that a reader needs."""
    return f"{error:.4g}" if comparison.n_mistakes is None else f"{100 * error:.2f}%"


def _shown(rows: list[int]) -> list[int]:
    """Choose checkpoints: the last one, and before it powers of ten where there are any."""
    last = len(rows) - 1
    powers = [step for step, number in enumerate(rows[:-1]) if str(number).rstrip("0") == "1"]
    return [*(powers or range(last))[-_BEFORE:], last]
