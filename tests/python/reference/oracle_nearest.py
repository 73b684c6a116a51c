"""Projection on the most correlated vectors, slowly and plainly from its definition."""

from __future__ import annotations

import numpy as np

from oracle import TIE, Expansion

RIDGE = 1e-8  # relative to each k_ii


def most_correlated(gram, p, k):
    """The k vectors of largest `|k_ip| / sqrt(k_ii)`, the oldest of equals first, and how clear that is.

    The second value is the least distance from the border between a tie and none, in widths of a tie.
    """
    left = [j for j in range(len(gram)) if j != p]
    correlation = abs(gram[p]) / np.sqrt(np.diag(gram))
    chosen, clear = [], np.inf
    for _ in range(min(k, len(left))):
        high = correlation[left].max()
        below = high - correlation[left]
        chosen.append(left[int(np.flatnonzero(below <= TIE * high)[0])])
        if high > 0.0:
            clear = min(clear, abs(below / (TIE * high) - 1.0).min())
        left.remove(chosen[-1])
    return chosen, clear


def ridge_projection(gram, p, members):
    """The coefficients d of phi_p on the members, and the squared norm of `phi_p - sum_i d_i phi_i`."""
    system, row = gram[np.ix_(members, members)], gram[members, p]
    d = np.linalg.solve(system + RIDGE * np.diag(np.diag(system)), row)
    residual = gram[p, p] - 2.0 * (d @ row) + d @ system @ d
    return d, max(float(residual), 0.0)


class Neighbours(Expansion):
    """Adds `maintenance="project-nn"` to an update rule that comes after it among the bases of a class."""

    def __init__(self, *of_rule, n_neighbors=None, **options):
        super().__init__(*of_rule, **options)
        self.n_nearest = n_neighbors or 4

    def has_factor(self) -> bool:
        return super().has_factor() and self.maintenance != "project-nn"

    def drop_project_nn(self) -> float:
        p, gram = self.smallest(), self.gram()
        members, clear = most_correlated(gram, p, self.n_nearest)
        self.note("correlation", clear)
        d, residual = ridge_projection(gram, p, members)
        length = float(np.linalg.norm(self.rows[p]))
        for j, share in zip(members, d, strict=True):
            self.combine(j, 1.0, p, share)
        self.forget(p)
        return length * float(np.sqrt(residual))
