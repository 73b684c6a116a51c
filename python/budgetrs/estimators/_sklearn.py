"""scikit-learn's base classes, which have no type annotations, with annotations for type checkers."""

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:

    class BaseEstimator:
        """The methods of every estimator of scikit-learn."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters and their values."""
            ...

        def set_params(self, **params: Any) -> Self:
            """Set parameters, which count from the next fit on."""
            ...

        def get_metadata_routing(self) -> Any:
            """Return which metadata each method asks for."""
            ...

        def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self:
            """Say whether `fit` asks for sample weights."""
            ...

        def set_partial_fit_request(
            self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
        ) -> Self:
            """Say whether `partial_fit` asks for classes and sample weights."""
            ...

        def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self:
            """Say whether `score` asks for sample weights."""
            ...

        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """The methods of every classifier of scikit-learn."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Return the accuracy of the predictions."""
            ...

    class RegressorMixin:
        """The methods of every regressor of scikit-learn."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Return R^2, the share of the variance that the predictions explain."""
            ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["BaseEstimator", "ClassifierMixin", "RegressorMixin"]
