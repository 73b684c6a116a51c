"""Training and prediction on Dask collections, on a cluster or on one machine.

The functions need Dask (``pip install "budgetrs[dask]"``). `predict` runs on all workers. `learn` trains in
one process, because an average of models trained on parts of the data predicts worse, while the workers load
and parse rows. `KeyedModels` trains on all workers.
"""

try:  # here, rather than in the middle of a call
    from distributed import Client as _Client  # noqa: F401

    from dask import array as _array  # noqa: F401
    from dask import bag as _bag  # noqa: F401
    from dask import dataframe as _dataframe  # noqa: F401
except ImportError as _error:
    raise ImportError(f'budgetrs.dask needs Dask ({_error}): pip install "budgetrs[dask]"') from _error

from .._hints import DASK as _DASK
from .._hints import of_attribute as _of_attribute
from ._keyed import KeyedModels
from ._learning import learn
from ._scoring import decision_function, predict, predict_proba

__all__ = ["KeyedModels", "decision_function", "learn", "predict", "predict_proba"]


def __getattr__(name: str) -> object:
    raise AttributeError(_of_attribute(__name__, name, _DASK, __all__), name=name)
