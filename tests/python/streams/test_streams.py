"""The programs of examples/streams: killed, rebalanced, with a real client of Kafka, and the recipes."""

import json
import random
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, KeyedModels
from conftest import ROOT

pytest.importorskip("fcntl")
sys.path.insert(0, str(ROOT))

from examples.streams import consumer, keyed_consumer, late_labels, retrain, spark_learn
from tests.fuzz.streams import PROGRAMS, kill_and_compare


def messages(partition, n, seed=0, keys=5):
    rng = random.Random(f"{partition} {seed}")
    for offset in range(n):
        row = {"price": rng.uniform(-1, 1), "age": rng.uniform(-1, 1)}
        row["label"] = "yes" if row["price"] * row["age"] > 0 else "no"
        yield partition, offset, b"%d" % rng.randrange(keys), json.dumps(row).encode()


class Memory:
    """A log in memory; what is before the offsets is not read again."""

    def __init__(self, *all_messages):
        self.messages = all_messages

    def read(self, offsets):
        yield []
        yield [each for each in self.messages if each[1] >= offsets.get(each[0], 0)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_killed_programs_learn_each_message_once(program, tmp_path):
    assert kill_and_compare(program, tmp_path, random.Random(0), kills=4) > 1000


def test_a_second_consumer_does_not_start(tmp_path):
    path = tmp_path / "model"
    with consumer.lock(path), pytest.raises(SystemExit, match="one model needs one consumer"):
        consumer.run(Memory(), path)
    consumer.run(Memory(), path)


def test_a_second_join_does_not_start(tmp_path, monkeypatch):
    join = late_labels.Join(tmp_path / "state.db", send=print)
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **more: connect(*given, **more, timeout=0.1))
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        late_labels.Join(tmp_path / "state.db", send=print)
    join.db.close()


def test_another_schema_stops(tmp_path, monkeypatch):
    path = tmp_path / "model"
    consumer.run(Memory(*messages("rows-0", 10)), path)
    before = path.read_bytes()
    monkeypatch.setattr(consumer, "SCHEMA", 2)
    with pytest.raises(SystemExit, match="schema 1, this program reads 2"):
        consumer.run(Memory(*messages("rows-0", 20)), path)
    assert path.read_bytes() == before
    Classifier.load(path).save(path, metadata={"position": 3})
    with pytest.raises(SystemExit, match="schema unknown, this program reads 2"):
        consumer.run(Memory(), path)


POISON = [
    b"[" * 200_000,
    b'{"price": 1' + b"0" * 400 + b', "age": 1, "label": "yes"}',
    b'{"price": 1' + b"0" * 9000 + b', "age": 1, "label": "yes"}',
    b'{"price": 1, "age": 1, "label": {}}',
    b'{"price": 1, "age": 1, "label": "\\ud800"}',
    b"\xff",
    b"3",
    None,
]


def poisoned(values):
    """Messages with an invalid value after each good one, and only the good values."""
    good = [value for *_, value in messages("rows-0", len(values))]
    both = [value for pair in zip(good, values, strict=True) for value in pair]
    return [("rows-0", offset, b"k", value) for offset, value in enumerate(both)], good


def test_invalid_messages_are_skipped(tmp_path):
    some, good = poisoned(POISON)
    model = consumer.run(Memory(*some), tmp_path / "model")
    assert model.metadata == {"schema": 1, "offsets": {"rows-0": len(some)}, "skipped": len(POISON)}
    offline = Classifier(budget=100)
    for row in map(json.loads, good):
        label = row.pop("label")
        offline.learn_one(row, label)
    assert model.to_bytes(metadata={}) == offline.to_bytes()


