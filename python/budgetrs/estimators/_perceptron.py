"""The Perceptron on a budget."""

from .._parameters import BudgetPerceptronParameters
from ._classifier import BudgetedClassifier
from ._described import described


@described()
class BudgetPerceptron(BudgetPerceptronParameters, BudgetedClassifier):
    """Kernel Perceptron with at most `budget` support vectors.

    A row with a margin of at most 0 is a mistake and updates the model. Its coefficient is its label, -1 or
    1, times its weight; with several classes it has two, plus its weight for its class and minus its weight
    for the strongest other one (Rosenblatt 1958). With the default maintenance, ``"projectron"``, the row
    becomes a support vector, or is projected onto the support vectors if it lies within `eta` of their span
    or the budget is full. ``"projectron++"`` also updates on margins below 1. With all others but
    ``"forgetron"``, rows with a margin up to `margin` update the model too (Crammer, Kandola and Singer
    2003).

    `maintenance` selects the budget strategy: ``"margin"`` and ``"distill"`` are those of Crammer, Kandola
    and Singer (2003) for a cache of fixed and of variable size, ``"stop"`` the Stoptron and
    ``"projectron"``, ``"projectron++"`` of Orabona, Keshet and Caputo (2009), ``"random"`` the Randomized
    Budget Perceptron of Cavallanti, Cesa-Bianchi and Gentile (2007), ``"forgetron"`` the self-tuned
    Forgetron of Dekel, Shalev-Shwartz and Singer (2008).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from budgetrs import BudgetPerceptron
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BudgetPerceptron(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """
