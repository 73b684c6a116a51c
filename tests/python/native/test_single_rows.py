"""learn_one and predict_one: the same as batches of one row, however the row and its label are given."""

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from conftest import CODE_PATHS, blobs, board, small_for, together

LABELS = {
    "int": ([3, 7], [np.int64(3), np.int64(7)]),
    "float": ([0.5, -1.0], [np.float64(0.5), np.float64(-1.0)]),
    "str": (["a", "b"], [np.str_("a"), np.str_("b")]),
    "bool": ([False, True], [np.bool_(False), np.bool_(True)]),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CODE_PATHS)
def test_predictions_one_by_one_are_the_batch(name, dtype):
    X, y = blobs(120, dtype=dtype)
    model = Classifier(name, **small_for(name)).learn(X, y)
    assert [model.predict_one(x) for x in X] == model.predict(X).tolist()
    numbers = Regressor(budget=10).learn(X, X @ np.arange(1, X.shape[1] + 1))
    found = [numbers.predict_one(x) for x in X]
    assert {type(value) for value in found} == {float}
    assert found == numbers.predict(X).tolist()


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("given", [False, True], ids=["as they come", "given"])
def test_labels_of_python_and_of_numpy_are_the_same(kind, given):
    X, y = board(60)
    plain, scalars = LABELS[kind]
    models = [Classifier(budget=10, **({"classes": plain} if given else {})) for _ in range(3)]
    for x, which in zip(X, y, strict=True):
        models[0].learn_one(x, plain[which])
        models[1].learn_one(x, scalars[which])
        models[2].learn(x[None], [plain[which]])
    assert len({model.to_bytes() for model in models}) == 1
    assert {type(models[0].predict_one(x)) for x in X} == {type(plain[0])}


def test_a_row_may_have_any_form():
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


def test_threads_learn_and_predict_rows_beside_batches():
    X, y = board(20_000)
    model = Classifier("bsgd-merge", budget=20, gamma=1.0).learn(X[:100], y[:100])

    def rows():
        for x, label in zip(X[:3000], y.tolist(), strict=False):
            model.learn_one(x, label)

    def batches(times, count):
        return lambda: [model.learn(X[:count], y[:count]) for _ in range(times)]

    def predict():
        for x in X[:500]:
            model.predict_one(x)

    together(rows, rows, batches(3, 20_000), batches(500, 9), beside=[predict, predict])
    assert model.n_samples_seen_ == 100 + 2 * 3000 + 3 * 20_000 + 500 * 9


def outcome(call):
    """The type of the error of a call, if it raises one."""
    try:
        call()
    except (ValueError, TypeError) as error:
        return type(error)


@pytest.mark.parametrize("classes", [[0, 1], [0.0, 1.0], ["0", "1"], [False, True]], ids=str)
def test_labels_of_another_kind_raise_where_they_raise_in_a_batch(classes):
    X, _ = board(40)
    learned = Classifier(budget=10, classes=classes).learn(X, classes * 20).to_bytes()
    for label in [0, 1.0, True, "1", np.float32(1), np.int8(1), 1.5, 2, float("nan"), "2", b"1", None]:
        one, batch = Classifier.from_bytes(learned), Classifier.from_bytes(learned)
        single = outcome(lambda one=one, label=label: one.learn_one(X[0], label))
        assert single == outcome(lambda batch=batch, label=label: batch.learn(X[:1], [label])), label
        assert one.to_bytes() == batch.to_bytes(), label
