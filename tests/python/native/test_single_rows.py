"""learn_one and predict_one: the same as batches of one row, however the row and its label are given."""

import threading

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from conftest import CODE_PATHS, blobs, board, small_for

LABELS = {
    "int": ([3, 7], [np.int64(3), np.int64(7)]),
    "float": ([0.5, -1.0], [np.float64(0.5), np.float64(-1.0)]),
    "str": (["a", "b"], [np.str_("a"), np.str_("b")]),
    "bool": ([False, True], [np.bool_(False), np.bool_(True)]),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CODE_PATHS)
def test_labels_one_by_one_are_the_batch(name, dtype):
    X, y = blobs(120, dtype=dtype)
    model = Classifier(name, **small_for(name)).learn(X, y)
    assert [model.predict_one(x) for x in X] == model.predict(X).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_one_by_one_are_the_batch(dtype):
    X, _ = blobs(200, dtype=dtype)
    model = Regressor(budget=10).learn(X, X @ np.arange(1, X.shape[1] + 1))
    found = [model.predict_one(x) for x in X]
    assert {type(value) for value in found} == {float}
    assert found == model.predict(X).tolist()


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("given", [False, True], ids=["as they come", "given"])
def test_labels_of_python_and_of_numpy_are_the_same(kind, given):
    X, y = board(60)
    plain, scalars = LABELS[kind]
    options = {"classes": plain} if given else {}
    models = [Classifier(budget=10, **options) for _ in range(3)]
    for x, which in zip(X, y, strict=True):
        models[0].learn_one(x, plain[which])
        models[1].learn_one(x, scalars[which])
        models[2].learn(x[None], [plain[which]])
    assert len({model.to_bytes() for model in models}) == 1
    assert {type(models[0].predict_one(x)) for x in X} == {type(plain[0])}


def test_labels_of_another_kind_are_taken_or_refused_as_in_batches():
    X, _ = board(40)
    known = {"int": [0, 1], "float": [0.0, 1.0], "str": ["0", "1"], "bool": [False, True]}
    others = [0, 1.0, True, "1", np.float32(1), np.int8(1), 1.5, 2, float("nan"), "2", b"1", None]
    for classes in known.values():
        y = [classes[number % 2] for number in range(len(X))]
        for label in others:
            one = Classifier(budget=10, classes=classes).learn(X, y)
            batch = Classifier.from_bytes(one.to_bytes())
            found = []
            for call in (
                lambda one=one, label=label: one.learn_one(X[0], label),
                lambda batch=batch, label=label: batch.learn(X[:1], [label]),
            ):
                try:
                    call()
                    found.append(None)
                except (ValueError, TypeError) as error:
                    found.append(type(error))
            assert found[0] == found[1], (classes, label)
            assert one.to_bytes() == batch.to_bytes(), (classes, label)


def test_however_a_row_is_given():
    X, y = board(200, dtype=np.float64)
    wide = np.zeros((2, 4))
    wide[:, ::2] = X[:2]
    misplaced = np.frombuffer(b"x" + X[0].tobytes(), np.uint8)[1:].view(np.float64)
    rows = [X[0], X[0].tolist(), tuple(X[0]), wide[0, ::2], X[0].astype(">f8"), misplaced]
    rows.append(np.ma.masked_array(X[0], mask=[False, False]))
    model = Classifier("bsgd-merge", budget=10, gamma=1.0).learn(X, y)
    states = set()
    for row in rows:
        assert model.predict_one(row) == model.predict(X[:1])[0]
        states.add(Classifier.from_bytes(model.to_bytes()).learn_one(row, int(y[0])).to_bytes())
    assert len(states) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_that_is_refused_changes_nothing(dtype):
    X, y = board(100, dtype=dtype)
    model = Classifier("bsgd-merge", budget=10, gamma=1.0).learn(X, y)
    before = model.to_bytes()
    bad = (np.nan, np.inf, 1e20 if dtype == np.float32 else 1e100)
    rows = [np.array([1.0, value], dtype) for value in bad]
    rows += [np.zeros(3, dtype), np.zeros(0, dtype), np.zeros((1, 2), dtype)]
    for row in rows:
        for call in (lambda row=row: model.learn_one(row, 1), lambda row=row: model.predict_one(row)):
            with pytest.raises(ValueError, match=r"X|x"):
                call()
    for weight in (-1.0, 2e9, float("nan")):
        with pytest.raises(ValueError, match="sample_weight"):
            model.learn_one(X[0], 1, sample_weight=weight)
    model.learn_one(X[0], 1, sample_weight=0.0)
    assert model.to_bytes() == before


def test_threads_learn_and_predict_rows_beside_batches():
    X, y = board(20_000)
    model = Classifier("bsgd-merge", budget=20, gamma=1.0).learn(X[:100], y[:100])
    failures, done = [], threading.Event()

    def run(call, times):
        try:
            for number in range(times):
                call(number)
        except Exception as error:
            failures.append(error)

    def predict():
        while not done.is_set():
            run(lambda number: model.predict_one(X[number]), 500)

    readers = [threading.Thread(target=predict) for _ in range(2)]
    writers = [
        threading.Thread(target=run, args=(lambda number: model.learn_one(X[number], int(y[number])), 3000)),
        threading.Thread(target=run, args=(lambda number: model.learn_one(X[number], int(y[number])), 3000)),
        threading.Thread(target=run, args=(lambda _: model.learn(X, y), 3)),
        threading.Thread(target=run, args=(lambda number: model.learn(X[:9], y[:9]), 500)),
    ]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join(60)
    done.set()
    for thread in readers:
        thread.join(60)
    assert not failures
    assert model.n_samples_seen_ == 100 + 2 * 3000 + 3 * 20_000 + 500 * 9
