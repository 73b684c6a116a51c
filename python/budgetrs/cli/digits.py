"""The second part of the demonstration: scikit-learn's digits with the default estimator."""

import time

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from ..estimators import OnlineKernelClassifier
from . import report


def run() -> None:
    """Learn scikit-learn's digits and print the results."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    start = time.perf_counter()
    classifier = OnlineKernelClassifier(budget=200, random_state=0).fit(X_train, y_train)
    seconds = time.perf_counter() - start
    report.line("rows read", classifier.n_samples_seen_)
    report.line("support vectors", classifier.n_support_vectors_)
    report.line("test accuracy", f"{100 * classifier.score(X_test, y_test):.2f}%")
    report.line("rows/s", report.rate(classifier.n_samples_seen_, seconds))
    report.memory()
