"""The Perceptron on a budget."""

from .._parameters import BudgetPerceptronParameters
from ._base import described
from ._classifier import BudgetedClassifier


@described()
class BudgetPerceptron(BudgetPerceptronParameters, BudgetedClassifier):
    """Kernel Perceptron with at most `budget` support vectors.

    A row that is predicted wrongly, or not at all (a score of zero), or right with a margin up to `margin`,
    becomes a support vector with its label as the coefficient (Rosenblatt 1958; Crammer, Kandola and Singer
    2003). `maintenance` selects the budget strategy: ``"margin"`` and ``"distill"`` are those of Crammer,
    Kandola and Singer (2003) for a cache of fixed and of variable size, ``"stop"`` the Stoptron and
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
