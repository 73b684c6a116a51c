//! Learning and prediction of rows, for both tasks: what the methods of `Classifier` and `Regressor` call.

use crate::array_input::{AlignedRows, InputForm, Purpose, with_rows};
use crate::batch::{OwnedBatch, task_of};
use crate::call_length::is_short_score;
use crate::call_rows::with_aligned;
use crate::error::to_python;
use crate::float_type::{FloatMatrix, FloatType, NumpyFloat};
use crate::named_table::Known;
use crate::native_model::NativeModel;
use crate::shared_model::{learner_of, n_values};
use crate::signals::in_slices;
use crate::thread_pool;
use budgetrs::columns::Columns;
use budgetrs::learner::ScoreSession;
use budgetrs::model::Model;
use budgetrs::{Classes, Error, Learner, Real, Result, Rows, Task};
use pyo3::prelude::*;
use std::sync::Arc;

/// Predicts rows: scores them, and makes the output from the learner, the number of labels (fewer than classes while only
/// one label was seen) and the scores of all rows. With a coverage, the ends of prediction intervals are in the place of
/// the scores.
macro_rules! predict {
    ($model:expr, $x:expr, $form:expr, $coverage:expr, |$learner:pat_param, $labels:pat_param, $scores:pat_param| $output:expr) => {
        $model.with_input($x, $form, Purpose::Predict, |AlignedRows { input, columns }| {
            with_rows!(input.rows(), rows => {
                let finish = |$learner: &Learner<_>, $labels: usize, $scores: Vec<_>| $output;
                $model.predict_rows($x.py(), (&rows, columns.as_ref()), $coverage, finish)
            })
        })
    };
}

impl NativeModel {
    /// Learns rows.
    pub(crate) fn learn(
        slf: &Bound<'_, Self>,
        x: &Bound<'_, PyAny>,
        form: InputForm,
        batch: &OwnedBatch,
    ) -> PyResult<()> {
        let (this, py) = (slf.get(), slf.py());
        let weights = this.shared.read_holding_gil(py, |model| batch.row_weights(&model.spec))?;
        let purpose = batch.purpose(weights.as_deref());
        this.with_input(x, form, purpose, |AlignedRows { input, columns }| {
            let (columns, are_private) = (columns.as_ref(), input.is_private);
            this.warn_of_categories(py, columns, input.rows().len() as u64)?;
            with_rows!(input.rows(), rows => {
                let learned = this.shared.learn(py, (&rows, are_private), columns, batch)?;
                if learned.is_some() {
                    Self::warn_of_kernel_values(slf, &rows)?;
                    Self::warn_after_learning(slf, Some(input.rows()), batch.recorded.get().copied())?;
                }
                Ok(learned)
            })
        })
    }

    pub(crate) fn task(&self, py: Python<'_>) -> PyResult<Task> {
        self.shared.read_holding_gil(py, |model| Ok(task_of(&model.spec)))
    }

    pub(crate) fn check(&self, x: &Bound<'_, PyAny>, batch: &OwnedBatch) -> PyResult<()> {
        let weights = self.shared.read_holding_gil(x.py(), |model| batch.row_weights(&model.spec))?;
        let purpose = batch.purpose(weights.as_deref());
        self.with_input(x, InputForm::Batch, purpose, |AlignedRows { input, columns }| {
            let columns = columns.as_ref();
            with_rows!(input.rows(), rows => self.shared.read(x.py(), |model| {
                let fits = columns.is_none_or(|columns| model.can_continue_with(columns));
                let validate = || model.validate(&rows, columns, &batch.as_core()).map_err(to_python);
                fits.then(validate).transpose()
            }))
        })
    }

    /// The scores of each row.
    pub(crate) fn scores(&self, x: &Bound<'_, PyAny>, form: InputForm) -> PyResult<FloatMatrix> {
        predict!(self, x, form, None, |learner, _, scores| {
            let shape = [scores.len() / learner.n_outputs(), learner.n_outputs()];
            Ok(NumpyFloat::matrix(scores, shape))
        })
    }

    /// The index of the class of each row.
    pub(crate) fn classes(&self, x: &Bound<'_, PyAny>, form: InputForm) -> PyResult<Vec<u32>> {
        predict!(self, x, form, None, |learner, _, scores| Ok(learner.predict_from(&scores)))
    }

    /// Whether the label of each row could change the model. Before the first row every label can.
    pub(crate) fn needs_label(&self, x: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let has_learned = self.shared.read_holding_gil(x.py(), |model| {
            model.spec.check_needs_label().map_err(to_python)?;
            Ok(model.trained.is_some())
        })?;
        if has_learned {
            return predict!(self, x, InputForm::Batch, None, |learner, _, scores| learner
                .needs_label_from(&scores));
        }
        let needed = |aligned: &AlignedRows<'_>| Ok(Some(vec![true; aligned.input.rows().len()]));
        self.with_input(x, InputForm::Batch, Purpose::Predict, needed)
    }

