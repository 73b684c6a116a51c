//! `KeyedModels`: what `budgetrs.KeyedModels` calls.

use crate::arguments::{Argument, FilePath, Jobs, Memory};
use crate::array_input::{AnyInput, FloatType, Form};
use crate::arrays;
use crate::classifier::Classifier;
use crate::error::{guard, to_python};
use crate::float_type::{FloatVec, NumpyFloat};
use crate::labels;
use crate::methods::input_of;
use crate::native_model::NativeModel;
use crate::regressor::Regressor;
use crate::signals::SignalPoll;
use crate::table_input::{Purpose, TableArg};
use crate::thread_pool;
use crate::writer_lock::WriterLock;
use budgetrs::columns::Columns;
use budgetrs::keyed::{Key, KeyedModels as Core, Keys};
use budgetrs::model::{Batch, RawTargets};
use budgetrs::{CheckedSpec, Error, RawLabels, Result, Rows};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

/// Rows of a call that is over before anybody would stop it, or other threads could help.
const SOON: usize = 256;

/// One model to the key; see `budgetrs.KeyedModels`.
#[pyclass(frozen, subclass, module = "budgetrs._core")]
pub(crate) struct KeyedModels {
    turn: WriterLock,
    /// Taken by the holder of the turn alone, so nobody waits for it.
    inner: Mutex<Core>,
    threads: usize,
    spec: CheckedSpec,
}

/// Targets as they came.
enum Targets {
    Labels(RawLabels),
    Values(Vec<f64>),
}

#[pymethods]
impl KeyedModels {
    #[new]
    #[pyo3(signature = (begin, *, memory, spill_folder, n_jobs))]
    fn new(
        begin: &Bound<'_, NativeModel>,
        memory: Argument<Memory>,
        spill_folder: Option<PathBuf>,
        n_jobs: Argument<Jobs>,
    ) -> PyResult<Self> {
        let model = begin.get().shared.read(begin.py(), |state| Ok(state.model.clone()))?;
        Self::of(Core::new(model).map_err(to_python)?, memory.0.0, spill_folder, n_jobs.0)
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, memory, spill_folder, n_jobs))]
    fn load(
        py: Python<'_>,
        path: Argument<FilePath>,
        memory: Argument<Memory>,
        spill_folder: Option<PathBuf>,
        n_jobs: Argument<Jobs>,
    ) -> PyResult<Self> {
        let models = py.detach(|| guard(|| Core::load(path.0).map_err(to_python)))?;
        Self::of(models, memory.0.0, spill_folder, n_jobs.0)
    }

    #[getter]
    fn regression(&self) -> bool {
        self.spec.spec().loss.is_regression()
    }

    /// Learn rows, each by the model of its key.
    #[pyo3(signature = (X, y, keys, sample_weight = None))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn learn(
        &self,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        keys: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let keys = read_keys(keys)?;
        let weights = sample_weight.map(|weights| arrays::read("sample_weight", weights)).transpose()?;
        let y = if self.regression() {
            Targets::Values(arrays::read("y", y)?)
        } else {
            Targets::Labels(labels::read("y", y)?)
        };
        let targets = match &y {
            Targets::Labels(y) => RawTargets::Labels { y, classes: None },
            Targets::Values(y) => RawTargets::Values(y),
        };
        let batch = Batch { targets, weights: weights.as_deref(), order: None };
        let given = TableArg::read(X, Form::Batch)?;
        loop {
            let (input, columns) = self.input(&given, Purpose::Learn(weights.as_deref()))?;
            let columns = columns.as_ref();
            let learned = match input {
                AnyInput::F32(input) => self.learn_rows(X.py(), &keys, &input.rows(), columns, &batch)?,
                AnyInput::F64(input) => self.learn_rows(X.py(), &keys, &input.rows(), columns, &batch)?,
            };
            given.retry_or_fail(learned)?;
            if learned {
                return Ok(());
            }
        }
    }

    /// Predict labels, or numbers in regression.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn predict<'py>(&self, X: &Bound<'py, PyAny>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.regression() {
            return self.scores(X, keys, false)?.0.into_vector(X.py()).call_method0("ravel");
        }
        let keys = read_keys(keys)?;
        let predicted: Predicted<RawLabels> = self.ask(
            X,
            |models, rows, columns| models.predict(&keys, rows, columns),
            |models, rows, columns| models.predict(&keys, rows, columns),
        )?;
        labels::labels_array(X.py(), &predicted.made)
    }

    /// Score rows; of classes that were given.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn decision_function<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (numbers, rows, outputs) = self.scores(X, keys, false)?;
        if outputs == 1 {
            Ok(numbers.into_vector(X.py()))
        } else {
            numbers.into_array(X.py(), [rows, outputs])
        }
    }

    /// Probabilities of classes that were given.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn predict_proba<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (numbers, rows, outputs) = self.scores(X, keys, true)?;
        numbers.into_array(X.py(), [rows, outputs])
    }

    /// Return a copy of the model of a key, or None.
    fn get(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let Some(key) = read_key(key)? else { return Ok(None) };
        let Some(model) = self.with(py, 1, |models, _| models.get(&key))? else { return Ok(None) };
        let regression = self.regression();
        let native = NativeModel::new(model, None)?;
        Ok(Some(if regression {
            Regressor::with(py, native)?.into_any()
        } else {
            Classifier::with(py, native)?.into_any()
        }))
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(key) = read_key(key)? else { return Ok(false) };
        self.with(py, 1, |models, _| Ok(models.contains(&key)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, 1, |models, _| Ok(models.len()))
    }

    /// All keys, as an array.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let keys = self.with(py, 1, |models, _| Ok(models.keys()))?;
        labels::labels_array(
            py,
            &match keys {
                Some(Keys::Text(keys)) => RawLabels::Text(keys),
                Some(Keys::Int(keys)) => RawLabels::Int(keys),
                None => RawLabels::Int(Vec::new()),
            },
        )
    }

    /// The bytes of the models in memory, and their number.
    fn in_memory(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.with(py, 1, |models, _| Ok((models.memory(), models.n_live())))
    }

    /// Write all models into a folder.
    fn save(&self, py: Python<'_>, path: Argument<FilePath>) -> PyResult<()> {
        self.with(py, usize::MAX, |models, _| models.save(path.0))
    }
}

