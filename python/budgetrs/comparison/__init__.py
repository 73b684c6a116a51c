"""The progressive error of several budgets from one pass over the rows, to choose a budget.

The online error is a by-product of training, so it can be used to choose the size of the cache: Crammer,
Kandola and Singer, *Online Classification on a Budget* (NIPS 2003), section 4. Figures need matplotlib.
"""

from .budgets import compare_budgets
from .result import BudgetComparison
from .training import Training, new_training

__all__ = ["BudgetComparison", "Training", "compare_budgets", "new_training"]
