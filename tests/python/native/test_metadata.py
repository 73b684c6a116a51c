"""`metadata`: a dict that is saved in the file of a model."""

import copy
import gc
import json
import pickle
import weakref
from hashlib import sha256

import numpy as np
import pytest

import budgetrs
from budgetrs import (
    BSGDClassifier,
    Classifier,
    KeyedModels,
    OnlineKernelRegressor,
    ParameterError,
    Regressor,
    combine,
)

X = np.random.default_rng(0).normal(size=(40, 2))
LABELS, KEYS = X[:, 0] > 0, np.arange(40) % 3
METADATA = {
    "offsets": {"topic": [17, 2**70], "é": 0.1},
    "git": "a\n\"b\\c'",
    "none": None,
    "is": True,
    "big": -1e300,
}
KINDS = {
    "Classifier": lambda: Classifier(budget=5).learn(X, LABELS),
    "Regressor": lambda: Regressor(budget=5).learn(X, X[:, 0]),
    "untrained": Classifier,
    "BSGDClassifier": lambda: BSGDClassifier(budget=5).fit(X, LABELS),
    "OnlineKernelRegressor": lambda: OnlineKernelRegressor(budget=5).fit(X, X[:, 0]),
    "KeyedModels": lambda: KeyedModels(Classifier(budget=5)).learn(X, LABELS, KEYS),
}
INVALID = [
    (5, "5"),
    ([], "[]"),
    ({0: 1}, "the key 0 in metadata (pass str(key))"),
    ({"offsets": {0: 1}}, "the key 0 in metadata['offsets'] (pass str(key))"),
    ({"a": [1, (2, 3)]}, "(2, 3) in metadata['a'][1]"),
    ({"a": np.int64(3)}, "np.int64(3) in metadata['a']"),
    ({"a": float("nan")}, "nan in metadata['a']"),
    ({"a": b"x"}, "b'x' in metadata['a']"),
    ({"a": "x" * 70_000}, "at most 65536 bytes, got 70008 bytes"),
    ({"a": 10**400}, "number out of range"),
    ({"a": "\ud800"}, "hex escape"),
]


@pytest.fixture(params=KINDS)
def model(request):
    return KINDS[request.param]()


def test_round_trips(model, tmp_path):
    load, path, again = type(model).load, tmp_path / "model", tmp_path / "again"
    assert model.metadata == {}
    model.save(path)
    assert load(path).metadata == {}
    model.save(path, metadata=METADATA)
    assert load(path).metadata == budgetrs.load(path).metadata == model.metadata == METADATA
    loaded = load(path)
    loaded.save(again)
    assert load(again).metadata == METADATA
    # The dict may be changed in place.
    loaded.metadata["offsets"]["topic"] = [18]
    loaded.save(again)
    assert load(again).metadata == {**METADATA, "offsets": {"topic": [18], "é": 0.1}}
    model.metadata = METADATA
    assert model.metadata == METADATA
    assert model.metadata is model.metadata is not METADATA
    if not isinstance(model, KeyedModels):
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert other.metadata == METADATA


@pytest.mark.parametrize(("metadata", "message"), INVALID, ids=[message for _, message in INVALID])
def test_invalid_metadata_change_nothing(model, metadata, message, tmp_path):
    path = tmp_path / "model"
    model.metadata = {"offset": 1}
    model.save(path)
    before = path.read_bytes()

    def assign():
        model.metadata = metadata

    for call in (lambda: model.save(path, metadata=metadata), assign):
        with pytest.raises(ParameterError, match=r"^metadata must be a") as raised:
            call()
        assert message in str(raised.value)
        assert raised.value.parameter == "metadata"
        assert (model.metadata, path.read_bytes()) == ({"offset": 1}, before)
    # A change in place is checked when it is saved.
    model.metadata[0] = metadata
    with pytest.raises(ParameterError, match="the key 0 in metadata"):
        model.save(path)
    assert path.read_bytes() == before