    /// The probability of each class for each row.
    pub(crate) fn probabilities(&self, x: &Bound<'_, PyAny>, form: InputForm) -> PyResult<FloatMatrix> {
        self.shared.read_holding_gil(x.py(), |model| model.spec.check_predict_proba().map_err(to_python))?;
        predict!(self, x, form, None, |learner, outputs, scores| {
            let rows = scores.len() / learner.n_outputs();
            let ones = |rows| vec![Real::from_f64(1.0); rows];
            let values = if outputs == 1 { ones(rows) } else { learner.predict_proba_from(&scores)? };
            Ok(NumpyFloat::matrix(values, [rows, outputs]))
        })
    }

    /// Lower and upper end of the prediction interval of each row.
    pub(crate) fn intervals(&self, x: &Bound<'_, PyAny>, coverage: f64) -> PyResult<FloatMatrix> {
        let check = |model: &Model| model.spec.check_predict_interval(coverage).map_err(to_python);
        self.shared.read_holding_gil(x.py(), check)?;
        predict!(self, x, InputForm::Batch, Some(coverage), |_, _, ends| {
            let shape = [ends.len() / 2, 2];
            Ok(NumpyFloat::matrix(ends, shape))
        })
    }

    /// The prediction set of each row.
    pub(crate) fn sets(&self, x: &Bound<'_, PyAny>, coverage: f64) -> PyResult<(Vec<bool>, usize)> {
        let check = |model: &Model| model.spec.check_predict_set(coverage).map_err(to_python);
        self.shared.read_holding_gil(x.py(), check)?;
        predict!(self, x, InputForm::Batch, None, |learner, classes, scores| {
            let members = learner.predict_set_from(&scores, coverage)?;
            let rows = scores.len() / learner.n_outputs();
            Ok((if classes == 1 { vec![true; rows] } else { members }, classes))
        })
    }

    /// The kernel values of each row with the support vectors.
    pub(crate) fn kernel_values(&self, x: &Bound<'_, PyAny>) -> PyResult<FloatMatrix> {
        self.with_input(x, InputForm::Batch, Purpose::Predict, |aligned| {
            with_rows!(aligned.input.rows(), rows => self.shared.read(x.py(), |model| {
                let learner = typed_learner(model)?;
                let values = learner.kernel_values(&rows).map_err(to_python)?;
                Ok(Some(NumpyFloat::matrix(values, [rows.len(), learner.n_support()])))
            }))
        })
    }

    /// Predicts aligned rows. None: another call has changed the columns, so align the rows again.
    fn predict_rows<T: NumpyFloat, R: Send>(
        &self,
        py: Python<'_>,
        (rows, columns): (&Rows<'_, T>, Option<&Arc<Columns>>),
        coverage: Option<f64>,
        finish: impl FnOnce(&Learner<T>, usize, Vec<T>) -> Result<R> + Send,
    ) -> PyResult<Option<R>> {
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
            let session = match coverage {
                Some(coverage) => learner.begin_intervals(rows, coverage),
                None => learner.begin_scoring(rows),
            };
            let session = session.map_err(|error| to_python(model.with_column_name(error)))?;
            let values = values_of(session, n_threads)?;
            let n_labels = model.classes.as_ref().map_or(0, Classes::len);
            finish(learner, n_labels, values).map(Some).map_err(to_python)
        })
    }

    /// What the model knows before a call about the rows of the call.
    pub(crate) fn known(&self, py: Python<'_>) -> PyResult<Known<'_>> {
        self.shared.read_holding_gil(py, |model| {
            let float_type = model.learner().map(|learner| FloatType::of_name(learner.type_name()));
            let known = (float_type, model.columns.clone());
            Ok(Known { can_add_columns: true, ..Known::new(&model.spec, known, &self.warnings) })
        })
    }

    /// Calls `job` with the rows of an argument, again where another call has changed the columns meanwhile.
    pub(crate) fn with_input<'py, R>(
        &self,
        x: &Bound<'py, PyAny>,
        form: InputForm,
        purpose: Purpose<'_>,
        job: impl Fn(&AlignedRows<'py>) -> PyResult<Option<R>>,
    ) -> PyResult<R> {
        with_aligned((x, form), purpose, || self.known(x.py()), job)
    }
}

pub(crate) fn typed_learner<T: NumpyFloat>(model: &Model) -> PyResult<&Learner<T>> {
    let reason = "another call fixed a different float type for this model; try again";
    T::get(learner_of(model)?).ok_or_else(|| to_python(Error::State(reason.into())))
}

/// The values of a session, computed in slices, with polls for signals in between.
fn values_of<T: NumpyFloat>(mut session: ScoreSession<'_, '_, T>, n_threads: usize) -> PyResult<Vec<T>> {
    let mut values = Vec::with_capacity(session.remaining() * session.values_per_row());
    in_slices(session.remaining(), |slice| {
        let scored = match n_threads {
            1 => session.score(slice, &mut values),
            _ => thread_pool::run(n_threads, || session.score_parallel(slice, &mut values)),
        };
        scored.map_err(to_python)
    })?;
    Ok(values)
}
