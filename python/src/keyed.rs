//! `KeyedModels`: the native part of `budgetrs.KeyedModels`.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, Count};
use crate::array_input::{AnyRows, InputForm, Purpose, with_rows};
use crate::batch::{OwnedBatch, task_of};
use crate::call_rows::with_aligned;
use crate::error::{catch_panic, to_python};
use crate::float_type::{FloatMatrix, FloatType, NumpyFloat};
use crate::keys;
use crate::labels;
use crate::metadata::{self, MetadataDict};
use crate::named_table::Known;
use crate::native_model::NativeModel;
use crate::signals::SignalPoll;
use crate::thread_pool;
use crate::warnings::Warnings;
use crate::writer_lock::Exclusive;
use budgetrs::columns::Columns;
use budgetrs::keyed::{KeyCounts, KeyedModels};
use budgetrs::model::Fit;
use budgetrs::{CheckedSpec, Result};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
        let lost =
            "these models are lost: the process was forked while another thread used them; load saved ones";
        let metadata = MetadataDict::default();
        metadata.replace(py, &models.metadata)?;
        let models = Exclusive::new(models, lost);
        Ok(Self { models, n_threads, spec, warnings: Warnings::default(), metadata })
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
        let keys = keys::read(keys)?;
        let batch = OwnedBatch::read(task_of(&self.spec), y, None, sample_weight)?;
        let weights = batch.row_weights(&self.spec)?;
        let purpose = batch.purpose(weights.as_deref());
        self.with_input(X, purpose, |models, rows, columns, stopped| {
            let go_on = || !stopped.load(Ordering::Relaxed);
            let batch = batch.as_core();
            with_rows!(rows, rows => models.learn_while(&keys, &rows, columns, (&batch, fit), go_on))
        })?;
        Ok(())
    }

    /// Predict labels, or numbers in regression.
    fn predict<'py>(&self, X: &Bound<'py, PyAny>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.spec.spec().loss.is_regression() {
            return self.scores(X, keys, false)?.into_scores(X.py());
        }
        let keys = keys::read(keys)?;
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
        let Some(key) = keys::read_one(key) else { return Ok(None) };
        let Some(model) = self.with_models(py, 1, |models, _| models.get(&key))? else { return Ok(None) };
        NativeModel::object(py, model, None).map(Some)
    }

    /// Remove the model of a key; return whether the key had one.
    fn remove(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(key) = keys::read_one(key) else { return Ok(false) };
        self.with_models(py, 1, |models, _| Ok(models.remove(&key)))
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(key) = keys::read_one(key) else { return Ok(false) };
        self.with_models(py, 1, |models, _| Ok(models.contains(&key)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with_models(py, 1, |models, _| Ok(models.len()))
    }

    /// Return an array of all keys.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        keys::array(py, self.with_models(py, 1, |models, _| Ok(models.keys()))?)
    }

    /// Return the rows, errors and last rows of all keys, as columns.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (keys, counts) = self.with_models(py, 1, |models, _| {
            let (keys, counts) = models.counts();
            Ok((keys, counts.to_vec()))
        })?;
        let integers = |of: fn(&KeyCounts) -> u64| {
            PyArray1::from_iter(py, counts.iter().map(|counts| of(counts) as i64))
        };
        let columns = PyDict::new(py);
        columns.set_item("key", keys::array(py, keys)?)?;
        columns.set_item("rows", integers(|counts| counts.rows))?;
        if self.spec.spec().loss.is_regression() {
            let errors = counts.iter().map(|counts| counts.error);
            columns.set_item("squared_error", PyArray1::from_iter(py, errors))?;
        } else {
            columns.set_item("mistakes", integers(|counts| counts.error as u64))?;
        }
        columns.set_item("last_row", integers(|counts| counts.last_row))?;
        Ok(columns)
    }

    /// Return the number of rows learned for all keys.
    fn n_rows(&self, py: Python<'_>) -> PyResult<u64> {
        self.with_models(py, 1, |models, _| Ok(models.n_rows()))
    }

    /// Remove the keys without one of the last rows; return their number.
    fn remove_unseen(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::rows)] rows: Count,
    ) -> PyResult<usize> {
        self.with_models(py, 1, |models, _| models.remove_unseen(rows.0 as u64))
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

    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        self.metadata.traverse(&visit)
    }

    fn __clear__(&self) {
        self.metadata.clear();
    }
}

impl PyKeyedModels {
    /// Warns of columns that should probably not be categorical, once per column, before these rows are learned.
    fn warn_of_categories(&self, py: Python<'_>, columns: Option<&Arc<Columns>>, rows: u64) -> PyResult<()> {
        let Some(columns) = columns.filter(|columns| columns.has_categorical()) else { return Ok(()) };
        let (is_known, n_before) =
            self.with_models(py, 1, |models, _| Ok((models.has_columns(columns), models.n_rows())))?;
        if is_known || self.spec.spec().hash_features.is_some() {
            return Ok(());
        }
        self.warnings.warn_of_categories(py, columns, n_before + rows)
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
        let keys = keys::read(keys)?;
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
