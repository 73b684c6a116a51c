//! Learning and prediction of rows, for both tasks: what the methods of `Classifier` and `Regressor` call.

use crate::array_input::{AlignedInput, AnyInput, InputForm, Purpose, with_rows};
use crate::batch::OwnedBatch;
use crate::error::{error_of_row, parameter_error, to_python};
use crate::float_type::{FloatType, FloatVec, NumpyFloat, other_float_type, with_learner};
use crate::gil::is_short_score;
use crate::named_rows::NamedRows;
use crate::native_model::NativeModel;
use crate::shared_model::{learner_of, n_values};
use crate::signals::in_slices;
use crate::table_input::TableArg;
use crate::thread_pool;
use budgetrs::columns::Columns;
use budgetrs::learner::ScoreSession;
use budgetrs::model::{AnyLearner, Model};
use budgetrs::{Classes, Learner, Result, Rows};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The error about new columns, with the option that adds them.
fn with_hint_of_new_columns(py: Python<'_>, error: PyErr, form: InputForm) -> PyErr {
    let message = error.value(py).to_string();
    if !message.contains("got the new columns") {
        return error;
    }
    let (name, method) = match form {
        InputForm::Batch => ("X", "learn"),
        InputForm::Row => ("x", "learn_one"),
    };
    parameter_error(
        &format!("{message}; {method}(..., add_features=True) adds new columns"),
        Some(name),
        None,
    )
}

/// Scores, or other floats of which there are several per row.
pub(crate) struct ScoreMatrix {
    pub(crate) values: FloatVec,
    pub(crate) rows: usize,
    pub(crate) outputs: usize,
}

/// Whether each class belongs to the prediction set of a row.
pub(crate) struct SetMatrix {
    pub(crate) members: Vec<bool>,
    pub(crate) classes: usize,
}

impl NativeModel {
    pub(crate) fn learn(
        slf: &Bound<'_, Self>,
        x: &Bound<'_, PyAny>,
        form: InputForm,
        batch: &OwnedBatch,
    ) -> PyResult<()> {
        let (this, py) = (slf.get(), slf.py());
        let weights = this.row_weights(py, batch)?;
        let purpose = batch.purpose(weights.as_deref());
        // Parts of a table may have the categories of the whole table.
        let table_rows = x.cast::<NamedRows>().ok().map(|rows| rows.get().table_rows);
        this.with_input(x, form, purpose, |input, columns| {
            this.warn_of_categories(py, columns, table_rows.unwrap_or(input.rows().len() as u64))?;
            let are_private = input.is_private();
            with_rows!(input.rows(), rows => {
                let learned = this.shared.learn(py, (&rows, are_private), columns, batch)?;
                if learned.is_some() {
                    Self::warn_of_kernel_values(slf, &rows)?;
                    this.warn_of_repeated_outliers(py, Some(input.rows()))?;
                    this.warn_of_runs(py, rows.len() as u64)?;
                    this.warn_of_previous_target(py, batch.recorded_errors())?;
                }
                Ok(learned)
            })
        })
        .map_err(|error| {
            if batch.add_features { error } else { with_hint_of_new_columns(py, error, form) }
        })?;
        this.warn_of_labels(py)
    }

    /// Warns once per model, after the first batch of at least 30 rows that leaves 10 support vectors, if nearly all
    /// kernel values are 0 or 1.
    fn warn_of_kernel_values<T: NumpyFloat>(slf: &Bound<'_, Self>, rows: &Rows<'_, T>) -> PyResult<()> {
        let (this, py) = (slf.get(), slf.py());
        if rows.len() < 30 || this.warnings.has_checked_kernel.load(Ordering::Relaxed) {
            return Ok(());
        }
        // None if all weights are 0.
        let n_support = |any: &AnyLearner| with_learner!(any, l => l.n_support());
        let vectors = this.shared.read(py, |model| Ok(model.learner().map(n_support)))?;
        if vectors.is_none_or(|vectors| vectors < 10) {
            return Ok(());
        }
        this.warnings.has_checked_kernel.store(true, Ordering::Relaxed);
        let check = py.import("budgetrs._kernel_values")?;
        let order: Vec<usize> = check.call_method1("sample", (slf, rows.len()))?.extract()?;
        if order.is_empty() {
            return Ok(());
        }
        let basis = this.basis_of(py, rows, &order)?;
        let basis = basis.values.into_array(py, [basis.rows, basis.outputs])?;
        check.call_method1("warn_of_basis", (slf, basis)).map(drop)
    }

