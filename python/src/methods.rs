//! Learning and prediction, whatever the task: input of either type, sliced, without the interpreter.

use crate::array_input::{self, AnyInput, FloatType, Form, Input};
use crate::error::to_python;
use crate::float_type::{FloatVec, NumpyFloat, other_type};
use crate::gil::is_short_score;
use crate::native_model::NativeModel;
use crate::signals::in_slices;
use crate::snapshot::{Batch, Milestone, Snapshot, numbers_of};
use crate::table_input::{KnownSchema, MissingPolicy, Purpose, TableArg};
use crate::thread_pool;
use budgetrs::columns::Columns;
use budgetrs::learner::Counts;
use budgetrs::{CheckedSpec, Error, Learner, Result};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

/// The scores of some rows.
pub(crate) struct Scores {
    pub(crate) numbers: FloatVec,
    pub(crate) rows: usize,
    pub(crate) outputs: usize,
}

impl NativeModel {
    pub(crate) fn learn(&self, x: &Bound<'_, PyAny>, form: Form, batch: &Batch) -> PyResult<()> {
        let given = TableArg::read(x, form)?;
        loop {
            let (input, columns) = self.input(&given, form, Purpose::Learn(batch.weights.as_deref()))?;
            self.warn_of_numerals(x.py(), columns.as_ref())?;
            let learned = match input {
                AnyInput::F32(input) => self.shared.learn(x.py(), &input.rows(), columns.as_ref(), batch)?,
                AnyInput::F64(input) => self.shared.learn(x.py(), &input.rows(), columns.as_ref(), batch)?,
            };
            given.retry_or_fail(learned)?;
            if learned {
                return Ok(());
            }
        }
    }

    /// Learns a batch, and returns what had been counted when `rows` of it were learned.
    pub(crate) fn learn_watched(
        &self,
        x: &Bound<'_, PyAny>,
        mut batch: Batch,
        rows: usize,
    ) -> PyResult<Counts> {
        batch.milestone = Some(Milestone { rows, counts: OnceLock::new() });
        self.learn(x, Form::Batch, &batch)?;
        let counts = batch.milestone.and_then(|milestone| milestone.counts.into_inner());
        Ok(counts.unwrap_or_default())
    }

    pub(crate) fn check(&self, x: &Bound<'_, PyAny>, batch: &Batch) -> PyResult<()> {
        let given = TableArg::read(x, Form::Batch)?;
        loop {
            let (input, columns) =
                self.input(&given, Form::Batch, Purpose::Learn(batch.weights.as_deref()))?;
            let checked = match input {
                AnyInput::F32(input) => self.shared.check(x.py(), &input.rows(), columns.as_ref(), batch)?,
                AnyInput::F64(input) => self.shared.check(x.py(), &input.rows(), columns.as_ref(), batch)?,
            };
            given.retry_or_fail(checked)?;
            if checked {
                return Ok(());
            }
        }
    }

    /// The scores of each row.
    pub(crate) fn scores(&self, x: &Bound<'_, PyAny>, form: Form) -> PyResult<Scores> {
        self.predict::<Scores>(x, form)
    }

    /// The class of each row, by index.
    pub(crate) fn classes(&self, x: &Bound<'_, PyAny>, form: Form) -> PyResult<Vec<u32>> {
        Ok(self.predict::<PredictedClasses>(x, form)?.0)
    }

    /// Whether a label of each row could change the model; before the first row every label can.
    pub(crate) fn needs_label(&self, x: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let learned = self.shared.read_holding_gil(x.py(), |state| {
            state.model.spec.check_needs_label().map_err(to_python)?;
            Ok(state.model.trained.is_some())
        })?;
        if learned {
            Ok(self.predict::<NeededLabels>(x, Form::Batch)?.0)
        } else {
            let given = TableArg::read(x, Form::Batch)?;
            Ok(vec![true; self.input(&given, Form::Batch, Purpose::Predict)?.0.len()])
        }
    }

    /// The probability of each class for each row.
    pub(crate) fn probabilities(&self, x: &Bound<'_, PyAny>) -> PyResult<Scores> {
        self.shared
            .read_holding_gil(x.py(), |state| state.model.spec.check_predict_proba().map_err(to_python))?;
        Ok(self.predict::<Probabilities>(x, Form::Batch)?.0)
    }

    /// The kernel values of each row with the support vectors.
    pub(crate) fn kernel_values(&self, x: &Bound<'_, PyAny>) -> PyResult<Scores> {
        let given = TableArg::read(x, Form::Batch)?;
        match self.input(&given, Form::Batch, Purpose::Predict)?.0 {
            AnyInput::F32(input) => self.kernel_values_of(x.py(), &input),
            AnyInput::F64(input) => self.kernel_values_of(x.py(), &input),
        }
    }

