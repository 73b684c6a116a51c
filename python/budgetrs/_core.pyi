# The signatures. The docstrings here are the first lines of those at run time, which `help` shows in full.

from collections.abc import Sequence
from os import PathLike
from typing import Any, Final, Literal, Self, final

import numpy as np
from _typeshed import ReadableBuffer
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ._explanation import Explanation
from ._parameters import AlgorithmName
from ._signatures import ClassifierSignature, RegressorSignature

ALGORITHMS: Final[tuple[AlgorithmName, ...]]
"""The names of the algorithms, for `Classifier` and `Regressor`."""

REQUIRED: Final[dict[str, tuple[str, ...]]]
"""The parameters without a default, for the algorithms that have such."""

COVERAGES: Final[tuple[float, ...]]
"""The coverages whose prediction intervals and sets are tracked."""

PROBABILISTIC_LOSSES: Final[tuple[str, ...]]
"""The losses that have `predict_proba`."""

UNBOUNDED_STRATEGIES: Final[tuple[str, ...]]
"""The strategies of maintenance that need no budget."""

MARGIN_STRATEGIES: Final[tuple[str, ...]]
"""The strategies of maintenance that compute leave-one-out margins: their default `margin` is 0.01."""

RANDOM_STRATEGIES: Final[tuple[str, ...]]
"""The strategies of maintenance that choose at random."""

KERNELS: Final[dict[str, str]]
"""The kernels, each with the sum over the features that it is a function of, such as ``|x - x'|^2``."""

__version__: Final[str]

def parameters(algorithm: str) -> dict[str, Any]:
    """Return the parameters of a named algorithm with their defaults."""

def applicable(algorithm: str, **parameters: Any) -> list[str]:
    """Return the names of the parameters that apply to an algorithm."""

def _table() -> list[dict[str, Any]]:
    """Describe every parameter."""

def _choices(algorithm: str, regression: bool) -> dict[str, dict[str, str]]:
    """Describe the maintenance strategies, losses and kernels that an algorithm can use."""

def _reject_unknown(given: Sequence[str], known: Sequence[str], regression: bool) -> None:
    """Raise for unknown parameters, with the nearest known names."""

def isa() -> str:
    """Return the SIMD level in use: "avx512", "avx2", "neon" or "portable"."""

def scale_gamma(X: ArrayLike | Any) -> float:
    """Compute gamma="scale" of a whole batch: 1 / (n_features * variance of all entries)."""