    pub(crate) fn validate(&self, x: &Bound<'_, PyAny>, batch: &OwnedBatch) -> PyResult<()> {
        let weights = self.row_weights(x.py(), batch)?;
        let purpose = batch.purpose(weights.as_deref());
        self.with_input(x, InputForm::Batch, purpose, |input, columns| {
            with_rows!(input.rows(), rows => self.shared.validate(x.py(), &rows, columns, batch))
        })
    }

    /// The weight of each row of a batch, times the weight of its class.
    pub(crate) fn row_weights<'a>(
        &self,
        py: Python<'_>,
        batch: &'a OwnedBatch,
    ) -> PyResult<Option<Cow<'a, [f64]>>> {
        self.shared.read_holding_gil(py, |model| batch.row_weights(&model.spec))
    }

    /// The scores of each row.
    pub(crate) fn scores(&self, x: &Bound<'_, PyAny>, form: InputForm) -> PyResult<ScoreMatrix> {
        self.predict(x, form, Scores)
    }

    /// The index of the class of each row.
    pub(crate) fn classes(&self, x: &Bound<'_, PyAny>, form: InputForm) -> PyResult<Vec<u32>> {
        self.predict(x, form, PredictedClasses)
    }

    /// Whether the label of each row could change the model. Before the first row every label can.
    pub(crate) fn needs_label(&self, x: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let has_learned = self.shared.read_holding_gil(x.py(), |model| {
            model.spec.check_needs_label().map_err(to_python)?;
            Ok(model.trained.is_some())
        })?;
        if has_learned {
            return self.predict(x, InputForm::Batch, NeededLabels);
        }
        let needed = |input: &AnyInput<'_>, _: Option<&_>| Ok(Some(vec![true; input.rows().len()]));
        self.with_input(x, InputForm::Batch, Purpose::Predict, needed)
    }

    /// The probability of each class for each row.
    pub(crate) fn probabilities(&self, x: &Bound<'_, PyAny>, form: InputForm) -> PyResult<ScoreMatrix> {
        self.shared.read_holding_gil(x.py(), |model| model.spec.check_predict_proba().map_err(to_python))?;
        self.predict(x, form, Probabilities)
    }

    /// Lower and upper end of the prediction interval of each row.
    pub(crate) fn intervals(&self, x: &Bound<'_, PyAny>, coverage: f64) -> PyResult<ScoreMatrix> {
        let check = |model: &Model| model.spec.check_predict_interval(coverage).map_err(to_python);
        self.shared.read_holding_gil(x.py(), check)?;
        self.predict(x, InputForm::Batch, Intervals { coverage })
    }

    /// The prediction set of each row.
    pub(crate) fn sets(&self, x: &Bound<'_, PyAny>, coverage: f64) -> PyResult<SetMatrix> {
        let check = |model: &Model| model.spec.check_predict_set(coverage).map_err(to_python);
        self.shared.read_holding_gil(x.py(), check)?;
        self.predict(x, InputForm::Batch, Sets { coverage })
    }

    /// The kernel values of each row with the support vectors.
    pub(crate) fn kernel_values(&self, x: &Bound<'_, PyAny>) -> PyResult<ScoreMatrix> {
        self.with_input(
            x,
            InputForm::Batch,
            Purpose::Predict,
            |input, _| with_rows!(input.rows(), rows => self.kernel_values_of(x.py(), &rows).map(Some)),
        )
    }

    fn kernel_values_of<T: NumpyFloat>(&self, py: Python<'_>, rows: &Rows<'_, T>) -> PyResult<ScoreMatrix> {
        self.shared.read(py, |model| {
            let learner = typed_learner::<T>(model)?;
            let values = T::float_vec(learner.kernel_values(rows).map_err(to_python)?);
            Ok(ScoreMatrix { values, rows: rows.len(), outputs: learner.n_support() })
        })
    }

    fn basis_of<T: NumpyFloat>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_, T>,
        order: &[usize],
    ) -> PyResult<ScoreMatrix> {
        self.shared.read(py, |model| {
            let learner = typed_learner::<T>(model)?;
            let values = T::float_vec(learner.basis(rows, order).map_err(to_python)?);
            Ok(ScoreMatrix { values, rows: order.len(), outputs: learner.n_basis() })
        })
    }

    fn predict<P: Prediction>(&self, x: &Bound<'_, PyAny>, form: InputForm, what: P) -> PyResult<P::Output> {
        self.with_input(
            x,
            form,
            Purpose::Predict,
            |input, columns| with_rows!(input.rows(), rows => self.predict_rows(x.py(), &rows, columns, what)),
        )
    }

    /// Predicts aligned rows. None: another call has changed the columns, so align the rows again.
    fn predict_rows<T: NumpyFloat, P: Prediction>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        what: P,
    ) -> PyResult<Option<P::Output>> {
        let n_threads = thread_pool::n_threads(self.n_jobs()).map_err(to_python)?;
        let is_short = |model: &Model| {
            let learner = model.trained.as_ref().and_then(T::get);
            learner.is_some_and(|learner| is_short_score(learner, rows.len(), n_values(rows)))
        };
        self.shared.read_holding_gil_if(py, is_short, |model| {
            learner_of(model)?;
            if columns.is_some_and(|columns| !model.has_columns(columns)) {
                return Ok(None);
            }
            let learner = typed_learner::<T>(model)?;
            // A call that holds the GIL must not wait for threads.
            let n_threads = if is_short(model) { 1 } else { n_threads };
            let session =
                what.begin(learner, rows).map_err(|error| to_python(model.with_column_name(error)))?;
            let values = values_of(session, n_threads)?;
            let n_labels = model.classes.as_ref().map_or(0, Classes::len);
            what.finish(learner, n_labels, values).map(Some).map_err(to_python)
        })
    }

    /// Calls `job` with the rows of an argument, again where another call has changed the columns meanwhile.
    pub(crate) fn with_input<'py, R>(
        &self,
        x: &Bound<'py, PyAny>,
        form: InputForm,
        purpose: Purpose<'_>,
        job: impl Fn(&AnyInput<'py>, Option<&Arc<Columns>>) -> PyResult<Option<R>>,
    ) -> PyResult<R> {
        let done = TableArg::read(x, form)?.retry_or_fail(|rows| self.align(rows, form, purpose), job);
        match form {
            InputForm::Batch => done,
            InputForm::Row => done.map_err(|error| error_of_row(x.py(), error)),
        }
    }

    /// Aligns rows with the columns of the model, and converts them to its float type, where it has these.
    fn align<'py>(
        &self,
        rows: &TableArg<'py>,
        form: InputForm,
        purpose: Purpose<'_>,
    ) -> PyResult<AlignedInput<'py>> {
        let (known, spec) = self.shared.read_holding_gil(rows.py(), |model| {
            let learner = model.learner();
            let float_type = learner.map(|learner| FloatType::of_name(learner.type_name()));
            Ok(((float_type, model.columns.clone()), model.spec.clone()))
        })?;
        rows.align(form, purpose, known, &spec, &self.warnings.unseen)
    }
}