def test_cycles_raise():
    metadata = {}
    metadata["self"] = [metadata]
    with pytest.raises(ParameterError, match="got more than 100 levels"):
        Classifier().to_bytes(metadata=metadata)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_in_its_own_metadata_is_freed(kind):
    class Content:
        pass

    model, content = KINDS[kind](), Content()
    model.metadata["model"] = [model, content]
    freed = weakref.ref(content)
    del model, content
    gc.collect()
    assert freed() is None


def test_a_failed_save_keeps_the_metadata(model, tmp_path):
    model.metadata = {"offset": 1}
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "nowhere" / "model", metadata={"offset": 2})
    assert model.metadata == {"offset": 1}


def test_bytes_depend_on_the_metadata_alone():
    model = KINDS["Classifier"]()
    plain = model.to_bytes()
    data = model.to_bytes(metadata={"a": 1, "b": 2})
    assert data != plain
    assert budgetrs.from_bytes(data).metadata == model.metadata == {"a": 1, "b": 2}
    assert model.to_bytes(metadata={"b": 2, "a": 1}) == data
    assert model.to_bytes(metadata={}) == plain
    model.learn_one([0.0, 0.0], True)
    assert model.metadata == {}


def test_the_largest_metadata():
    metadata = {"a": "x" * (65_536 - len('{"a":""}'))}
    assert Classifier.from_bytes(Classifier().to_bytes(metadata=metadata)).metadata == metadata
    with pytest.raises(ParameterError, match="got 65537 bytes"):
        Classifier().to_bytes(metadata={"a": metadata["a"] + "x"})


def test_each_save_of_keyed_models_has_its_metadata(tmp_path):
    path = tmp_path / "models"
    template = Classifier(budget=5)
    template.metadata = {"of": "the template"}
    models = KeyedModels(template)
    assert models.metadata == {}
    for offset in range(3):
        models.learn(X, LABELS, KEYS)
        models.save(path, metadata={"offset": offset})
        assert KeyedModels.load(path).metadata == {"offset": offset}
    assert models[0].metadata == {}
    # No model has changed.
    models.save(path, metadata={"offset": 7})
    assert KeyedModels.load(path).metadata == {"offset": 7}
    models.save(path, metadata={})
    assert KeyedModels.load(path).metadata == {}


def test_models_made_from_others_have_none():
    models = [Classifier(budget=5).learn(X, LABELS) for _ in range(2)]
    for model in models:
        model.metadata = {"offset": 1}
    assert combine(models).metadata == {}
    estimator = BSGDClassifier(budget=5).fit(X, LABELS)
    estimator.metadata = {"offset": 1}
    estimator.partial_fit(X, LABELS)
    assert estimator.metadata == {"offset": 1}
    assert estimator.fit(X, LABELS).metadata == {}


@pytest.mark.parametrize("text", ['{"a":2', "[12345]", '{ "a":1', "[1,2,3]", "nothing"])
def test_damaged_metadata_raise(text, tmp_path):
    """Also where the digest is right."""
    data = Classifier().to_bytes(metadata={"a": 1})
    value = json.dumps(json.dumps('{"a":1}')[1:-1])[1:-1].encode()
    assert data.count(value) == 1
    damaged = data.replace(value, json.dumps(json.dumps(text)[1:-1])[1:-1].encode())
    # The length of the header, which is padded.
    header = damaged[8:].rstrip(b" ")
    header += b" " * (-len(header) % 8)
    damaged = len(header).to_bytes(8, "little") + header
    at = damaged.index(b"digest") + len(rb"digest\":\"")
    unsigned = damaged[:at] + b"0" * 64 + damaged[at + 64 :]
    signed = damaged[:at] + sha256(unsigned).hexdigest().encode() + damaged[at + 64 :]
    (tmp_path / "model").write_bytes(signed)
    for bytes_, load in ((damaged, Classifier.from_bytes), (signed, Classifier.from_bytes)):
        with pytest.raises(ValueError, match="not a valid model"):
            load(bytes_)
    with pytest.raises(ValueError, match="not a valid model"):
        Classifier.load(tmp_path / "model")