def checkerboard(n: int, noise: float = 0.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw points of a 4 x 4 checkerboard, each coordinate with mean 0 and standard deviation 1."""

def waveform(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of Breiman's waveform data, each feature with about mean 0 and standard deviation 1."""

def set_memory_limit(max_memory: int | None) -> int | None:
    """Set the largest size of any model of this process."""

class KeyedModels:
    def __init__(
        self, begin: Any, path: Any, *, max_memory: int, spill_dir: str | None, n_jobs: int | None
    ) -> None: ...
    def learn(
        self, X: Any, y: Any, keys: Any, sample_weight: Any = None, passes: int | str | None = None
    ) -> None: ...
    def predict(self, X: Any, keys: Any) -> np.ndarray: ...
    def decision_function(self, X: Any, keys: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, keys: Any) -> np.ndarray: ...
    def get(self, key: Any) -> Classifier | Regressor | None: ...
    def remove(self, key: Any) -> bool: ...
    def keys(self) -> np.ndarray: ...
    def counts(self) -> dict[str, np.ndarray]: ...
    def n_rows(self) -> int: ...
    def remove_unseen(self, rows: int) -> int: ...
    def in_memory(self) -> tuple[int, int]: ...
    def save(self, path: str | PathLike[str], *, metadata: dict[str, Any] | None = None) -> None: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @metadata.setter
    def metadata(self, metadata: dict[str, Any]) -> None: ...
    def __contains__(self, key: object) -> bool: ...
    def __len__(self) -> int: ...

def combine(models: Any, budget: int | None, weights: Any) -> tuple[Any, float]: ...
def load(path: str | PathLike[str], *, n_jobs: int | None = None) -> Classifier | Regressor:
    """Read a model from a file. The file cannot run code."""

def from_bytes(data: ReadableBuffer, *, n_jobs: int | None = None) -> Classifier | Regressor:
    """Create a model from the bytes of `to_bytes`. The bytes cannot run code."""

def _libsvm_width(text: bytes, first_index: int = 1) -> int:
    """Return the number of features of whole lines of LIBSVM text."""

def _sample_csv(
    text: bytes,
    *,
    delimiter: str = ",",
    decimal: str = ".",
    missing: Sequence[str] = (),
    rows: int = 1000,
) -> tuple[list[tuple[str, str]], list[tuple[int, dict[str, tuple[int, int]]]]]:
    """Look at the first lines of CSV."""

class NativeModel:
    """The base class of the native classes: saving, scaling, parameters and attributes."""

    @classmethod
    def load(cls, path: str | PathLike[str], *, n_jobs: int | None = None) -> Self:
        """Read a model from a file. The file cannot run code."""

    @classmethod
    def from_bytes(cls, data: ReadableBuffer, *, n_jobs: int | None = None) -> Self:
        """Create a model from the bytes of `to_bytes`. The bytes cannot run code."""

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        passes: Literal["auto"] | int = "auto",
        shuffle: bool = True,
    ) -> Self:
        """Learn a data set in several passes, each in a new random order."""

    def validate(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> None:
        """Raise the errors that `learn` would raise, and learn nothing."""

    def set_scaling(self, mean: ArrayLike, std: ArrayLike) -> None:
        """Set a scaling: raw rows are standardised, ``(x - mean) / std``, before the kernel."""

    def add_features(self, n_features: int, *, keep_gamma: bool = False) -> None:
        """Append features to a model that has learned, before rows with more features come."""

    def save(self, path: str | PathLike[str], *, metadata: dict[str, Any] | None = None) -> None:
        """Write the model to a file, atomically."""

    def to_bytes(self, *, metadata: dict[str, Any] | None = None) -> bytes:
        """Return the bytes that `save` writes."""

    def plot(self, ax: Axes | None = None, *, X: Any = None, y: ArrayLike | None = None) -> Axes:
        """Plot the model with `budgetrs.plot_model`, which describes the parameters; return the axes."""

    def explain_one(self, x: Any, *, n: int = 10) -> Explanation:
        """Explain the score of one row: by the support vectors that matter most, and the linear term."""

    def _explain(self, x: Any) -> dict[str, Any]: ...
    def _repeated_outliers(self) -> list[tuple[int, float, int]]: ...
    @property
    def _checks(self) -> Any: ...
    def _kernel_values(self, X: ArrayLike | Any) -> np.ndarray:
        """Compute the kernel values of rows with the support vectors: shape (n, n_support_vectors_)."""

    def __getstate__(self) -> dict[str, Any]: ...
    def __setstate__(self, state: dict[str, Any]) -> None: ...
    def __sizeof__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @metadata.setter
    def metadata(self, metadata: dict[str, Any]) -> None: ...
    @property
    def algorithm(self) -> AlgorithmName: ...
    @property
    def params(self) -> dict[str, Any]: ...
    @property
    def n_jobs(self) -> int | None: ...
    @n_jobs.setter
    def n_jobs(self, n_jobs: int | None) -> None: ...
    @property
    def target_name(self) -> str | None: ...
    @target_name.setter
    def target_name(self, name: str | None) -> None: ...
    @property
    def has_probabilities(self) -> bool: ...
    @property
    def n_features_in_(self) -> int: ...
    @property
    def n_features_encoded_(self) -> int: ...
    @property
    def feature_names_in_(self) -> np.ndarray: ...
    def get_feature_names_out(self) -> np.ndarray: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def gamma_(self) -> float: ...
    @property
    def support_vectors_(self) -> np.ndarray: ...
    @property
    def dual_coef_(self) -> np.ndarray: ...
    @property
    def components_(self) -> np.ndarray: ...
    @property
    def coef_(self) -> np.ndarray: ...
    @property
    def tail_coef_(self) -> np.ndarray: ...
    @property
    def intercept_(self) -> np.ndarray: ...
    @property
    def n_support_vectors_(self) -> int: ...
    @property
    def _counters(self) -> tuple[int, int, tuple[int, float, float]]: ...
    @property
    def n_samples_seen_(self) -> int: ...
    @property
    def n_queries_(self) -> int: ...
    @property
    def n_updates_(self) -> int: ...
    @property
    def no_change_error_(self) -> float: ...
    @property
    def recent_error_(self) -> float: ...
    @property
    def n_drifts_(self) -> int: ...
    @property
    def drift_rows_(self) -> np.ndarray: ...
    @property
    def feature_importances_(self) -> np.ndarray: ...
    @property
    def n_scaling_restarts_(self) -> int: ...
    @property
    def n_maintenances_(self) -> int: ...
    @property
    def mean_weight_degradation_(self) -> float: ...

@final
class Classifier(ClassifierSignature, NativeModel):
    """Kernel classifier that learns from a stream in one pass, with at most `budget` support vectors."""

    def learn(
        self,
        X: Any,
        y: ArrayLike,
        *,
        classes: Sequence[Any] | np.ndarray | None = None,
        sample_weight: ArrayLike | None = None,
        repeated: bool = False,
        add_features: bool = False,
    ) -> Classifier:
        """Learn every row of a batch, in order."""

    def learn_one(
        self, x: Any, y: Any, *, sample_weight: float = 1.0, add_features: bool = False
    ) -> Classifier:
        """Learn one row: an array, or a dict of values by the names of the columns."""

    def predict(self, X: Any) -> np.ndarray:
        """Predict the label of each row."""

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one row: an array, or a dict of values by the names of the columns."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores of each row."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the probability of each class; only with loss "log_loss" or algorithm "online-kernel"."""

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Compute the probability of each class for one row; only with loss "log_loss" or "online-kernel"."""

    def predict_set(self, X: Any, *, coverage: float | Sequence[float] | np.ndarray = 0.9) -> np.ndarray:
        """Predict a set of classes for each row; only with algorithm "online-kernel"."""

    def needs_label(self, X: Any) -> np.ndarray:
        """Return True for rows whose label could change the model (active learning)."""

    @property
    def classes_(self) -> np.ndarray: ...
    @property
    def n_mistakes_(self) -> int: ...
    @property
    def progressive_error_(self) -> float: ...
    @property
    def majority_error_(self) -> float: ...

@final
class Regressor(RegressorSignature, NativeModel):
    """Kernel regressor that learns from a stream in one pass, with at most `budget` support vectors."""

    def learn(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        repeated: bool = False,
        add_features: bool = False,
    ) -> Regressor:
        """Learn every row of a batch, in order."""

    def learn_one(
        self, x: Any, y: float, *, sample_weight: float = 1.0, add_features: bool = False
    ) -> Regressor:
        """Learn one row: an array, or a dict of values by the names of the columns."""

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target of each row: shape (n,), in the model's float type."""

    def predict_interval(self, X: Any, *, coverage: float | Sequence[float] | np.ndarray = 0.9) -> np.ndarray:
        """Predict an interval for the target of each row; only with algorithm "online-kernel"."""

    def predict_one(self, x: Any) -> float:
        """Predict the target of one row: an array, or a dict of values by the names of the columns."""

    @property
    def mean_absolute_error_(self) -> float: ...
    @property
    def mean_squared_error_(self) -> float: ...
    @property
    def constant_error_(self) -> float: ...

@final
class AtomicFile:
    """A temporary file that atomically replaces the file at `path` on `commit`, as `save` does."""

    def __new__(cls, path: str | PathLike[str]) -> AtomicFile: ...
    def write(self, data: bytes) -> None:
        """Add bytes to the end."""

    def commit(self) -> None:
        """Replace the file at `path`."""

    def discard(self) -> None:
        """Remove the temporary file; no effect after `commit`."""

@final
class Reader:
    """A reader of LIBSVM text or CSV: feed bytes, take rows."""

    def __new__(
        cls,
        format: str,
        *,
        task: str = "classification",
        dtype: str = "float32",
        kinds: str = "",
        delimiter: str = ",",
        decimal: str = ".",
        missing: Sequence[str] = (),
        classes: Sequence[str] = (),
        header: bool = False,
        first_index: int = 1,
        n_features: int = 0,
        max_features: int = 2147483647,
    ) -> Reader: ...
    def feed(self, data: bytes) -> None:
        """Read more bytes; lines may be cut anywhere."""

    def finish(self) -> None:
        """End the text, whose last line may lack the newline."""

    def take(self) -> tuple[Any, ...] | None:
        """Return the rows not yet taken; None if there are none."""

    @property
    def n_ready(self) -> int: ...
    @property
    def n_features(self) -> int: ...
