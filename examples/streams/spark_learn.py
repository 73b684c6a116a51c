"""One model learns the micro-batches of Spark Structured Streaming, each exactly once."""

from pathlib import Path

from budgetrs import Classifier


def learner(path):
    """Return a function for `stream.writeStream.foreachBatch`; rows have the columns "time" and "label"."""

    def learn(frame, batch_id):
        model = Classifier.load(path) if Path(path).exists() else Classifier(budget=100)
        if batch_id > model.metadata.get("batch_id", -1):  # else Spark repeats a batch that was saved
            rows = frame.orderBy("time").toPandas().drop(columns="time")
            if len(rows):
                model.learn(rows.drop(columns="label"), rows["label"])
            model.save(path, metadata={"batch_id": batch_id})

    return learn
