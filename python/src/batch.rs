//! What comes with the rows of a batch, converted from Python, and the loop that learns it.

use crate::array_input::{self, Purpose};
use crate::error::to_python;
use crate::float_type::NumpyFloat;
use crate::labels;
use crate::signals::{SignalPoll, in_slices};
use budgetrs::columns::Columns;
use budgetrs::learner::{Counts, LearnSession};
use budgetrs::model::{Batch, Fit, FitObserver, Model, Pass, RawTargets};
use budgetrs::{CheckedSpec, Error, Labels, Learner, Rows, Task};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// The smallest batch whose errors in the middle are recorded.
const MIN_ROWS_WITH_MIDDLE: usize = 1000;

/// Classification; any number of classes compares equal.
pub(crate) const CLASSES: Task = Task::Classes(2);

/// The task of a model with these parameters.
pub(crate) fn task_of(spec: &CheckedSpec) -> Task {
    if spec.spec().loss.is_regression() { Task::Regression } else { CLASSES }
}

/// Targets and weights of the rows of a batch.
#[derive(Default)]
pub(crate) struct OwnedBatch {
    pub(crate) targets: OwnedTargets,
    pub(crate) weights: Option<Vec<f64>>,
    /// Whether the rows were learned before.
    pub(crate) repeated: bool,
    /// Whether new columns become features.
    pub(crate) add_features: bool,
    /// Several passes over the rows instead of one.
    pub(crate) fitting: Option<Fitting>,
    /// The errors in the middle of a large batch.
    pub(crate) recorded: OnceLock<Errors>,
}

/// Targets of classification or regression.
pub(crate) enum OwnedTargets {
    Labels { y: Labels, classes: Option<Labels> },
    Values(Vec<f64>),
}

impl Default for OwnedTargets {
    fn default() -> Self {
        Self::Values(Vec::new())
    }
}

/// Several passes over the rows.
pub(crate) struct Fitting {
    pub(crate) fit: Fit,
    /// Called after each pass. Without it, a model that has learned rows raises an error.
    pub(crate) on_pass: Option<Py<PyAny>>,
}

impl OwnedBatch {
    /// Reads the targets of a task, and their weights.
    pub(crate) fn read(
        task: Task,
        y: &Bound<'_, PyAny>,
        classes: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let targets = match task {
            Task::Classes(_) => {
                let classes = classes.map(|classes| labels::read("classes", classes)).transpose()?;
                OwnedTargets::Labels { classes, y: labels::read("y", y)? }
            }
            Task::Regression => OwnedTargets::Values(array_input::read_floats("y", y)?),
        };
        let weights =
            weights.map(|weights| array_input::read_floats("sample_weight", weights)).transpose()?;
        Ok(Self { targets, weights, ..Self::default() })
    }

    /// The weight of each row, times the weight of its class.
    pub(crate) fn row_weights(&self, spec: &CheckedSpec) -> PyResult<Option<Cow<'_, [f64]>>> {
        self.as_core().row_weights(&spec.spec().class_weight).map_err(to_python)
    }

    /// What the call does with its rows, which have these weights.
    pub(crate) fn purpose<'a>(&self, row_weights: Option<&'a [f64]>) -> Purpose<'a> {
        Purpose::Learn { weights: row_weights, add_features: self.add_features }
    }

    /// The batch as the core takes it.
    pub(crate) fn as_core(&self) -> Batch<'_> {
        let targets = match &self.targets {
            OwnedTargets::Labels { y, classes } => RawTargets::Labels { y, classes: classes.as_ref() },
            OwnedTargets::Values(values) => RawTargets::Values(values),
        };
        Batch {
            targets,
            weights: self.weights.as_deref(),
            order: None,
            repeated: self.repeated,
            add_features: self.add_features,
        }
    }

    /// Learns the batch. Invalid rows leave the model as it was; Ctrl-C leaves the rows
    /// learned so far.
    pub(crate) fn learn<T: NumpyFloat>(
        &self,
        model: &mut Model,
        (rows, are_private): (&Rows<'_, T>, bool),
        columns: Option<&Arc<Columns>>,
    ) -> PyResult<()> {
        let Some(fitting) = &self.fitting else {
            let learn = |session: &mut LearnSession<'_, '_, T>| {
                let rows = session.remaining();
                if rows >= MIN_ROWS_WITH_MIDDLE {
                    learn_slices(session, rows / 2, are_private)?;
                    self.record_errors(session);
                }
                learn_slices(session, session.remaining(), are_private)
            };
            return model.learn_with(rows, columns, &self.as_core(), learn).map_err(to_python)?;
        };
        if model.trained.is_some() && fitting.on_pass.is_none() {
            let reason = "fit needs a new model: this one has learned rows; create another one, or continue with learn";
            return Err(to_python(Error::State(reason.into())));
        }
        let on_pass = fitting.on_pass.as_ref();
        let signals = SignalPoll::default();
        let mut watch = Watch { batch: self, are_private, on_pass, signals, outcome: Ok(()) };
        model.fit(rows, columns, &self.as_core(), fitting.fit, &mut watch).map_err(to_python)?;
        watch.outcome
    }

    /// Records the errors so far, unless errors are recorded.
    fn record_errors<T: NumpyFloat>(&self, session: &LearnSession<'_, '_, T>) {
        self.recorded.get_or_init(|| errors(session.learner()));
    }
}

