"""Budgeted stochastic gradient descent."""

import warnings
from typing import Any

from .. import _core
from .._errors import ParameterError
from .._parameters import BSGDClassifierParameters, BSGDRegressorParameters
from ._classifier import BudgetedClassifier
from ._described import described
from ._regressor import BudgetedRegressor

_FITTED = {
    "mean_weight_degradation_": "Mean norm of the change of the weight vector per budget maintenance, "
    "divided by the step size."
}
_OF_THE_STREAM = "In `fit` None is all rows, times `max_iter`."


@described(
    fitted=_FITTED,
    stream_length=_OF_THE_STREAM,
)
class BSGDClassifier(BSGDClassifierParameters, BudgetedClassifier):
    """Kernel SVM by stochastic gradient descent with at most `budget` support vectors.

    Pegasos with budget maintenance (Wang, Crammer and Vucetic 2012): step size ``1 / (alpha * t)`` and the
    hinge loss, for more than two classes that of Crammer and Singer. Time and memory per row do not grow with
    the stream; with a `rate` this holds once the model has `max_size` support vectors.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
        return f'it needs loss="log_loss", got {self.loss!r}; OnlineKernelClassifier has it without'


@described(
    fitted=_FITTED,
    stream_length=_OF_THE_STREAM,
    loss='With ``"squared_error"`` the model can diverge without `project_to_ball`: its steps are cut where '
    "single precision could not hold them.",
    alpha="The first step has the length ``1 / alpha``, and what is left of it after t rows is "
    "``1 / (alpha * t)``: 0.1 after a thousand rows with 1e-2, after a hundred thousand with 1e-4. "
    '(``budgetrs.Regressor("bsgd-merge")`` has 1e-4.)',
)
class BSGDRegressor(BSGDRegressorParameters, BudgetedRegressor):
    """Kernel regression by stochastic gradient descent with at most `budget` support vectors.

    Step size ``1 / (alpha * t)`` on any of five losses, with budget maintenance (Wang, Crammer and Vucetic
    2012; Le et al. 2016). It works best with targets of mean 0 and standard deviation about 1.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    def _new_model(self, gamma: Any, seed: int, rows: int | None = None, **more: Any) -> Any:
        if self.loss == "squared_error" and not self.project_to_ball:
            warnings.warn(
                'loss="squared_error" can diverge without project_to_ball=True; "huber" cannot',
                UserWarning,
                stacklevel=3,
            )
        return super()._new_model(gamma, seed, rows, **more)
