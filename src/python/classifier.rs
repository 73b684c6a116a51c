//! `Classifier`: the native class for services.

use super::convert::{self, Dtype, Input};
use super::error::{guard, to_python};
use super::numbers::{self, Numbers};
use super::shared::Shared;
use super::state::{Batch, Native, other_type};
use super::{labels, parameters, threads};
use crate::classes::Classes;
use crate::error::Error;
use crate::float::Real;
use crate::learner::Learner;
use crate::model::{AnyLearner, Model, with_learner};
use crate::update::predicted;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;

/// A kernel classifier that learns from a stream with at most `budget` support vectors.
///
/// Learning a batch equals learning its rows one by one, however it is cut. A refused call changes nothing. Other threads
/// may predict while one learns; an array that another thread changes during a call is the caller's race.
///
/// Parameters
/// ----------
/// algorithm : str, default="bsgd-merge"
///     One of `ALGORITHMS`.
/// classes : sequence, optional
///     All labels, where the first batch may not hold each of them.
/// n_jobs : int or None, default=None
///     Threads of prediction: None is 1, -1 all cores.
/// **parameters
///     `budget`, `maintenance`, `loss`, `alpha`, `ball`, `kernel`, `gamma`, `degree`, `coef0`, `seed`; see
///     `parameters(algorithm)` for the defaults.
///
/// Raises
/// ------
/// ValueError
///     When a parameter lies outside its legal values, or two do not go together.
/// TypeError
///     When there is no parameter of that name.
#[pyclass(frozen, module = "budgetrs._core")]
pub(super) struct Classifier {
    shared: Shared,
    n_jobs: Option<i64>,
}

impl Classifier {
    fn new(model: Model, n_jobs: Option<i64>) -> Self {
        Self { shared: Shared::new(model), n_jobs }
    }

    fn scores<T: Native>(&self, py: Python<'_>, input: &Input<'_, T>) -> PyResult<(Vec<T>, usize)> {
        let rows = input.rows();
        let threads = threads::count(self.n_jobs).map_err(to_python)?;
        self.shared.trained(py, |learner| {
            let Some(learner) = T::of(learner) else { return Err(to_python(other_type())) };
            let scores = if threads == 1 {
                learner.decision_function(&rows)
            } else {
                threads::run(threads, || learner.decision_function_parallel(&rows)).and_then(|scores| scores)
            };
            scores.map(|scores| (scores, learner.n_outputs())).map_err(to_python)
        })
    }

    fn decide<'py, T: Native>(&self, py: Python<'py>, input: &Input<'_, T>) -> PyResult<Bound<'py, PyAny>> {
        let (scores, outputs) = self.scores(py, input)?;
        let scores = PyArray1::from_vec(py, scores);
        if outputs == 1 {
            Ok(scores.into_any())
        } else {
            Ok(scores.reshape([input.rows().len(), outputs])?.into_any())
        }
    }

    fn classify<'py, T: Native>(&self, py: Python<'py>, input: &Input<'_, T>) -> PyResult<Bound<'py, PyAny>> {
        let (scores, outputs) = self.scores(py, input)?;
        let classes: Vec<i64> = scores.chunks_exact(outputs).map(|f| predicted(f) as i64).collect();
        self.classes_(py)?.call_method1("take", (PyArray1::from_vec(py, classes),))
    }
}

/// Runs an expression with the input converted to the type that the model has or takes.
macro_rules! with_input {
    ($self:ident, $py:ident, $read:path, $x:expr, $input:ident => $op:expr) => {
        match $self.shared.dtype_for($py, $x)? {
            Dtype::F32 => {
                let $input = $read($py, $x)?;
                let $input: &Input<'_, f32> = &$input;
                $op
            }
            Dtype::F64 => {
                let $input = $read($py, $x)?;
                let $input: &Input<'_, f64> = &$input;
                $op
            }
        }
    };
}

#[pymethods]
impl Classifier {
    #[new]
    #[pyo3(signature = (algorithm = "bsgd-merge", *, classes = None, n_jobs = None, **parameters))]
    fn py_new(
        py: Python<'_>,
        algorithm: &str,
        classes: Option<&Bound<'_, PyAny>>,
        n_jobs: Option<i64>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        threads::count(n_jobs).map_err(to_python)?;
        let spec = parameters::from_keywords(algorithm, parameters)?;
        let mut model = Model::new(spec.check().map_err(to_python)?);
        if let Some(classes) = classes {
            let classes = Classes::of(&labels::read(py, "classes", classes)?).map_err(to_python)?;
            if classes.len() < 2 {
                let error = Error::parameter("classes", "at least 2 different labels", classes);
                return Err(to_python(error));
            }
            model.classes = Some(classes);
        }
        Ok(Self::new(model, n_jobs))
    }

