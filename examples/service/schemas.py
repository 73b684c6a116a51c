"""The bodies of requests and answers."""

from typing import Annotated

from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr

Text = Annotated[StrictStr, Field(max_length=200)]
Name = Annotated[Text, Field(min_length=1)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Features = dict[Name, Number | Text | StrictBool | None]
Label = StrictBool | StrictInt | Name


class Rows(BaseModel, extra="forbid"):
    rows: list[Features] = Field(min_length=1)
    ids: list[Name] | None = None


class Prediction(BaseModel):
    id: str
    label: Label | None
    probabilities: dict[str, float]


class Predictions(BaseModel):
    model: str
    rows_learned: int
    predictions: list[Prediction]


class Labelled(BaseModel, extra="forbid"):
    label: Label
    id: Name | None = None
    features: Features = Field({}, description="Used if no row waits under the id.")
    corrects: StrictBool = Field(False, description="The id has another label, which was wrong.")


class Labels(BaseModel, extra="forbid"):
    labels: list[Labelled] = Field(min_length=1)


class Result(BaseModel):
    id: str
    position: int | None = Field(None, description="In the log.")
    status: int | None = Field(None, description="If the label was refused.")
    detail: str | None = None


class Results(BaseModel):
    results: list[Result]


class Position(BaseModel):
    position: int
