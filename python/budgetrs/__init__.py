"""Kernel machines that learn from a stream, in one pass, with a bounded number of support vectors.

`Classifier` and `Regressor` are for streams. They need only NumPy. `OnlineKernelClassifier`,
`OnlineKernelRegressor` and the estimators of published algorithms have scikit-learn's interface. They need
scikit-learn (``pip install 'budgetrs[sklearn]'``) and are imported on first use.

Examples
--------
>>> import numpy as np
>>> from budgetrs import Classifier
>>> rng = np.random.default_rng(0)
>>> X = rng.uniform(-1, 1, (2000, 2)).astype(np.float32) * 1000  # features in any units
>>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
>>> model = Classifier(budget=50).learn(X, y)
>>> model.n_support_vectors_
50
>>> model.predict(np.float32([[500, 500], [500, -500]])).tolist()
['same', 'other']
"""

import typing as _typing

from ._combined import combine
from ._core import ALGORITHMS, Classifier, Regressor, __version__, from_bytes, set_memory_limit
from ._core import NativeModel as _NativeModel
from ._errors import NotFittedError, ParameterError, PoorFitWarning
from ._explanation import Explanation
from ._hints import MODULE as _MODULE
from ._importances import plot_importances
from ._keyed import KeyedModels
from ._load import load
from ._native import complete as _complete
from ._parameters import AlgorithmName as _AlgorithmName
from ._parameters import ClassifierParameters as _ClassifierParameters
from ._parameters import RegressorParameters as _RegressorParameters
from ._plot import plot_model
from ._signatures import ClassifierSignature as _ClassifierSignature
from ._signatures import RegressorSignature as _RegressorSignature
from ._signatures import describe as _describe
from ._stream import StreamRecorder, plot_stream
from ._versions import show_versions
from .comparison import BudgetComparison, compare_budgets
from .onnx import to_onnx

if _typing.TYPE_CHECKING:
    from .estimators import BPAClassifier as BPAClassifier
    from .estimators import BPARegressor as BPARegressor
    from .estimators import BSGDClassifier as BSGDClassifier
    from .estimators import BSGDRegressor as BSGDRegressor
    from .estimators import BudgetMIRA as BudgetMIRA
    from .estimators import BudgetPerceptron as BudgetPerceptron
    from .estimators import OnlineKernelClassifier as OnlineKernelClassifier
    from .estimators import OnlineKernelRegressor as OnlineKernelRegressor

# The estimators are not listed: `from budgetrs import *` must work without scikit-learn.
__all__ = [
    "ALGORITHMS",
    "BudgetComparison",
    "Classifier",
    "Explanation",
    "KeyedModels",
    "NotFittedError",
    "ParameterError",
    "PoorFitWarning",
    "Regressor",
    "StreamRecorder",
    "__version__",
    "combine",
    "compare_budgets",
    "from_bytes",
    "load",
    "make_estimator",
    "plot_importances",
    "plot_model",
    "plot_stream",
    "set_memory_limit",
    "show_versions",
    "to_onnx",
]

_ESTIMATORS = (
    "BPAClassifier",
    "BPARegressor",
    "BSGDClassifier",
    "BSGDRegressor",
    "BudgetMIRA",
    "BudgetPerceptron",
    "OnlineKernelClassifier",
    "OnlineKernelRegressor",
)


_describe(Classifier, _ClassifierSignature, _ClassifierParameters)
_describe(Regressor, _RegressorSignature, _RegressorParameters)
_complete(_NativeModel)


def make_estimator(
    name: _AlgorithmName, **params: _typing.Any
) -> "BSGDClassifier | BPAClassifier | BudgetMIRA | BudgetPerceptron | OnlineKernelClassifier":
    """Create the unfitted estimator of a named algorithm.

    Use it to compare algorithms by name, for example in a loop over `ALGORITHMS`. Otherwise call the class of
    the estimator.

    Parameters
    ----------
    name : str
        One of `ALGORITHMS`, spelled with ``-`` or ``_``.
    **params
        Parameters of the estimator, except the parameters that the name determines.

    Returns
    -------
    estimator
        A scikit-learn classifier: a `BSGDClassifier`, a `BPAClassifier`, a `BudgetMIRA`,
        a `BudgetPerceptron` or an `OnlineKernelClassifier`.

    Raises
    ------
    ValueError
        If the name is unknown, or the algorithm needs a `rate` and there is none.
    TypeError
        If a parameter is unknown, or the name determines another value for it.
    ImportError
        If scikit-learn is missing.

    See Also
    --------
    Classifier : Takes the names of all algorithms, without scikit-learn.

    Examples
    --------
    >>> import budgetrs
    >>> budgetrs.make_estimator("bsgd-project", budget=100)
    BSGDClassifier(budget=100, maintenance='project')
    """
    from .estimators import make_estimator as make

    return make(name, **params)


def __getattr__(name: str) -> _typing.Any:
    if name in _ESTIMATORS:
        from . import estimators

        return getattr(estimators, name)
    if name in _MODULE:  # Python would replace the message of an AttributeError
        raise ImportError(f"{__name__} has no {name}: {_MODULE[name]}", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ESTIMATORS])