def test_invalid_messages_by_key_are_skipped(tmp_path):
    large = [b'{"price": 1e308, "age": 1, "label": "yes"}', b'{"price": 1, "age": -1e80, "label": "yes"}']
    some, good = poisoned(POISON + large)
    partitions = keyed_consumer.Partitions(tmp_path)
    partitions.assigned("rows-0")
    learned(partitions, some)
    largest = json.dumps({"price": 1e60, "age": -1e60, "label": "no"}).encode()
    learned(partitions, [("rows-0", len(some), b"k", largest)])
    models = KeyedModels.load(tmp_path / "rows-0.budgetrs")
    assert models.metadata == {"offset": len(some) + 1, "skipped": len(good)}
    assert models["k"].n_samples_seen_ == len(good) + 1


def test_invalid_messages_of_two_topics_are_skipped(tmp_path):
    bad = [
        "[" * 200_000,
        '{"id": 9, "time": 1' + "0" * 400 + ', "label": "a"}',
        '{"id": 9, "time": NaN, "label": "a"}',
        '{"id": 9, "time": 9, "row": ' + "[" * 900 + "]" * 900 + "}",
        '{"id": 1, "time": 9, "label": null}',  # its row waits for a valid label
        "3",
    ]
    rows = [json.dumps({"id": id_, "time": 1, "row": {"x": 1.0}}) for id_ in (0, 1)]
    labels = [json.dumps({"id": id_, "time": 2, "label": "a"}) for id_ in (0, 1)]
    values = [*rows, labels[0], *bad, labels[1]]
    some = [("rows-0", offset, None, value) for offset, value in enumerate(values)]
    join = late_labels.Join(tmp_path / "state.db", send=lambda *_: None)
    late_labels.run(Memory(*some), join)
    assert join.state["skipped"] == len(bad)
    assert join.model.n_samples_seen_ == 2
    assert join.db.execute("SELECT count(*) FROM waiting").fetchone() == (0,)
    assert join.state["offsets"] == {"rows-0": len(some)}
    join.db.close()


def test_an_odd_first_message_stops_the_consumer(tmp_path):
    path, some = tmp_path / "model", list(messages("rows-0", 200))
    odd = ("other-0", 0, None, b'{"price": 1, "age": 1, "label": 1.5}')
    with pytest.raises(SystemExit, match="100 messages are invalid"):
        consumer.run(Memory(odd, *some), path)
    assert not path.exists()
    Classifier(budget=100, classes=["no", "yes"]).learn_one({"price": 1.0, "age": 1.0}, "yes").save(path)
    model = consumer.run(Memory(odd, *some), path)
    assert (model.n_samples_seen_, model.metadata["skipped"]) == (201, 1)


def test_an_idle_consumer_saves_nothing(tmp_path, monkeypatch):
    def ends(_, offsets):
        yield from ([], [])
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "read", ends)
    with pytest.raises(KeyboardInterrupt):
        consumer.run(Memory(), tmp_path / "model", save_seconds=0.0)
    assert [path.name for path in tmp_path.iterdir()] == ["model.lock"]


def learned(partitions, some):
    for name, *rest in some:
        partitions.owned[name].messages.append(rest)
    for each in partitions.owned.values():
        each.learn_and_save()


def equal_to_offline(folder, some):
    saved = KeyedModels.load(folder / "rows-0.budgetrs")
    assert saved.metadata == {"offset": some[-1][1] + 1, "skipped": 0}
    template = Classifier("bsgd-merge", budget=20, classes=keyed_consumer.CLASSES)
    rows = [keyed_consumer.parsed(key, value) for _, _, key, value in some]
    models = KeyedModels(template).learn(*zip(*rows, strict=True))
    assert set(models) == set(saved)
    assert all(saved[key].to_bytes() == models[key].to_bytes() for key in models)


def test_a_revoked_partition_goes_on_elsewhere(tmp_path):
    some = list(messages("rows-0", 300))
    old, new = keyed_consumer.Partitions(tmp_path), keyed_consumer.Partitions(tmp_path)
    assert old.assigned("rows-0") is None
    learned(old, some[:100])
    old.owned["rows-0"].messages += [rest for _, *rest in some[100:200]]
    old.revoked("rows-0")
    assert not old.owned
    assert new.assigned("rows-0") == 200
    learned(new, some[200:])
    equal_to_offline(tmp_path, some)