/// The number of rows learned for the first time, and the sums of the squared errors of the model, of the previous target
/// and of the mean target over these rows.
pub(crate) type Errors = (u64, f64, f64, f64);

pub(crate) fn errors<T: NumpyFloat>(learner: &Learner<T>) -> Errors {
    let (counts, baselines) = (learner.counts(), learner.baselines());
    (counts.n_new, counts.squared_error, baselines.no_change, baselines.constant)
}

/// The rows seen, the updates, and the sums of mistakes, squared and absolute errors.
pub(crate) type Counters = (u64, u64, (u64, f64, f64));

pub(crate) fn counters(counts: &Counts) -> Counters {
    (counts.n_seen, counts.updates, (counts.mistakes, counts.squared_error, counts.absolute_error))
}

/// Learns the next `rows` rows. Ctrl-C ends the session.
fn learn_slices<T: NumpyFloat>(
    session: &mut LearnSession<'_, '_, T>,
    rows: usize,
    are_private: bool,
) -> PyResult<()> {
    in_slices(rows, |slice| {
        if are_private {
            session.learn(slice);
            return Ok(());
        }
        // Another thread may have written to the rows since they were checked.
        session.learn_copies(slice).map_err(to_python)
    })
}

/// Polls for Ctrl-C during a fit, and calls back after each pass.
struct Watch<'a> {
    batch: &'a OwnedBatch,
    are_private: bool,
    on_pass: Option<&'a Py<PyAny>>,
    signals: SignalPoll,
    outcome: PyResult<()>,
}

impl Watch<'_> {
    fn end_if_failed(&mut self, outcome: PyResult<()>) -> ControlFlow<()> {
        self.outcome = outcome;
        if self.outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl<T: NumpyFloat> FitObserver<T> for Watch<'_> {
    fn learn(&mut self, session: &mut LearnSession<'_, '_, T>, rows: usize) -> ControlFlow<()> {
        let learned = learn_slices(session, rows, self.are_private);
        // The first call ends in the middle of the first pass.
        self.batch.record_errors(session);
        self.end_if_failed(learned)
    }

    fn pass_ended(&mut self, pass: &Pass<'_>) -> ControlFlow<()> {
        let Some(on_pass) = self.on_pass else { return ControlFlow::Continue(()) };
        let called = Python::attach(|py| {
            let order = PyArray1::from_iter(py, pass.order.iter().map(|row| *row as i64));
            let (halfway, end) = (counters(&pass.halfway), counters(&pass.counts));
            on_pass.call1(py, (pass.number, pass.max_passes, order, halfway, end, pass.n_support)).map(drop)
        });
        self.end_if_failed(called)
    }

    fn between_steps(&mut self) -> ControlFlow<()> {
        let polled = self.signals.poll();
        self.end_if_failed(polled)
    }
}
