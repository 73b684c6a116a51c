//! `KeyedModels`: the native part of `budgetrs.KeyedModels`.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, Count};
use crate::array_input::{AnyRows, InputForm, Purpose, with_rows};
use crate::batch::{OwnedBatch, task_of};
use crate::call_rows::with_aligned;
use crate::error::{catch_panic, to_python};
use crate::float_type::{FloatMatrix, FloatType, NumpyFloat};
use crate::labels;
use crate::metadata::{self, MetadataDict};
use crate::named_table::Known;
use crate::native_model::NativeModel;
use crate::signals::SignalPoll;
use crate::thread_pool;
use crate::warnings::Warnings;
use crate::writer_lock::Exclusive;
use budgetrs::columns::Columns;
use budgetrs::keyed::{Key, KeyedModels, Keys};
use budgetrs::model::Fit;
use budgetrs::{CheckedSpec, Error, Labels, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The most rows of a short call: one that needs no threads, and ends before a user would interrupt it.
const MAX_SHORT_ROWS: usize = 256;
/// The pause between two looks at a running job.
const PAUSE: Duration = Duration::from_micros(200);

/// One model per key; see `budgetrs.KeyedModels`.
#[pyclass(frozen, subclass, name = "KeyedModels", module = "budgetrs._core")]
pub(crate) struct PyKeyedModels {
    /// After a panic the model in use is lost and raises an error; the others are unchanged.
    models: Exclusive<KeyedModels>,
    n_threads: usize,
    spec: CheckedSpec,
    /// The number of rows learned; None for loaded models, of which it is not known.
    n_seen: Option<AtomicU64>,
    /// The warnings about columns.
    warnings: Warnings,
    metadata: MetadataDict,
}

#[pymethods]
impl PyKeyedModels {
    /// Creates models that begin as a model, or without one reads the models of a file.
    #[new]
    #[pyo3(signature = (begin, path, *, max_memory, spill_dir, n_jobs))]
    fn new(
        py: Python<'_>,
        begin: Option<&Bound<'_, NativeModel>>,
        path: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::memory)] max_memory: Count,
        spill_dir: Option<PathBuf>,
        #[pyo3(from_py_with = arguments::n_jobs)] n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let mut models = if let Some(begin) = begin {
            let model = begin.get().shared.read(py, |model| Ok(model.clone()))?;
            KeyedModels::new(model).map_err(to_python)?
        } else {
            let path = arguments::path(path)?;
            py.detach(|| catch_panic(|| KeyedModels::load(path).map_err(to_python)))?
        };
        let n_threads = thread_pool::n_threads(n_jobs).map_err(to_python)?;
        models.set_memory_limit(max_memory.0, spill_dir).map_err(to_python)?;
        let spec = models.template().spec.clone();
        let n_seen = models.is_empty().then(AtomicU64::default);
        let lost =
            "these models are lost: the process was forked while another thread used them; load saved ones";
        let metadata = MetadataDict::default();
        metadata.replace(py, &models.metadata)?;
        let models = Exclusive::new(models, lost);
        Ok(Self { models, n_threads, spec, n_seen, warnings: Warnings::default(), metadata })
    }

    /// Learn rows, each by the model of its key; in several passes if a number of passes is given.
    #[pyo3(signature = (X, y, keys, sample_weight = None, passes = None))]
    fn learn(
        &self,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        keys: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        passes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let passes = passes.map(arguments::passes).transpose()?;
        let fit = passes.map(|passes| Fit { passes, ..Fit::default() });
        let keys = read_keys(keys)?;
        let batch = OwnedBatch::read(task_of(&self.spec), y, None, sample_weight)?;
        let weights = batch.row_weights(&self.spec)?;
        let purpose = batch.purpose(weights.as_deref());
        let n_rows = self.with_input(X, purpose, |models, rows, columns, stopped| {
            let go_on = || !stopped.load(Ordering::Relaxed);
            let batch = batch.as_core();
            with_rows!(rows, rows => models.learn_while(&keys, &rows, columns, (&batch, fit), go_on))
        })?;
        if let Some(n_seen) = &self.n_seen {
            n_seen.fetch_add(n_rows as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Predict labels, or numbers in regression.
    fn predict<'py>(&self, X: &Bound<'py, PyAny>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.spec.spec().loss.is_regression() {
            return self.scores(X, keys, false)?.into_scores(X.py());
        }
        let keys = read_keys(keys)?;
        let predicted = self.with_input(
            X,
            Purpose::Predict,
            |models, rows, columns, _| with_rows!(rows, rows => models.predict(&keys, &rows, columns)),
        )?;
        labels::labels_array(X.py(), &predicted)
    }

    /// Score rows. In classification `classes` must have been given.
    fn decision_function<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.scores(X, keys, false)?.into_scores(X.py())
    }

    /// Compute probabilities. `classes` must have been given.
    fn predict_proba<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.scores(X, keys, true)?.into_array(X.py())
    }

    /// Return a copy of the model of a key; None if the key has no model.
    fn get<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(key) = read_key(key) else { return Ok(None) };
        let Some(model) = self.with_models(py, 1, |models, _| models.get(&key))? else { return Ok(None) };
        NativeModel::object(py, model, None).map(Some)
    }

    /// Remove the model of a key; return whether the key had one.
    fn remove(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(key) = read_key(key) else { return Ok(false) };
        self.with_models(py, 1, |models, _| Ok(models.remove(&key)))
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(key) = read_key(key) else { return Ok(false) };
        self.with_models(py, 1, |models, _| Ok(models.contains(&key)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with_models(py, 1, |models, _| Ok(models.len()))
    }

    /// Return an array of all keys.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let keys = match self.with_models(py, 1, |models, _| Ok(models.keys()))? {
            Some(Keys::Text(keys)) => Labels::Text(keys),
            Some(Keys::Int(keys)) => Labels::Int(keys),
            None => Labels::Int(Vec::new()),
        };
        labels::labels_array(py, &keys)
    }

    /// Return the size in bytes and the number of the models in memory.
    fn in_memory(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.with_models(py, 1, |models, _| Ok((models.memory(), models.n_resident())))
    }

    /// Write all models to a file.
    #[pyo3(signature = (path, *, metadata = None))]
    fn save(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: PathBuf,
        metadata: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let saved = self.metadata.to_save(py, metadata)?;
        self.with_models(py, usize::MAX, |models, _| {
            models.metadata = saved.clone();
            models.save(path)
        })?;
        if metadata.is_some() { self.metadata.replace(py, &saved) } else { Ok(()) }
    }

    /// The metadata of the file.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.metadata.get(py)
    }

    #[setter]
    fn set_metadata(&self, metadata: &Bound<'_, PyAny>) -> PyResult<()> {
        self.metadata.replace(metadata.py(), &metadata::read(metadata)?)
    }
}