pub(crate) fn typed_learner<T: NumpyFloat>(model: &Model) -> PyResult<&Learner<T>> {
    T::get(learner_of(model)?).ok_or_else(|| to_python(other_float_type()))
}

/// The values of a session, computed in slices, with polls for signals in between.
fn values_of<T: NumpyFloat>(mut session: ScoreSession<'_, '_, T>, n_threads: usize) -> PyResult<Vec<T>> {
    let mut values = Vec::with_capacity(session.remaining() * session.values_per_row());
    in_slices(session.remaining(), |slice| {
        let scored = match n_threads {
            1 => session.score(slice, &mut values),
            _ => thread_pool::run(n_threads, || session.score_parallel(slice, &mut values))
                .and_then(|scored| scored),
        };
        scored.map_err(to_python)
    })?;
    Ok(values)
}

/// A kind of prediction, such as scores or intervals.
trait Prediction: Copy + Sync {
    type Output: Send;

    /// Starts the computation of the values that the output is made from, by default of scores.
    fn begin<'l, 'r, T: NumpyFloat>(
        self,
        learner: &'l Learner<T>,
        rows: &Rows<'r, T>,
    ) -> Result<ScoreSession<'l, 'r, T>> {
        learner.begin_scoring(rows)
    }

    /// Makes the output of a model with `n_labels` labels: fewer than classes while only one label was seen.
    fn finish<T: NumpyFloat>(
        self,
        learner: &Learner<T>,
        n_labels: usize,
        values: Vec<T>,
    ) -> Result<Self::Output>;
}