    fn kernel_values_of<T: NumpyFloat>(&self, py: Python<'_>, input: &Input<'_, T>) -> PyResult<Scores> {
        let rows = input.rows();
        self.shared.read(py, |state| {
            let learner: &Learner<T> = T::of(state.trained()?).ok_or_else(|| to_python(other_type()))?;
            let values = learner.kernel_values(&rows).map_err(to_python)?;
            Ok(Scores { numbers: T::numbers(values), rows: rows.len(), outputs: learner.n_support() })
        })
    }

    fn predict<P: Prediction>(&self, x: &Bound<'_, PyAny>, form: Form) -> PyResult<P> {
        let given = TableArg::read(x, form)?;
        loop {
            let (input, columns) = self.input(&given, form, Purpose::Predict)?;
            let predicted = match input {
                AnyInput::F32(input) => self.predict_rows(x.py(), &input, columns.as_ref())?,
                AnyInput::F64(input) => self.predict_rows(x.py(), &input, columns.as_ref())?,
            };
            given.retry_or_fail(predicted.is_some())?;
            if let Some(predicted) = predicted {
                return Ok(predicted);
            }
        }
    }

    /// None where the rows are to be arranged anew: another call has changed the columns.
    fn predict_rows<T: NumpyFloat, P: Prediction>(
        &self,
        py: Python<'_>,
        input: &Input<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> PyResult<Option<P>> {
        let rows = input.rows();
        let all = thread_pool::count(self.n_jobs()).map_err(to_python)?;
        let is_soon = |state: &Snapshot| {
            let learner = state.model.trained.as_ref().and_then(T::of);
            learner.is_some_and(|learner| is_short_score(learner, rows.len(), numbers_of(&rows)))
        };
        self.shared.read_holding_gil_if(py, is_soon, |state| {
            // Threads are not waited for with the interpreter held.
            let threads = if is_soon(state) { 1 } else { all };
            let learner = state.trained()?;
            if columns.is_some_and(|columns| !state.model.has_columns(columns)) {
                return Ok(None);
            }
            let learner: &Learner<T> = T::of(learner).ok_or_else(|| to_python(other_type()))?;
            let named = |error| to_python(state.model.named(error));
            let mut parts = learner.begin_scoring(&rows).map_err(named)?;
            let mut scores = Vec::with_capacity(rows.len() * learner.n_outputs());
            in_slices(rows.len(), |part| {
                let scored = match threads {
                    1 => parts.score(part.len(), &mut scores),
                    _ => thread_pool::run(threads, || parts.score_parallel(part.len(), &mut scores))
                        .and_then(|scored| scored),
                };
                scored.map_err(to_python)
            })?;
            P::from_scores(learner, state.n_labels(), scores).map(Some).map_err(to_python)
        })
    }

    fn spec(&self, py: Python<'_>) -> PyResult<CheckedSpec> {
        self.shared.read_holding_gil(py, |state| Ok(state.model.spec.clone()))
    }

    /// Warns of a column of numerals that came as words, when it has become many features.
    fn warn_of_numerals(&self, py: Python<'_>, columns: Option<&Arc<Columns>>) -> PyResult<()> {
        let Some(columns) = columns.filter(|columns| columns.has_words()) else { return Ok(()) };
        let before = self.shared.read_holding_gil(py, |state| Ok(state.model.columns.clone()))?;
        let folds = self.spec(py)?.spec().hash_features.is_some();
        if folds || before.as_ref().is_some_and(|before| Arc::ptr_eq(before, columns)) {
            return Ok(());
        }
        let before = before.as_deref().filter(|before| before.is_prefix_of(columns));
        let Some((name, words)) = columns.new_numerals(before) else { return Ok(()) };
        let message = format!(
            "the column {name:?} of X has {words} different words, all of them numerals, and each is a feature: make it a \
             column of numbers, leave it out, or fold the features with hash_features"
        );
        let message = CString::new(message).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
    }

    /// The input, in the dtype of the model; before the first batch, in the dtype that the model will get from it.
    /// Where its columns have names, also what a model that learns them knows then.
    fn input<'py>(
        &self,
        given: &TableArg<'py>,
        form: Form,
        aim: Purpose<'_>,
    ) -> PyResult<(AnyInput<'py>, Option<Arc<Columns>>)> {
        let py = given.py();
        let (fixed, columns) = self.shared.read_holding_gil(py, |state| {
            let learned = state.model.trained.as_ref().or(state.model.like.as_deref());
            Ok((learned.map(|any| FloatType::of_name(any.type_name())), state.model.columns.clone()))
        })?;
        input_of(given, form, aim, (fixed, columns), &self.spec(py)?)
    }
}

