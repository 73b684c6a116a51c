"""The Perceptron on a budget."""

from ._checks import suggests_names
from ._classifier import BudgetedClassifier
from ._parameters import BudgetPerceptronParameters


@suggests_names
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
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    maintenance : str, default="projectron"
        How the model gets back to the budget: see the page "Parameters" of the documentation.
    kernel : str, default="rbf"
        The kernel, such as "rbf" or "rational-quadratic".
    gamma : "scale", "auto", "standardized" or float, default="scale"
        The inverse squared width of the kernel. A larger gamma fits finer structure; multiply or divide it by
        3 to tune it.
    max_iter : int, default=1
        Number of passes of `fit`.
    class_weight : dict, str or None, default=None
        "balanced" gives all classes the same total weight; a dict has a weight for each label.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of all other random choices.
    others : optional
        n_neighbors, stream_length, average, margin, eta, hash_features, scaling, metric_learning,
        linear_weight, degree, coef0, alpha_rq, shuffle, n_jobs, warm_start, verbose: see the page
        "Parameters" of the documentation.

    See Also
    --------
    OnlineKernelClassifier : Needs no tuning and no scaled features.
    BudgetMIRA : Steps of optimal length.
    sklearn.linear_model.Perceptron : Linear.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. The projectrons
    cost O(budget^2) in addition.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from budgetrs import BudgetPerceptron
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BudgetPerceptron(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """
