"""The Perceptron on a budget."""

from .._parameters import BudgetPerceptronParameters
from ._classifier import BudgetedClassifier
from ._described import described


@described(
    texts={
        "margin": "Rows with at most this margin update the model (beta in Crammer, Kandola and Singer "
        '2003). With ``maintenance="distill"``, support vectors whose leave-one-out margin is at least '
        "`margin` are removed. A larger margin means more updates. None is 0, except 0.01 with "
        '``maintenance="margin"`` and ``"distill"``.',
    },
)
class BudgetPerceptron(BudgetPerceptronParameters, BudgetedClassifier):
    """Kernel Perceptron with a budget: the Projectron (Orabona, Keshet and Caputo 2009) and others.

    A row with a margin of at most `margin`, by default 0, updates the model (``"projectron++"``: below 1).
    The coefficient of a new support vector is its label, -1 or 1, times the sample weight. With more than two
    classes a new support vector has two coefficients: the sample weight for its class, and minus the sample
    weight for the strongest other class.

    `maintenance` selects the paper: ``"projectron"`` (default), ``"projectron++"`` and ``"stop"`` (Stoptron)
    are by Orabona, Keshet and Caputo (2009), ``"margin"`` and ``"distill"`` by Crammer, Kandola and Singer
    (2003), ``"random"`` (Randomized Budget Perceptron) by Cavallanti, Cesa-Bianchi and Gentile (2007), and
    ``"forgetron"`` by Dekel, Shalev-Shwartz and Singer (2008). Use this class to reproduce these papers. Use
    `OnlineKernelClassifier` for accuracy.

    The defaults are the algorithm ``projectron`` of `budgetrs.ALGORITHMS`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OnlineKernelClassifier : Needs no tuning and no scaled features.
    BudgetMIRA : Steps of optimal length.
    sklearn.linear_model.Perceptron : Linear.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. The projectrons
    cost O(budget^2) in addition.

    {diagnostics}

    References
    ----------
    Orabona, Keshet and Caputo, "Bounded kernel-based online learning", JMLR 10, 2009.

    Dekel, Shalev-Shwartz and Singer, "The Forgetron: A kernel-based perceptron on a budget", SIAM Journal on
    Computing 37, 2008.

    Cavallanti, Cesa-Bianchi and Gentile, "Tracking the best hyperplane with a simple budget perceptron",
    Machine Learning 69, 2007.

    Crammer, Kandola and Singer, "Online classification on a budget", NeurIPS 2003.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from budgetrs import BudgetPerceptron
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BudgetPerceptron(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """
