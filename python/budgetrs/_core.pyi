from collections.abc import Sequence
from os import PathLike
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import ArrayLike

ALGORITHMS: Final[tuple[str, ...]]
"""The names that `Classifier` and `make` know."""

__version__: Final[str]

def parameters(algorithm: str) -> dict[str, Any]:
    """Tell the legal parameters of a named algorithm.

    Parameters
    ----------
    algorithm : str
        One of `ALGORITHMS`.

    Returns
    -------
    dict
        Each parameter with its default.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> from budgetrs._core import parameters
    >>> parameters("bsgd-merge")["maintenance"]
    'merge'
    """

def isa() -> str:
    """Tell the processor level in use: ``"avx512"``, ``"avx2"``, ``"neon"`` or ``"portable"``.

    Returns
    -------
    str
        The level that was found at run time.
    """

@final
class Classifier:
    """A kernel classifier that learns from a stream with at most `budget` support vectors.

    Learning a batch equals learning its rows one by one, however it is cut. A refused call changes nothing.
    Other threads may predict while one learns.

    Parameters
    ----------
    algorithm : str, default="bsgd-merge"
        One of `ALGORITHMS`.
    budget : int or None, default=500
        The largest number of support vectors; None is unbounded.
    maintenance : str, optional
        Instead of the algorithm's own: ``"none"``, ``"stop"``, ``"random"``, ``"oldest"``, ``"smallest"``,
        ``"project"``, ``"project-best"`` or ``"merge"`` (rbf only).
    loss : {"hinge"}, default="hinge"
        The loss.
    alpha : float, default=1e-4
        Regularisation, the papers' lambda.
    ball : bool, default=False
        Project the weight vector on the ball of radius ``1 / sqrt(alpha)`` after each update.
    kernel : {"rbf", "laplacian", "poly", "linear", "sigmoid", "cosine"}, default="rbf"
        The kernel.
    gamma : float or {"scale", "auto"}, default="scale"
        The kernel's gamma. "scale" is ``1 / (n_features * variance)`` with the variance of all entries seen
        so far, set before rows 2, 4, 8, ..., 1024, then kept; "auto" is ``1 / n_features``.
    degree : int, default=3
        Degree of the polynomial kernel, at least 1.
    coef0 : float, default=0.0
        Constant term of the polynomial and the sigmoid kernel, at least 0.
    seed : int, default=0
        Seed of all random choices.
    n_jobs : int or None, default=None
        Threads of prediction; the result does not depend on it. None is one, -1 all processors.
    classes : sequence, optional
        All labels there will ever be; without it those of the first batch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted. Like all attributes below it does not exist before it is known.
    n_features_in_ : int
        Number of features.
    dtype : dtype
        float32 or float64: the type of the first batch, and of all results.
    gamma_ : float
        The gamma in use.
    support_vectors_ : ndarray of shape (n_support_vectors_, n_features_in_)
        The support vectors, in order of birth.
    dual_coef_ : ndarray of shape (1, n_support_vectors_) or (n_classes, n_support_vectors_)
        Their coefficients; one row for two classes.
    n_support_vectors_ : int
        Their number.
    n_seen_, n_updates_, n_mistakes_ : int
        Rows learned (rows of weight 0 are not counted), rows that changed the model, rows predicted wrongly
        just before they were learned.
    n_maintenances_ : int
        How often the budget was restored.
    mean_weight_degradation_ : float
        Mean over budget maintenances of the weight vector's change, divided by the step size.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier
    >>> X = np.float32([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> model = Classifier(budget=4, gamma=10.0).learn(X, ["even", "even", "odd", "odd"])
    >>> model.predict(X).tolist()
    ['even', 'even', 'odd', 'odd']
    """

    def __new__(
        cls,
        algorithm: str = "bsgd-merge",
        *,
        budget: int | None = 500,
        maintenance: str | None = None,
        loss: str = "hinge",
        alpha: float = 1e-4,
        ball: bool = False,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        seed: int = 0,
        n_jobs: int | None = None,
        classes: Sequence[Any] | np.ndarray | None = None,
    ) -> Classifier: ...
    def learn(
        self,
        X: Any,
        y: ArrayLike,
        *,
        classes: Sequence[Any] | np.ndarray | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Classifier:
        """Learn rows in the order given.

        Parameters
        ----------
        X : array-like or scipy.sparse CSR of shape (n_rows, n_features)
            Finite numbers. C-contiguous arrays of the model's type are read in place.
        y : array-like of shape (n_rows,)
            Labels of any kind: int, float, bool, str.
        classes : sequence, optional
            All labels there will ever be, for the first call.
        sample_weight : array-like of shape (n_rows,), optional
            Multiplies the step of each row; rows of weight 0 are skipped.

        Returns
        -------
        Classifier
            The model itself.

        Raises
        ------
        ValueError, TypeError
            If anything is wrong with the arguments. Then nothing was learned.
        """

    def learn_one(self, x: ArrayLike, y: Any, *, sample_weight: float = 1.0) -> Classifier:
        """Learn one row.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row.
        y : label
            Its label. The classes must be known already.
        sample_weight : float, default=1.0
            Multiplies the step.

        Returns
        -------
        Classifier
            The model itself.
        """

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or scipy.sparse CSR of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels, of the type of ``classes_``.
        """

    def predict_one(self, x: ArrayLike) -> Any:
        """Predict the class of one row.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row.

        Returns
        -------
        label
            One of ``classes_``.
        """

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores of each row.

        Parameters
        ----------
        X : array-like or scipy.sparse CSR of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            For two classes one score, positive for ``classes_[1]``; else one per class, the largest wins.
        """

    def set_scaling(self, mean: ArrayLike, std: ArrayLike) -> None:
        """Store a scaling in the model: it learns and predicts ``(x - mean) / std`` from raw rows.

        To be called before the first row. Translation-invariant kernels need no mean and ignore it, so sparse
        rows stay sparse.

        Parameters
        ----------
        mean, std : array-like of shape (n_features,)
            Mean and standard deviation of each feature; a deviation of 0 counts as 1.
        """

    def widen(self, n_features: int) -> None:
        """Append features to a model that has learned, as if all rows so far had had zeros there.

        Parameters
        ----------
        n_features : int
            The new number of features, at least the present one.
        """

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file; an old one is replaced.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, n_jobs: int | None = None) -> Classifier:
        """Read a model from a file.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote.
        n_jobs : int or None, default=None
            Threads of prediction; a file does not say.

        Returns
        -------
        Classifier
            The model; it goes on exactly where the saved one was.

        Raises
        ------
        ValueError
            If the file is not a model, or damaged.
        OSError
            If it cannot be read.
        """

    def to_bytes(self) -> bytes:
        """Give the bytes that `save` would write.

        Returns
        -------
        bytes
            Equal models give equal bytes.
        """

    @staticmethod
    def from_bytes(data: bytes, *, n_jobs: int | None = None) -> Classifier:
        """Make a model from the bytes of `to_bytes`.

        Parameters
        ----------
        data : bytes
            The bytes.
        n_jobs : int or None, default=None
            Threads of prediction.

        Returns
        -------
        Classifier
            The model.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def params(self) -> dict[str, Any]: ...
    @property
    def classes_(self) -> np.ndarray: ...
    @property
    def n_features_in_(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def gamma_(self) -> float: ...
    @property
    def support_vectors_(self) -> np.ndarray: ...
    @property
    def dual_coef_(self) -> np.ndarray: ...
    @property
    def n_support_vectors_(self) -> int: ...
    @property
    def n_seen_(self) -> int: ...
    @property
    def n_updates_(self) -> int: ...
    @property
    def n_mistakes_(self) -> int: ...
    @property
    def n_maintenances_(self) -> int: ...
    @property
    def mean_weight_degradation_(self) -> float: ...

@final
class Reader:
    r"""A push parser of LIBSVM or CSV text: feed it bytes, take rows.

    Parameters
    ----------
    format : {"libsvm", "csv"}
        The format.
    name : str, default="<stdin>"
        What error messages call the source.
    task : {"classification", "regression", "unlabelled"}, default="classification"
        What the labels are: classes, numbers, or nothing that is wanted.
    dtype : {"float32", "float64"}, default="float32"
        Type of the values; numbers that it cannot hold are refused.
    n_features : int, optional
        Wider rows are refused.
    classes : list, optional
        The labels, numbered in this order; others are refused.
    label_column : int, optional
        CSV: the column of the label; negative ones count from the end. Without it the last one; if the task
        is unlabelled, none.
    delimiter : str, default=","
        CSV: what separates the fields.
    header : bool, optional
        CSV: whether the first line holds names; None looks at it.

    Attributes
    ----------
    labels : list
        The distinct labels so far, in order of appearance: int, float or str.
    n_rows : int
        Rows parsed so far.
    n_columns : int
        Number of features: stated, or seen so far.
    line : int
        Lines read so far.

    Examples
    --------
    >>> from budgetrs._core import Reader
    >>> reader = Reader("csv", label_column=0)
    >>> reader.feed(b"cat,1,2\ndog,3")
    >>> reader.feed(b",4\n")
    >>> layout, X, y = reader.take()
    >>> X.tolist(), [reader.labels[i] for i in y]
    ([[1.0, 2.0], [3.0, 4.0]], ['cat', 'dog'])
    """

    def __new__(
        cls,
        format: str,
        *,
        name: str = "<stdin>",
        task: str = "classification",
        dtype: str = "float32",
        n_features: int | None = None,
        classes: Sequence[Any] | None = None,
        label_column: int | None = None,
        delimiter: str = ",",
        header: bool | None = None,
    ) -> Reader: ...
    def feed(self, data: bytes) -> None:
        """Parse more bytes; lines may be cut anywhere.

        Parameters
        ----------
        data : bytes
            Any piece of the text.

        Raises
        ------
        ValueError
            ``NAME:LINE:COLUMN: expected ..., got ...``. The rows before it can still be taken.
        """

    def finish(self) -> None:
        """Say that the text has ended: its last line may lack the newline."""

    def take(
        self,
    ) -> (
        tuple[Literal["csr"], np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, int]
        | tuple[Literal["dense"], np.ndarray, np.ndarray | None]
        | None
    ):
        """Take the rows that are complete.

        Returns
        -------
        tuple or None
            ``("csr", indptr, indices, data, y, n_columns_so_far)`` of LIBSVM text, ``("dense", X, y)`` of
            CSV; None when there are no complete rows. `y` holds indices into `labels` (classification),
            numbers (regression) or is None.
        """

    @property
    def labels(self) -> list[Any]: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def line(self) -> int: ...
