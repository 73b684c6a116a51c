"""The models of a folder: the champion answers, challengers are compared with it on the same rows."""

from __future__ import annotations

import heapq
from collections import Counter
from operator import itemgetter

from starlette.exceptions import HTTPException

from budgetrs import Classifier

from .metrics import Metrics
from .settings import Settings
from .storage import Answer, Features, Label, Waiting
from .worker import LOG, Worker

INVALID = (ValueError, TypeError)  # what budgetrs raises for a row or a file
BEST = 10  # classes of one answer


def role(is_champion: bool) -> str:
    return "champion" if is_champion else "challenger"


def check(model: Classifier) -> None:
    """Raise an error if the service cannot use a model."""
    is_learned = model.n_samples_seen_ > 0
    if not (model.params["budget"] and model.has_probabilities):
        raise ValueError("the model needs a budget and predict_proba")
    if is_learned and not hasattr(model, "feature_names_in_"):
        raise ValueError("the model needs column names")
    for name in ("position", "promoted"):
        value = model.metadata.get(name, 0)
        if type(value) is not int or value < 0:
            raise ValueError(f"metadata[{name!r}] must be an integer >= 0, got {value!r}")


def _champion(models: dict[str, Classifier]) -> str:
    return max(models, key=lambda name: models[name].metadata.get("promoted", 0))


class Models:
    """Models by name, each in a file; the model that was promoted last is the champion.

    The metadata of a file has the position of the last row of the log that the model has learned, and the
    number of its promotion: one rename replaces all.
    """

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.budget, self.metrics = settings.budget, metrics
        self.folder = settings.data / "models"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.by_name: dict[str, Classifier] = {}  # replaced as a whole: other threads read it
        self._categories: dict[str, set[str]] = {}
        self._known: tuple[Classifier | None, int] = (None, 0)

    @property
    def champion(self) -> str:
        return _champion(self.by_name)

    def load(self) -> dict[str, Classifier]:
        """Read all files; without files there is a new model."""
        found = {}
        for path in sorted(self.folder.glob("*.safetensors")):
            found[path.stem] = Classifier.load(path)
            try:
                check(found[path.stem])
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
        models = found or {"main": Classifier(budget=self.budget)}
        models[_champion(models)].metadata.setdefault("promoted", 1)
        return models

    def replace(self, models: dict[str, Classifier]) -> None:
        self.by_name = models
        self.refresh()

    def save(self, name: str, position: int, **more: int) -> None:
        """Replace a file when the new one is complete and on the disk; only then the metadata is changed."""
        model = self.by_name[name]
        metadata = {**model.metadata, "position": position, **more}
        model.save(self.folder / f"{name}.safetensors", metadata=metadata)

    def promote(self, name: str, position: int) -> None:
        if name != (champion := self.champion):
            self.save(name, position, promoted=self.by_name[champion].metadata["promoted"] + 1)
            self.refresh()

    def by_role(self) -> dict[tuple[str, str], Classifier]:
        champion = self.champion
        return {(name, role(name == champion)): model for name, model in self.by_name.items()}

    def remove(self, name: str) -> None:
        (self.folder / f"{name}.safetensors").unlink(missing_ok=True)
        self.by_name = {other: model for other, model in self.by_name.items() if other != name}

    def positions(self) -> dict[str, int]:
        return {name: model.metadata.get("position", 0) for name, model in self.by_name.items()}

    def learn(self, features: Features, label: Label) -> None:
        """Learn a row with each model, the champion first: if it raises an error, no model learns."""
        champion = self.champion
        self.by_name[champion].learn_one(features, label)
        for name in self.by_name.keys() - {champion}:
            self.learn_if_valid(name, self.by_name[name], features, label)

    def learn_if_valid(self, name: str, model: Classifier, features: Features, label: Label) -> None:
        try:
            model.learn_one(features, label)
        except INVALID:  # other columns, for example; each start skips the same rows
            self.metrics.count("rows_skipped", name)

    def predict(self, rows: list[Features]) -> tuple[list[dict[Label, float]], list[list[Answer]]]:
        """Return the champion's best classes of each row, and the answers of all models.

        A model has no answers before it has learned a row.
        """
        best: list[dict[Label, float]] = [{} for _ in rows]
        answers: list[list[Answer]] = [[] for _ in rows]
        champion = self.champion
        for name, model in self.by_name.items():
            rows_learned = model.n_samples_seen_
            for at, row in enumerate(rows if rows_learned else []):
                try:
                    found = model.predict_proba_one(row)
                except INVALID as error:
                    if name == champion:
                        raise HTTPException(422, f"row {at}: {error}") from None
                    continue
                label = max(found, key=found.__getitem__)
                answers[at].append(Answer(name, label, found[label], rows_learned, name == champion))
                if name == champion:
                    best[at] = dict(heapq.nlargest(BEST, found.items(), itemgetter(1)))
        return best, answers

    def refresh(self) -> None:
        """Read the champion's categories, if there are new ones."""
        model = self.by_name[self.champion]
        known = (model, model.n_features_encoded_ if model.n_samples_seen_ else 0)
        if known != self._known and model.n_samples_seen_:
            names = model.get_feature_names_out().tolist()
            self._categories = {
                column: {name.removeprefix(f"{column}=") for name in names if name.startswith(f"{column}=")}
                for column in model.feature_names_in_.tolist()
            }
            self._known = known

    def count(self, rows: list[Features], best: list[dict[Label, float]]) -> None:
        """Count what shows a drift before any label arrives."""
        counts = Counter({("rows_predicted",): len(rows)})
        for row, answer in zip(rows, best, strict=True):
            for column, known in self._categories.items():
                value = row.get(column)
                counts["missing_values", column] += value is None
                counts["unseen_categories", column] += isinstance(value, str) and value not in known
            if answer:
                label, probability = next(iter(answer.items()))
                counts["predictions", label] += 1
                self.metrics.observe("top_probability", probability)
        for names, count in counts.items():
            self.metrics.count(*names, by=count)


class Scorer(Worker):
    """Predicts with the models that a learner saves in the same folder, and stores the rows for it."""

    def __init__(self, settings: Settings, metrics: Metrics, name: str = "scorer") -> None:
        super().__init__(name)
        self.settings, self.metrics = settings, metrics
        self.models = Models(settings, metrics)
        self._changed_at = 0

    def start(self) -> None:
        self.after(is_last=False)
        self.waiting = Waiting(self.settings.data, self.settings.keep_days, self.metrics, cleans=False)
        self.waiting.on_failure = self.on_failure
        self.waiting.start()
        super().start()

    def stop(self) -> None:
        super().stop()
        self.waiting.stop()

    def has_failed(self) -> bool:
        return self.failed or self.waiting.failed

    def trouble(self) -> str | None:
        return super().trouble() or self.waiting.trouble()

    def after(self, is_last: bool) -> None:  # noqa: ARG002
        """Load the models if a file has been replaced: once a second, as no jobs come."""
        changed_at = self.models.folder.stat().st_mtime_ns
        if changed_at != self._changed_at:
            try:
                self.models.replace(self.models.load())
                self._changed_at = changed_at
            except FileNotFoundError:  # replaced meanwhile: the next time
                pass
            except INVALID:
                if not self.models.by_name:
                    raise
                self._changed_at = changed_at
                LOG.exception("the models in the folder could not be loaded: the old ones stay")
