"""The progressive error of several budgets from one pass over the rows, to choose a budget.

Crammer, Kandola and Singer choose the budget by the progressive error, which training computes anyway:
"Online classification on a budget", NeurIPS 2003, section 4. Figures need matplotlib.
"""

from .budgets import compare_budgets
from .result import BudgetComparison
from .training import Training, new_training

__all__ = ["BudgetComparison", "Training", "compare_budgets", "new_training"]