#[derive(Clone, Copy)]
struct Scores;

impl Prediction for Scores {
    type Output = ScoreMatrix;

    fn finish<T: NumpyFloat>(self, learner: &Learner<T>, _: usize, scores: Vec<T>) -> Result<ScoreMatrix> {
        let outputs = learner.n_outputs();
        Ok(ScoreMatrix { rows: scores.len() / outputs, outputs, values: T::float_vec(scores) })
    }
}

/// The index of the class of each row.
#[derive(Clone, Copy)]
struct PredictedClasses;

impl Prediction for PredictedClasses {
    type Output = Vec<u32>;

    fn finish<T: NumpyFloat>(self, learner: &Learner<T>, _: usize, scores: Vec<T>) -> Result<Vec<u32>> {
        Ok(learner.predict_from(&scores))
    }
}

#[derive(Clone, Copy)]
struct NeededLabels;

impl Prediction for NeededLabels {
    type Output = Vec<bool>;

    fn finish<T: NumpyFloat>(self, learner: &Learner<T>, _: usize, scores: Vec<T>) -> Result<Vec<bool>> {
        learner.needs_label_from(&scores)
    }
}

#[derive(Clone, Copy)]
struct Probabilities;

impl Prediction for Probabilities {
    type Output = ScoreMatrix;

    fn finish<T: NumpyFloat>(
        self,
        learner: &Learner<T>,
        n_labels: usize,
        scores: Vec<T>,
    ) -> Result<ScoreMatrix> {
        let rows = scores.len() / learner.n_outputs();
        let values = if n_labels == 1 { vec![T::ONE; rows] } else { learner.predict_proba_from(&scores)? };
        Ok(ScoreMatrix { values: T::float_vec(values), rows, outputs: n_labels })
    }
}

/// Lower and upper end for each row.
#[derive(Clone, Copy)]
struct Intervals {
    coverage: f64,
}

impl Prediction for Intervals {
    type Output = ScoreMatrix;

    fn begin<'l, 'r, T: NumpyFloat>(
        self,
        learner: &'l Learner<T>,
        rows: &Rows<'r, T>,
    ) -> Result<ScoreSession<'l, 'r, T>> {
        learner.begin_intervals(rows, self.coverage)
    }

    fn finish<T: NumpyFloat>(self, _: &Learner<T>, _: usize, ends: Vec<T>) -> Result<ScoreMatrix> {
        Ok(ScoreMatrix { rows: ends.len() / 2, outputs: 2, values: T::float_vec(ends) })
    }
}

/// Whether each class belongs to the set of a row.
#[derive(Clone, Copy)]
struct Sets {
    coverage: f64,
}

impl Prediction for Sets {
    type Output = SetMatrix;

    fn finish<T: NumpyFloat>(
        self,
        learner: &Learner<T>,
        n_labels: usize,
        scores: Vec<T>,
    ) -> Result<SetMatrix> {
        let members = learner.predict_set_from(&scores, self.coverage)?;
        let members = if n_labels == 1 { vec![true; scores.len() / learner.n_outputs()] } else { members };
        Ok(SetMatrix { members, classes: n_labels })
    }
}
