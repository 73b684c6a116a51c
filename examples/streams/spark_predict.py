"""Spark predicts on all workers: ``frame.withColumn("label", scorer(spark, model)(struct(*features)))``."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql.functions import pandas_udf

import budgetrs


def scorer(spark, model):
    data = spark.sparkContext.broadcast(model.to_bytes())  # once to each worker

    @pandas_udf("string")  # the type of the labels
    def score(frames: Iterator[pd.DataFrame]) -> Iterator[pd.Series]:
        model = budgetrs.from_bytes(data.value)  # once per task
        for frame in frames:
            yield pd.Series(model.predict(frame))

    return score