/// The input, in a dtype that may be fixed already, for models of these columns, if they have names.
pub(crate) fn input_of<'py>(
    given: &TableArg<'py>,
    form: Form,
    aim: Purpose<'_>,
    (fixed, columns): (Option<FloatType>, Option<Arc<Columns>>),
    spec: &CheckedSpec,
) -> PyResult<(AnyInput<'py>, Option<Arc<Columns>>)> {
    let py = given.py();
    match given {
        TableArg::Array(x) => {
            if let (Form::Row, Some(columns)) =
                (form, columns.as_ref().filter(|columns| !columns.has_words()))
            {
                check_names_of_row(x, columns)?;
            }
            let dtype = fixed.map_or_else(|| array_input::dtype_of(x), Ok)?;
            let input = array_input::input(x, form, dtype);
            if let Some(columns) = columns.filter(|columns| columns.has_words()) {
                let folds = spec.spec().hash_features.is_some();
                let fits = |input: &AnyInput<'_>| folds || input.columns() == columns.n_features();
                if !input.as_ref().is_ok_and(fits) {
                    return Err(to_python(only_frames(&columns, form)));
                }
            }
            Ok((input?, None))
        }
        TableArg::Rows(rows) => {
            let array = rows.get().array(py);
            let dtype = fixed.map_or_else(|| array_input::dtype_of(&array), Ok)?;
            Ok((array_input::input(&array, form, dtype)?, Some(Arc::clone(&rows.get().columns))))
        }
        TableArg::Frame(frame) => {
            let known = match columns {
                Some(columns) => KnownSchema::Columns(columns),
                None if fixed.is_some() => KnownSchema::NoNames,
                None => KnownSchema::Nothing,
            };
            frame.align(py, known, aim, MissingPolicy::of(spec), fixed.unwrap_or(frame.dtype))
        }
    }
}

/// Refuses a series whose names are not those of the features, in their order: a row is taken by its order.
fn check_names_of_row(x: &Bound<'_, PyAny>, columns: &Columns) -> PyResult<()> {
    if x.get_type().name()? != "Series" {
        return Ok(());
    }
    let names = x.getattr("index").and_then(|index| index.call_method0("tolist"));
    let Ok(names) = names.and_then(|names| names.extract::<Vec<String>>()) else { return Ok(()) };
    let others = names.iter().zip(columns.names()).find(|(came, known)| came.as_str() != *known);
    let Some((came, known)) = others else { return Ok(()) };
    let expected = "a row in the order of feature_names_: x[model.feature_names_]";
    Err(to_python(Error::parameter(
        "x",
        expected,
        format!("a Series with {came:?} in the place of {known:?}"),
    )))
}

/// The refusal of rows without names by a model of words.
fn only_frames(columns: &Columns, form: Form) -> Error {
    let shown: Vec<_> = columns.names().take(5).map(|name| format!("{name:?}")).collect();
    let more = if columns.names().nth(5).is_some() { ", ..." } else { "" };
    let (columns, numbers) = (shown.join(", "), columns.n_features());
    match form {
        Form::Batch => {
            let expected = format!(
                "a data frame with the columns {columns}{more}, of which some hold words, or {numbers} numbers to the row, by \
                 feature_names_"
            );
            Error::parameter("X", expected, "rows without names")
        }
        Form::Row => {
            let expected = format!(
                "{numbers} numbers, by feature_names_: some of the columns {columns}{more} hold words, which learn and predict \
                 take as a data frame"
            );
            Error::parameter("x", expected, "a row without names")
        }
    }
}

/// What is made of the scores of a batch, by a model that has so many labels: of two classes one may have none yet.
trait Prediction: Sized + Send {
    fn from_scores<T: NumpyFloat>(learner: &Learner<T>, labels: usize, scores: Vec<T>) -> Result<Self>;
}

impl Prediction for Scores {
    fn from_scores<T: NumpyFloat>(learner: &Learner<T>, _labels: usize, scores: Vec<T>) -> Result<Self> {
        let outputs = learner.n_outputs();
        Ok(Self { rows: scores.len() / outputs, outputs, numbers: T::numbers(scores) })
    }
}

struct PredictedClasses(Vec<u32>);

impl Prediction for PredictedClasses {
    fn from_scores<T: NumpyFloat>(learner: &Learner<T>, _labels: usize, scores: Vec<T>) -> Result<Self> {
        Ok(Self(learner.predict_from(&scores)))
    }
}

struct NeededLabels(Vec<bool>);

impl Prediction for NeededLabels {
    fn from_scores<T: NumpyFloat>(learner: &Learner<T>, _labels: usize, scores: Vec<T>) -> Result<Self> {
        learner.needs_label_from(&scores).map(Self)
    }
}

struct Probabilities(Scores);

impl Prediction for Probabilities {
    fn from_scores<T: NumpyFloat>(learner: &Learner<T>, labels: usize, scores: Vec<T>) -> Result<Self> {
        let (rows, outputs) = (scores.len() / learner.n_outputs(), labels);
        let numbers = if labels == 1 { vec![T::ONE; rows] } else { learner.predict_proba_from(&scores)? };
        let numbers = T::numbers(numbers);
        Ok(Self(Scores { numbers, rows, outputs }))
    }
}