def test_a_lost_partition_is_not_saved(tmp_path):
    some = list(messages("rows-0", 300))
    old, new = keyed_consumer.Partitions(tmp_path), keyed_consumer.Partitions(tmp_path)
    old.assigned("rows-0")
    learned(old, some[:100])
    old.owned["rows-0"].messages += [rest for _, *rest in some[100:200]]
    assert new.assigned("rows-0") == 100
    learned(new, some[100:150])
    old.lost("rows-0")
    assert not old.owned
    learned(new, some[150:])
    equal_to_offline(tmp_path, some)


def test_messages_are_not_learned_again_when_a_save_fails(tmp_path):
    some = list(messages("rows-0", 200))
    folder = tmp_path / "folder"
    folder.mkdir()
    old, new = keyed_consumer.Partitions(folder), keyed_consumer.Partitions(folder)
    old.assigned("rows-0")
    learned(old, some[:100])
    folder.rename(tmp_path / "gone")
    with pytest.raises(OSError, match="does not exist"):
        learned(old, some[100:])
    (tmp_path / "gone").rename(folder)
    old.revoked("rows-0")  # as the client does when it is closed
    old.revoked("rows-0")
    assert new.assigned("rows-0") == 100
    learned(new, some[100:])
    equal_to_offline(folder, some)


@pytest.mark.parametrize("late", [110, 290])
def test_a_late_save_of_the_last_owner_repeats_messages_but_learns_none_twice(late, tmp_path):
    """A process that stood still and does not know yet that its partition was lost."""
    some = list(messages("rows-0", 300))
    old, new, third = (keyed_consumer.Partitions(tmp_path) for _ in range(3))
    old.assigned("rows-0")
    learned(old, some[:100])
    assert new.assigned("rows-0") == 100
    learned(new, some[100:200])
    learned(old, some[100:late])
    equal_to_offline(tmp_path, some[:late])
    assert third.assigned("rows-0") == late  # the new owner has died before it saved again
    learned(new, some[200:250])
    equal_to_offline(tmp_path, some[:250])
    learned(third, some[late:])
    equal_to_offline(tmp_path, some)


def test_answers_are_counted_as_they_were_sent(tmp_path):
    sent = []
    join = late_labels.Join(tmp_path / "state.db", send=lambda *answer: sent.append(answer))
    row = {"x": 1.0}
    for message in (
        {"id": 1, "time": 1, "row": row},
        {"id": 1, "time": 2, "label": "a"},
        {"id": 2, "time": 3, "row": row},
        {"id": 4, "time": 3, "row": row},
        {"id": 3, "time": 4, "label": "b"},
        {"id": 3, "time": 5, "row": {"x": -1.0}},
        {"id": 2, "time": 6, "label": "b"},
        {"id": 4, "time": 7 + late_labels.KEEP, "label": "a"},
    ):
        join.add(message)
    join.save()
    assert sent == [("1", None), ("2", "a"), ("4", "a"), ("3", "a")]
    assert (join.state["answered"], join.state["mistakes"], join.model.n_samples_seen_) == (2, 2, 3)
    assert join.db.execute("SELECT id, label FROM waiting").fetchall() == [("4", '"a"')]
    with pytest.raises(ValueError, match="time must be finite"):
        join.add({"id": 5, "time": float("inf"), "label": "a"})
    join.db.close()


@pytest.fixture
def cluster():
    """Brokers that are a part of the client."""
    kafka = pytest.importorskip("confluent_kafka")
    producer = kafka.Producer({"test.mock.num.brokers": 1})
    broker = next(iter(producer.list_topics(timeout=10).brokers.values()))
    return producer, f"{broker.host}:{broker.port}"


def produce(producer, some):
    for name, _, key, value in some:
        topic, _, number = name.rpartition("-")
        producer.produce(topic, value, key=key, partition=int(number))
    assert producer.flush(10) == 0


