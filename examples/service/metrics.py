"""Metrics for Prometheus. The service's own counts begin with its start and never fall."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

import budgetrs

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5)
DELAYS = (1, 10, 60, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400, 30 * 86_400)
PROBABILITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SERVED = ("model", "role")  # the role of the model when it answered: champion or challenger
Gauges = dict[str, tuple[str, float]]  # text and value by name
COUNTERS = {
    "requests": ("Requests answered.", "path", "status"),
    "rows_predicted": ("Rows predicted and stored.",),
    "predictions": ("Rows by the label of their answer.", "label"),
    "missing_values": ("Values that were null or missing.", "feature"),
    "unseen_categories": ("Texts that the champion did not know.", "feature"),
    "rows_learned": ("Rows learned and committed to the log.",),
    "rows_skipped": ("Rows of the log that a model could not learn.", "model"),
    "labels_refused": ("Labels that were refused.", "status"),
    "corrections": ("Labels that corrected an earlier one.",),
    "served_labels": ("Labels of rows that the model had answered.", *SERVED),
    "served_mistakes": ("Labels that differ from the answer.", *SERVED),
    "served_log_loss": ("Sum of the log loss of the probability that the answer is right.", *SERVED),
    "features_expired": ("Rows deleted before a label arrived.",),
    "save_failures": ("Model files that could not be saved.",),
    "commit_failures": ("Commits to log.db that failed.",),
    "insert_failures": ("Commits to waiting.db that failed.",),
}
HISTOGRAMS = {
    "request_duration_seconds": ("Time from the head of a request to its answer.", SECONDS, "path"),
    "top_probability": ("Probability of the label that was answered.", PROBABILITIES),
    "label_delay_seconds": ("Time from an answer to its committed label.", DELAYS),
}
MODEL_GAUGES = {
    "rows": ("Rows that the model has learned, also offline.", "n_samples_seen_"),
    "drifts": ("Abrupt drifts that the model has detected.", "n_drifts_"),
    "support_vectors": ("Support vectors.", "n_support_vectors_"),
    "progressive_error_ratio": (
        "Share of rows predicted wrong when they came.",
        "progressive_error_",
    ),
    "recent_error_ratio": ("The same of about the last 1,000 rows.", "recent_error_"),
    "no_change_error_ratio": ("The same of predicting the label before.", "no_change_error_"),
    "majority_error_ratio": ("The same of predicting the most frequent label.", "majority_error_"),
}


class Metrics:
    def __init__(self) -> None:
        disable_created_metrics()
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)  # memory and processor time
        Info("service_build", "Version.", registry=registry).info({"version": budgetrs.__version__})
        self._metrics: dict[str, Counter | Histogram] = {}
        for name, (text, *labels) in COUNTERS.items():
            self._metrics[name] = Counter(f"service_{name}", text, labels, registry=registry)
        for name, (text, buckets, *labels) in HISTOGRAMS.items():
            metric = Histogram(f"service_{name}", text, labels, buckets=buckets, registry=registry)
            self._metrics[name] = metric
        self._gauges: dict[str, Gauge] = {}
        self.open_requests = 0

    def count(self, name: str, *labels: object, by: float = 1) -> None:
        metric = self._metrics[name]
        (metric.labels(*labels) if labels else metric).inc(by)

    def observe(self, name: str, value: float, *labels: str) -> None:
        metric = self._metrics[name]
        (metric.labels(*labels) if labels else metric).observe(value)

    def show(self, gauges: Gauges, models: dict[tuple[str, str], budgetrs.Classifier]) -> bytes:
        """Return the text for Prometheus, with the gauges of models by name and role."""
        for name, (text, value) in gauges.items():
            self._gauge(name, text).set(value)
        for name, (text, attribute) in MODEL_GAUGES.items():
            gauge = self._gauge(f"model_{name}", text, *SERVED)
            gauge.clear()
            for labels, model in models.items():
                if model.n_samples_seen_:
                    gauge.labels(*labels).set(getattr(model, attribute))
        return generate_latest(self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        if name not in self._gauges:
            self._gauges[name] = Gauge(f"service_{name}", text, labels, registry=self.registry)
        return self._gauges[name]