    /// Learns every row of a batch, in order.
    ///
    /// Parameters
    /// ----------
    /// X : array of shape (n, d) or scipy.sparse CSR matrix
    ///     C-contiguous float32 and float64 are not copied. The first batch fixes the type: float32 stays float32, all
    ///     else is float64.
    /// y : array of shape (n,)
    ///     Labels: integers, floats, truth values or texts.
    /// classes : sequence, optional
    ///     All labels, with the first batch; without them those of the first batch are all there are.
    /// sample_weight : array of shape (n,), optional
    ///     Weights >= 0; a row of weight 0 is skipped.
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     When a value is not finite, a shape is wrong or a label unknown; nothing is learned then.
    #[pyo3(signature = (X, y, *, classes = None, sample_weight = None))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn learn<'py>(
        slf: PyRef<'py, Self>,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        classes: Option<&Bound<'py, PyAny>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyRef<'py, Self>> {
        let batch = Batch {
            classes: classes.map(|classes| labels::read(py, "classes", classes)).transpose()?,
            y: labels::read(py, "y", y)?,
            weights: sample_weight.map(|weights| numbers::read(py, "sample_weight", weights)).transpose()?,
            single: false,
        };
        with_input!(slf, py, convert::batch, X, input => slf.shared.learn(py, input, &batch)?);
        Ok(slf)
    }

    /// Learns one row.
    ///
    /// Parameters
    /// ----------
    /// x : array of shape (d,)
    /// y : label
    /// sample_weight : float, default=1.0
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     As `learn`; and when the classes are not known yet.
    #[pyo3(signature = (x, y, *, sample_weight = 1.0))]
    fn learn_one<'py>(
        slf: PyRef<'py, Self>,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: f64,
    ) -> PyResult<PyRef<'py, Self>> {
        let y = labels::read(py, "y", y)?;
        let batch = Batch { classes: None, y, weights: Some(vec![sample_weight]), single: true };
        with_input!(slf, py, convert::row, x, input => slf.shared.learn(py, input, &batch)?);
        Ok(slf)
    }

    /// Predicts the label of each row.
    ///
    /// Parameters
    /// ----------
    /// X : array of shape (n, d) or scipy.sparse CSR matrix
    ///
    /// Returns
    /// -------
    /// array of shape (n,)
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn predict<'py>(&self, py: Python<'py>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        with_input!(self, py, convert::batch, X, input => self.classify(py, input))
    }

    /// Predicts the label of one row of shape (d,).
    fn predict_one<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let labels = with_input!(self, py, convert::row, x, input => self.classify(py, input))?;
        labels.get_item(0)?.call_method0("item")
    }

    /// The scores of each row: shape (n,) for two classes, positive for the second; else (n, K).
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn decision_function<'py>(&self, py: Python<'py>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        with_input!(self, py, convert::batch, X, input => self.decide(py, input))
    }

    /// Scales every row inside the model: `(x - mean) / std`; a `std` of 0 counts as 1. Only before the first row. Kernels of
    /// differences of rows (rbf, laplacian) need no mean and leave it out, so that sparse rows stay sparse.
    fn set_scaling(&self, py: Python<'_>, mean: &Bound<'_, PyAny>, std: &Bound<'_, PyAny>) -> PyResult<()> {
        let (mean, deviation) = (numbers::read(py, "mean", mean)?, numbers::read(py, "std", std)?);
        py.detach(|| {
            guard(|| {
                let mut state = self.shared.write()?;
                if state.model.trained.is_some() {
                    let reason = "the scaling must be set before the first row is learned";
                    return Err(to_python(Error::State(reason.into())));
                }
                // A trial model says whether the numbers are legal.
                let mut trial: Learner<f64> = state.model.spec.build(mean.len(), 2).map_err(to_python)?;
                trial.set_scaling(&mean, &deviation).map_err(to_python)?;
                state.scaling = Some((mean, deviation));
                Ok(())
            })
        })
    }

    /// Appends features that are zero in every row so far, up to `n_features`.
    fn widen(&self, py: Python<'_>, n_features: usize) -> PyResult<()> {
        py.detach(|| {
            guard(|| match self.shared.write()?.model.trained.as_mut() {
                Some(learner) => {
                    with_learner!(learner, learner => learner.widen(n_features)).map_err(to_python)
                }
                None => Err(to_python(Error::State("only a model that has learned can be widened".into()))),
            })
        })
    }

    /// Writes a model file: whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.shared.look(py, |state| {
            state.check_settled().map_err(to_python)?;
            state.model.save(path).map_err(to_python)
        })
    }

    /// Reads a model file. No code in it runs.
    #[staticmethod]
    #[pyo3(signature = (path, *, n_jobs = None))]
    fn load(py: Python<'_>, path: PathBuf, n_jobs: Option<i64>) -> PyResult<Self> {
        threads::count(n_jobs).map_err(to_python)?;
        let model = py.detach(|| guard(|| Model::load(path).map_err(to_python)))?;
        Ok(Self::new(model, n_jobs))
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.shared.look(py, |state| {
            state.check_settled().map_err(to_python)?;
            state.model.to_bytes().map_err(to_python)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads the bytes of a model file. No code in them runs.
    #[staticmethod]
    #[pyo3(signature = (data, *, n_jobs = None))]
    fn from_bytes(py: Python<'_>, data: &[u8], n_jobs: Option<i64>) -> PyResult<Self> {
        threads::count(n_jobs).map_err(to_python)?;
        let model = py.detach(|| guard(|| Model::from_bytes(data).map_err(to_python)))?;
        Ok(Self::new(model, n_jobs))
    }

    fn __reduce__<'py>(
        slf: PyRef<'py, Self>,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let rebuild = py.import("budgetrs._core")?.getattr("_rebuild")?;
        let arguments = (slf.to_bytes(py)?, slf.n_jobs);
        Ok((rebuild, arguments.into_pyobject(py)?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.look(py, |state| {
            let spec = state.model.spec.spec();
            let budget = spec.budget.map_or("None".into(), |b| b.to_string());
            let vectors = state.model.trained.as_ref().map_or(0, |l| with_learner!(l, l => l.n_support()));
            Ok(format!("Classifier({:?}, budget={budget}) with {vectors} support vectors", spec.algorithm))
        })
    }

    /// The name of the algorithm.
    #[getter]
    fn algorithm(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.shared.look(py, |state| Ok(state.model.spec.spec().algorithm))
    }

    /// Every parameter with its value.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let spec = self.shared.look(py, |state| Ok(state.model.spec.spec().clone()))?;
        let params = parameters::to_dict(py, &spec)?;
        params.set_item("n_jobs", self.n_jobs)?;
        Ok(params)
    }

    /// The labels of the classes, sorted.
    #[getter]
    fn classes_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let classes = self.shared.look(py, |state| Ok(state.model.classes.clone()))?;
        match classes {
            Some(classes) => labels::to_array(py, &classes),
            None => Err(PyAttributeError::new_err("this Classifier does not know its classes yet")),
        }
    }

    /// Features of a row.
    #[getter]
    fn n_features_in_(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.n_features())))
    }

    /// The float type of the model.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let name = self
            .shared
            .trained(py, |any| Ok(if matches!(any, AnyLearner::F32(_)) { f32::NAME } else { f64::NAME }))?;
        py.import("numpy")?.call_method1("dtype", (name,))
    }

    /// The kernel's width in force; of kernels without one an `AttributeError`.
    #[getter]
    fn gamma_(&self, py: Python<'_>) -> PyResult<f64> {
        let kernel = self.shared.trained(py, |any| Ok(with_learner!(any, l => l.kernel())))?;
        let missing = || PyAttributeError::new_err(format!("the kernel {:?} has no gamma", kernel.name()));
        kernel.gamma().ok_or_else(missing)
    }

    /// Support vectors, shape (n_sv, d), in order of birth, in the units that the kernel sees.
    #[getter]
    fn support_vectors_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (vectors, shape) = self.shared.trained(py, |any| {
            let numbers = match any {
                AnyLearner::F32(l) => Numbers::F32(l.support_vectors()),
                AnyLearner::F64(l) => Numbers::F64(l.support_vectors()),
            };
            Ok((numbers, with_learner!(any, l => [l.n_support(), l.n_features()])))
        })?;
        vectors.into_array(py, shape)
    }

    /// Coefficients, shape (n_outputs, n_sv): one row for two classes, else K.
    #[getter]
    fn dual_coef_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (coefficients, shape) = self.shared.trained(py, |any| {
            let numbers = match any {
                AnyLearner::F32(l) => Numbers::F32(l.dual_coef()),
                AnyLearner::F64(l) => Numbers::F64(l.dual_coef()),
            };
            Ok((numbers, with_learner!(any, l => [l.n_outputs(), l.n_support()])))
        })?;
        coefficients.into_array(py, shape)
    }

    /// How many support vectors there are.
    #[getter]
    fn n_support_vectors_(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.n_support())))
    }

    /// Rows learned; rows of weight 0 are not counted.
    #[getter]
    fn n_seen_(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.counts().seen)))
    }

    /// Rows that changed the model.
    #[getter]
    fn n_updates_(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.counts().updates)))
    }

    /// Rows predicted wrongly before they were learned.
    #[getter]
    fn n_mistakes_(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.counts().mistakes)))
    }

    /// Times the budget was restored.
    #[getter]
    fn n_maintenances_(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.counts().maintenances)))
    }

    /// The mean gradient error `|Delta w| / eta_t` per budget maintenance (Wang, Crammer and Vucetic 2010, Theorem 1).
    #[getter]
    fn mean_weight_degradation_(&self, py: Python<'_>) -> PyResult<f64> {
        self.shared.trained(py, |any| Ok(with_learner!(any, l => l.mean_weight_degradation())))
    }
}

/// Rebuilds a pickled Classifier.
#[pyfunction]
#[pyo3(name = "_rebuild")]
pub(super) fn rebuild(py: Python<'_>, data: &[u8], n_jobs: Option<i64>) -> PyResult<Classifier> {
    Classifier::from_bytes(py, data, n_jobs)
}