def until(log, given, enough):
    """The items that a log yields until there are enough."""
    found = []
    reader = log.read(given)
    for each in reader:
        found += each if isinstance(each, list) else [each] if each else []
        if enough(found):
            break
    reader.close()
    return found


def test_topics_are_read_from_the_offsets(cluster):
    import confluent_kafka
    from examples.streams.kafka import Topics

    producer, servers = cluster
    some = {name: list(messages(name, 50)) for name in ("rows-0", "rows-1", "other-0")}
    for each in some.values():
        produce(producer, each)
    offsets = {"rows-0": 20, "other-0": 49}
    found = until(Topics(servers, "rows", "other"), offsets, lambda found: len(found) == 81)
    for name, each in some.items():
        assert [one for one in found if one[0] == name] == each[offsets.get(name, 0) :]
    with pytest.raises(confluent_kafka.KafkaException, match=r"out of range.*rows-0"):
        until(Topics(servers, "rows"), {"rows-0": 500}, lambda found: False)
    with pytest.raises(SystemExit, match="does not have: missing; create"):
        until(Topics(servers, "rows", "missing"), {}, lambda found: False)


def drain(readers, owners):
    """Hand out messages until no reader has one; return the last offset of each partition."""
    last = {}
    for name, reader in readers.items():
        for partition, *rest in iter(lambda reader=reader: next(reader), None):
            owners[name].owned[partition].messages.append(rest)
            last[partition] = rest[0]
    return last