impl PyKeyedModels {
    /// Warns of columns that should probably not be categorical, once per column, before these rows are learned.
    fn warn_of_categories(&self, py: Python<'_>, columns: Option<&Arc<Columns>>, rows: u64) -> PyResult<()> {
        let Some(columns) = columns.filter(|columns| columns.has_categorical()) else { return Ok(()) };
        let Some(n_seen) = &self.n_seen else { return Ok(()) };
        let is_known = self.with_models(py, 1, |models, _| Ok(models.has_columns(columns)))?;
        if is_known || self.spec.spec().hash_features.is_some() {
            return Ok(());
        }
        let rows = n_seen.load(Ordering::Relaxed) + rows;
        self.warnings.warn_of_categories(py, columns, rows)
    }

    /// Runs `job` with the models and the rows of an argument. The rows are aligned again where another call has changed the columns meanwhile, so that they no longer fit.
    fn with_input<R: Send>(
        &self,
        x: &Bound<'_, PyAny>,
        purpose: Purpose<'_>,
        job: impl Fn(&mut KeyedModels, AnyRows<'_>, Option<&Arc<Columns>>, &AtomicBool) -> Result<R> + Sync,
    ) -> PyResult<R> {
        let known = || {
            self.with_models(x.py(), 1, |models, _| {
                let known = (models.type_name().map(FloatType::of_name), models.columns().cloned());
                Ok(Known::new(&self.spec, known, &self.warnings))
            })
        };
        with_aligned((x, InputForm::Batch), purpose, known, |aligned| {
            let (rows, columns) = (aligned.input.rows(), aligned.columns.as_ref());
            let learns = matches!(purpose, Purpose::Learn { .. });
            if learns {
                self.warn_of_categories(x.py(), columns, rows.len() as u64)?;
            }
            self.with_models(x.py(), rows.len(), |models, stopped| {
                let fits = match columns {
                    None => true,
                    Some(columns) if learns => models.accepts_columns(columns),
                    Some(columns) => models.columns().is_none() || models.has_columns(columns),
                };
                fits.then(|| job(models, rows, columns, stopped)).transpose()
            })
        })
    }

    /// Scores or probabilities.
    fn scores(
        &self,
        x: &Bound<'_, PyAny>,
        keys: &Bound<'_, PyAny>,
        are_probabilities: bool,
    ) -> PyResult<FloatMatrix> {
        let keys = read_keys(keys)?;
        self.with_input(x, Purpose::Predict, |models, rows, columns, _| {
            with_rows!(rows, rows => {
                let values = if are_probabilities {
                    models.predict_proba(&keys, &rows, columns)?
                } else {
                    models.decision_function(&keys, &rows, columns)?
                };
                // Regression and two classes have one score.
                let n_classes = models.n_classes();
                let outputs = if n_classes > 2 || are_probabilities { n_classes } else { 1 };
                Ok(NumpyFloat::matrix(values, [rows.len(), outputs]))
            })
        })
    }

    /// Runs `job` with the models, without the GIL: a call of many rows on threads, with polls for Ctrl-C, which sets
    /// the flag that `job` gets.
    fn with_models<R: Send>(
        &self,
        py: Python<'_>,
        n_rows: usize,
        job: impl FnOnce(&mut KeyedModels, &AtomicBool) -> Result<R> + Send,
    ) -> PyResult<R> {
        let stopped = AtomicBool::new(false);
        self.models.with(py, |models| {
            let is_short = n_rows <= MAX_SHORT_ROWS;
            // A short call runs outside the pool, where rayon would use its global pool, which hangs after a fork.
            models.set_parallel(!is_short && self.n_threads > 1);
            if is_short {
                return job(models, &stopped).map_err(to_python);
            }
            let run = || match self.n_threads {
                1 => job(models, &stopped),
                n_threads => thread_pool::run(n_threads, || job(models, &stopped)),
            };
            run_with_polls(run, &stopped)
        })
    }
}

/// Runs a job on another thread, and polls for signals meanwhile. A signal handler that raises sets `stopped`, and the
/// call raises its error when the job has ended.
fn run_with_polls<R: Send>(job: impl FnOnce() -> Result<R> + Send, stopped: &AtomicBool) -> PyResult<R> {
    std::thread::scope(|scope| {
        let job = scope.spawn(job);
        let (mut signals, mut polled) = (SignalPoll::default(), Ok(()));
        while !job.is_finished() {
            std::thread::sleep(PAUSE);
            if polled.is_ok() {
                polled = signals.poll();
                stopped.store(polled.is_err(), Ordering::Relaxed);
            }
        }
        match job.join() {
            Ok(result) => result.map_err(to_python).and_then(|result| polled.map(|()| result)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn read_keys(keys: &Bound<'_, PyAny>) -> PyResult<Keys> {
    let read = labels::read("keys", keys).or_else(|error| {
        let own = keys.py().import("budgetrs._keyed")?.call_method1("invalid_keys", (keys,))?;
        Err(if own.is_none() { error } else { PyErr::from_value(own) })
    });
    match read? {
        Labels::Int(keys) => Ok(Keys::Int(keys)),
        Labels::Text(keys) => Ok(Keys::Text(keys)),
        Labels::Bool(_) => Err(to_python(Error::shape("keys", "integers or strings", "bools"))),
        Labels::Float(_) => {
            let got = "floats (integers that are missing in some rows are floats in numpy)";
            Err(to_python(Error::shape("keys", "integers or strings", got)))
        }
    }
}

/// Reads a single key. None for an object that cannot be a key, such as a string with lone surrogates.
fn read_key(key: &Bound<'_, PyAny>) -> Option<Key> {
    match key.cast::<PyString>() {
        Ok(text) => text.to_str().ok().map(|text| Key::Text(text.to_owned())),
        Err(_) => key.extract().ok().map(Key::Int),
    }
}
