"""Which budget is enough: the progressive error of several budgets, from one pass over the rows.

The online error costs nothing to evaluate, and so it can choose the size of the cache: Crammer, Kandola and
Singer, *Online Classification on a Budget* (NIPS 2003), section 4. Pictures need matplotlib, all else NumPy.
"""

from .budgets import compare_budgets
from .race import Race, new_race
from .result import BudgetComparison

__all__ = ["BudgetComparison", "Race", "compare_budgets", "new_race"]
