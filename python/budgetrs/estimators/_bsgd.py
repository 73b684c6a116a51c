"""Budgeted stochastic gradient descent."""

import warnings
from typing import Any

from .. import _core
from .._errors import ParameterError
from .._parameters import BSGDClassifierParameters, BSGDRegressorParameters
from ._classifier import BudgetedClassifier
from ._described import described
from ._regressor import BudgetedRegressor

_DIAGNOSED = {
    "mean_weight_degradation_": "mean norm of the change of the weight vector per budget maintenance step, "
    "divided by the step size."
}
_LENGTH = (
    "The number of rows of the whole stream. An `average` over a share of the rows is exact only with this "
    'number, and ``rate="auto"`` needs it. None means unknown.'
)


@described(
    diagnosed=_DIAGNOSED,
    texts={"stream_length": _LENGTH},
)
class BSGDClassifier(BSGDClassifierParameters, BudgetedClassifier):
    """Kernel SVM trained by budgeted stochastic gradient descent (Wang, Crammer and Vucetic 2012).

    Pegasos with budget maintenance: the step size is ``1 / (alpha * t)``. With more than two classes the
    hinge loss is the multi-class loss of Crammer and Singer. Use this class to reproduce the paper, or
    with ``loss="log_loss"`` for probabilities. Use `OnlineKernelClassifier` if you do not want to tune
    `gamma` and `alpha`.

    The defaults are the algorithm ``bsgd-merge`` of `budgetrs.ALGORITHMS`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OnlineKernelClassifier : Needs no tuning and no scaled features.
    BPAClassifier : Passive-aggressive steps, and label queries with the ramp loss.
    sklearn.svm.SVC : Exact, but training time grows quadratically with the rows.
    sklearn.linear_model.SGDClassifier : Linear, if a linear model is as accurate.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. With `rate`,
    replace the budget by `max_size`.

    {diagnostics}

    References
    ----------
    Wang, Crammer and Vucetic, "Breaking the curse of kernelization: Budgeted stochastic gradient descent for
    large-scale SVM training", JMLR 13, 2012.

    Shalev-Shwartz, Singer and Srebro, "Pegasos: Primal estimated sub-gradient solver for SVM", ICML 2007.

    Le, Nguyen, Nguyen and Phung, "Nonparametric budgeted stochastic gradient descent", AISTATS 2016.

    Zhao, Wang, Wu, Jin and Hoi, "Fast bounded online gradient descent algorithms for scalable kernel-based
    online learning", ICML 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from budgetrs import BSGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BSGDClassifier(budget=10, gamma=2.0, random_state=0).fit(X, y)
    >>> clf.n_support_vectors_
    10
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    def _no_probabilities(self) -> str | None:
        """Return why there is no `predict_proba`; None if there is."""
        loss: Any = self.loss
        try:
            if _core.Classifier(self._algorithm, loss=loss).has_probabilities:
                return None
        except ParameterError:
            pass  # `fit` raises the error of an invalid loss
        return f'it needs loss="log_loss", got {self.loss!r}; or use OnlineKernelClassifier'


@described(
    diagnosed=_DIAGNOSED,
    texts={
        "stream_length": _LENGTH,
        "project_to_ball": "Whether the weight vector is projected onto the ball of radius ``1 / "
        'sqrt(alpha)`` after each update. With ``loss="squared_error"`` the radius is ``max |y| / '
        "sqrt(alpha)``.",
    },
    loss='With ``"squared_error"`` set `project_to_ball`, because the model can diverge without it.',
    alpha="The step at row t has the size ``1 / (alpha * t)``.",
)
class BSGDRegressor(BSGDRegressorParameters, BudgetedRegressor):
    """Kernel regressor trained by budgeted stochastic gradient descent (Wang, Crammer and Vucetic 2012).

    The step size is ``1 / (alpha * t)`` on one of five losses (Le et al. 2016). Scale the targets to mean 0
    and standard deviation 1. Use this class to reproduce the papers or for quantiles
    (``loss="quantile"``). Use `OnlineKernelRegressor` if you do not want to tune `gamma` and `alpha`.

    The defaults are the algorithm ``bsgd-merge`` of `budgetrs.ALGORITHMS`, for regression and with `alpha`
    1e-3 instead of 1e-4.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OnlineKernelRegressor : Needs no tuning, no scaled features and no scaled targets.
    BPARegressor : Passive-aggressive steps.
    sklearn.svm.SVR : Exact, but training time grows quadratically with the rows.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. With `rate`,
    replace the budget by `max_size`.

    {diagnostics}

    References
    ----------
    Wang, Crammer and Vucetic, "Breaking the curse of kernelization: Budgeted stochastic gradient descent for
    large-scale SVM training", JMLR 13, 2012.

    Shalev-Shwartz, Singer and Srebro, "Pegasos: Primal estimated sub-gradient solver for SVM", ICML 2007.

    Le, Nguyen, Nguyen and Phung, "Nonparametric budgeted stochastic gradient descent", AISTATS 2016.

    Zhao, Wang, Wu, Jin and Hoi, "Fast bounded online gradient descent algorithms for scalable kernel-based
    online learning", ICML 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import BSGDRegressor
    >>> X = np.linspace(0, 6, 600)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> reg = BSGDRegressor(budget=20, gamma=1.0, alpha=1e-3, max_iter=20, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.95)
    True
    """

    _alternatives = (
        "targets of mean 0 and standard deviation 1",
        "a larger alpha",
        "OnlineKernelRegressor, which needs no tuning",
    )

    def _new_model(self, seed: int, *, gamma: Any = None, rows: int | None = None, **more: Any) -> Any:
        if str(self.loss).replace("-", "_") == "squared_error" and not self.project_to_ball:
            warnings.warn(
                'loss="squared_error" can diverge without project_to_ball=True; use loss="huber" or '
                "project_to_ball=True",
                UserWarning,
                stacklevel=3,
            )
        return super()._new_model(seed, gamma=gamma, rows=rows, **more)