def test_a_group_shares_the_partitions(cluster, tmp_path, monkeypatch):
    from examples.streams.kafka import SETTINGS, Group

    monkeypatch.setitem(SETTINGS, "session.timeout.ms", 6000)
    producer, servers = cluster
    some = {f"rows-{i}": list(messages(f"rows-{i}", 400, keys=3)) for i in range(4)}
    for each in some.values():
        produce(producer, each[:100])
    owners, readers = {}, {}
    for number, name in enumerate("ab"):
        owners[name] = keyed_consumer.Partitions(tmp_path)
        readers[name] = Group(servers, "rows", "learners").read(owners[name])
        share = [4 // (number + 1)] * (number + 1)
        while [len(owner.owned) for owner in owners.values()] != share:
            drain(readers, owners)
        assert sorted(name for owner in owners.values() for name in owner.owned) == sorted(some)
        for each in some.values():
            produce(producer, each[100 + 100 * number : 200 + 100 * number])
        drain(readers, owners)
    readers.pop("a").close()  # saves
    assert not owners["a"].owned
    for each in some.values():
        produce(producer, each[300:])
    last = {}
    while last != dict.fromkeys(some, 399):
        last |= drain(readers, owners)
    readers["b"].close()
    for name, each in some.items():
        (tmp_path / f"{name}.budgetrs").replace(tmp_path / "rows-0.budgetrs")
        equal_to_offline(tmp_path, each)


class Frame:
    """What the recipe asks of a frame of Spark."""

    def __init__(self, rows):
        self.rows = rows

    def orderBy(self, column):  # noqa: N802
        return Frame(self.rows.sort_values(column))

    def toPandas(self):  # noqa: N802
        return self.rows


def board(n, seed=0):
    rows = pd.DataFrame(np.random.default_rng(seed).uniform(-1, 1, (n, 2)), columns=["price", "age"])
    return rows.assign(label=np.where(rows.price * rows.age > 0, "yes", "no"))


def test_a_batch_of_spark_is_learned_once(tmp_path):
    path, rows = tmp_path / "model", board(200).assign(time=np.arange(200.0)[::-1])
    learn = spark_learn.learner(path)
    for batch_id, part in ((0, rows[100:]), (0, rows[100:]), (1, rows[:0]), (2, rows[:100]), (1, rows[:0])):
        learn(Frame(part), batch_id)
    model = Classifier.load(path)
    rows = rows.sort_values("time")
    offline = Classifier(budget=100).learn(rows[["price", "age"]], rows["label"])
    assert model.metadata == {"batch_id": 2}
    assert model.to_bytes(metadata={}) == offline.to_bytes()


@pytest.mark.filterwarnings("default")  # of Spark itself
def test_spark_runs_the_recipes(tmp_path, monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    from examples.streams.spark_predict import scorer
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import struct

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    rows, path = board(300).assign(time=np.arange(300.0)), tmp_path / "model"
    for day in range(3):
        spark.createDataFrame(rows[100 * day : 100 * day + 100]).write.mode("append").parquet(
            str(tmp_path / "in")
        )
    frames = spark.readStream.schema("price double, age double, label string, time double")
    stream = frames.option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    for _ in range(2):  # the second time, the checkpoint says that there is nothing new
        writer = stream.writeStream.foreachBatch(spark_learn.learner(path))
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.trigger(availableNow=True).start().awaitTermination()
    model = Classifier.load(path)
    assert model.n_samples_seen_ == 300
    answers = spark.createDataFrame(rows).withColumn("is", scorer(spark, model)(struct("price", "age")))
    found = answers.orderBy("time").toPandas()["is"]
    assert found.tolist() == model.predict(rows[["price", "age"]]).tolist()
    spark.stop()


@pytest.mark.filterwarnings("default")  # of Ray itself
def test_ray_runs_the_recipe():
    ray = pytest.importorskip("ray")
    from examples.streams import ray_predict

    rows = board(300)
    model = Classifier(budget=20).learn(rows[["price", "age"]], rows["label"])
    found = ray_predict.predict(ray.data.from_pandas(rows[["price", "age"]]), model).to_pandas()
    expected = rows[["price", "age"]].assign(label=model.predict(rows[["price", "age"]]))
    by = ["price", "age"]
    pd.testing.assert_frame_equal(
        found.sort_values(by, ignore_index=True),
        expected.sort_values(by, ignore_index=True),
        check_dtype=False,
    )
    ray.shutdown()


def test_the_better_model_becomes_current(tmp_path):
    days, models = tmp_path / "days", tmp_path / "models"
    days.mkdir()
    models.mkdir()
    for day in range(3):
        board(1000, seed=day).to_csv(days / f"2026-01-0{day + 1}.csv", index=False)
    retrain.retrain(days, models)
    assert Path(models / "current").resolve().name == "2026-01-03.safetensors"
    assert Classifier.load(models / "current").metadata == {"days": ["2026-01-01", "2026-01-02"]}
    wrong = board(1000, seed=3)
    wrong.assign(label=wrong["label"].iloc[::-1].to_numpy()).to_csv(days / "2026-01-04.csv", index=False)
    board(1000, seed=4).to_csv(days / "2026-01-05.csv", index=False)
    retrain.retrain(days, models, n_days=1)  # learns noise
    assert Path(models / "current").resolve().name == "2026-01-03.safetensors"
    assert sorted(path.name for path in models.iterdir()) == ["2026-01-03.safetensors", "current"]


def test_a_second_run_in_a_night_does_not_replace_a_better_model(tmp_path):
    days, models = tmp_path / "days", tmp_path / "models"
    days.mkdir()
    models.mkdir()
    with pytest.raises(SystemExit, match="at least two days"):
        retrain.retrain(days, models)
    board(1000, seed=1).to_csv(days / "2026-01-02.csv", index=False)
    with pytest.raises(SystemExit, match="at least two days"):
        retrain.retrain(days, models)
    good = board(1000)
    good.to_csv(days / "2026-01-01.csv", index=False)
    retrain.retrain(days, models)
    before = (models / "current").read_bytes()
    good.assign(label=good["label"].iloc[::-1].to_numpy()).to_csv(days / "2026-01-01.csv", index=False)
    retrain.retrain(days, models)
    assert (models / "current").read_bytes() == before