impl KeyedModels {
    fn of(mut models: Core, memory: usize, folder: Option<PathBuf>, n_jobs: Option<i64>) -> PyResult<Self> {
        let threads = thread_pool::count(n_jobs).map_err(to_python)?;
        models.limit(memory, folder).map_err(to_python)?;
        let spec = models.begin().spec.clone();
        Ok(Self { turn: WriterLock::default(), inner: Mutex::new(models), threads, spec })
    }

    fn input<'py>(
        &self,
        given: &TableArg<'py>,
        aim: Purpose<'_>,
    ) -> PyResult<(AnyInput<'py>, Option<Arc<Columns>>)> {
        let known = self.with(given.py(), 1, |models, _| {
            Ok((models.type_name().map(FloatType::of_name), models.columns().cloned()))
        })?;
        input_of(given, Form::Batch, aim, known, &self.spec)
    }

    /// False where nothing was learned, because the rows are to be arranged anew: another call has changed the columns.
    fn learn_rows<T: NumpyFloat>(
        &self,
        py: Python<'_>,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> PyResult<bool> {
        self.with(py, rows.len(), |models, stopped| {
            if columns.is_some_and(|columns| !models.goes_on_with(columns)) {
                return Ok(false);
            }
            let go_on = || !stopped.load(Ordering::Relaxed);
            models.learn_while(keys, rows, columns, batch, go_on).map(|_| true)
        })
    }

    /// Asks the models about rows of either type, arranged anew as often as another call has changed the columns.
    fn ask<R: Send>(
        &self,
        x: &Bound<'_, PyAny>,
        ask_single: impl Fn(&mut Core, &Rows<'_, f32>, Option<&Arc<Columns>>) -> Result<R> + Send + Sync,
        ask_double: impl Fn(&mut Core, &Rows<'_, f64>, Option<&Arc<Columns>>) -> Result<R> + Send + Sync,
    ) -> PyResult<Predicted<R>> {
        let given = TableArg::read(x, Form::Batch)?;
        loop {
            let (input, columns) = self.input(&given, Purpose::Predict)?;
            let (columns, rows) = (columns.as_ref(), input.len());
            let made = match input {
                AnyInput::F32(input) => self.ask_rows(x.py(), &input.rows(), columns, &ask_single)?,
                AnyInput::F64(input) => self.ask_rows(x.py(), &input.rows(), columns, &ask_double)?,
            };
            given.retry_or_fail(made.is_some())?;
            if let Some(made) = made {
                return Ok(Predicted { made, rows });
            }
        }
    }

    /// None where the rows are to be arranged anew.
    fn ask_rows<T: NumpyFloat, R: Send>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        ask: &(impl Fn(&mut Core, &Rows<'_, T>, Option<&Arc<Columns>>) -> Result<R> + Send + Sync),
    ) -> PyResult<Option<R>> {
        self.with(py, rows.len(), |models, _| {
            if columns.is_some_and(|columns| models.columns().is_some() && !models.has_columns(columns)) {
                return Ok(None);
            }
            ask(models, rows, columns).map(Some)
        })
    }

    /// Scores or probabilities, with the numbers of rows and of outputs.
    fn scores(
        &self,
        x: &Bound<'_, PyAny>,
        keys: &Bound<'_, PyAny>,
        probable: bool,
    ) -> PyResult<(FloatVec, usize, usize)> {
        let keys = read_keys(keys)?;
        let Predicted { made: (numbers, classes), rows } = self.ask(
            x,
            |models, rows, columns| scores_of(models, &keys, rows, columns, probable),
            |models, rows, columns| scores_of(models, &keys, rows, columns, probable),
        )?;
        // One score tells numbers, and two classes apart.
        let outputs = if classes > 2 || probable { classes } else { 1 };
        Ok((numbers, rows, outputs))
    }

    /// Runs with the models and without the interpreter: a call of many rows on threads, with looks for Ctrl-C, which
    /// stops what can be stopped.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        rows: usize,
        run: impl FnOnce(&mut Core, &AtomicBool) -> Result<R> + Send,
    ) -> PyResult<R> {
        let stopped = AtomicBool::new(false);
        let run = |models: &mut Core| {
            let (soon, all) = (rows <= SOON, self.threads);
            // Without the pool nothing may ask for threads: those of the process hang after a fork.
            models.set_parallel(!soon && all > 1);
            if soon {
                return run(models, &stopped).map_err(to_python);
            }
            std::thread::scope(|scope| {
                let job = scope.spawn(|| match all {
                    1 => run(models, &stopped),
                    _ => thread_pool::run(all, || run(models, &stopped)).and_then(|ended| ended),
                });
                let (mut watch, mut looked) = (SignalPoll::default(), Ok(()));
                while !job.is_finished() {
                    std::thread::sleep(Duration::from_micros(200));
                    if looked.is_ok() {
                        looked = watch.poll();
                        stopped.store(looked.is_err(), Ordering::Relaxed);
                    }
                }
                match job.join() {
                    Ok(ended) => ended.map_err(to_python).and_then(|ended| looked.map(|()| ended)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            })
        };
        py.detach(|| {
            guard(|| {
                let _turn = self.turn.take()?;
                match self.inner.try_lock() {
                    Ok(mut models) => run(&mut models),
                    // A model that a panic has left half changed is lost, and says so; the others are whole.
                    Err(TryLockError::Poisoned(models)) => run(&mut models.into_inner()),
                    Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                        "these models are lost: the process was forked while another thread used them; load a saved folder",
                    )),
                }
            })
        })
    }
}

/// What was made of so many rows.
struct Predicted<R> {
    made: R,
    rows: usize,
}

/// Scores or probabilities, and the number of classes.
fn scores_of<T: NumpyFloat>(
    models: &mut Core,
    keys: &Keys,
    rows: &Rows<'_, T>,
    columns: Option<&Arc<Columns>>,
    probable: bool,
) -> Result<(FloatVec, usize)> {
    let numbers = if probable {
        models.predict_proba(keys, rows, columns)?
    } else {
        models.decision_function(keys, rows, columns)?
    };
    Ok((T::numbers(numbers), models.n_classes()))
}

fn read_keys(keys: &Bound<'_, PyAny>) -> PyResult<Keys> {
    match labels::read("keys", keys)? {
        RawLabels::Int(keys) => Ok(Keys::Int(keys)),
        RawLabels::Text(keys) => Ok(Keys::Text(keys)),
        RawLabels::Bool(_) => Err(to_python(Error::shape("keys", "integers or strings", "bools"))),
        RawLabels::Float(_) => {
            let got = "floats (integers that are missing in some rows are floats in numpy)";
            Err(to_python(Error::shape("keys", "integers or strings", got)))
        }
    }
}

/// A single key; none of what no key can be.
fn read_key(key: &Bound<'_, PyAny>) -> PyResult<Option<Key>> {
    if let Ok(text) = key.cast::<PyString>() {
        // Surrogates that stand alone are no text.
        return Ok(text.to_str().ok().map(|text| Key::Text(text.to_owned())));
    }
    match key.extract::<i64>() {
        Ok(key) => Ok(Some(Key::Int(key))),
        Err(error) if error.is_instance_of::<PyTypeError>(key.py()) => Ok(None),
        Err(error) if error.is_instance_of::<PyOverflowError>(key.py()) => Ok(None),
        Err(error) => Err(error),
    }
}
