//! A learner with its labels: what a model file holds.

use crate::classes::Classes;
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::learner::Learner;
use crate::params::CheckedSpec;
use crate::persist::{self, MAX_HEADER, Tensors};
use std::path::Path;
use std::sync::Arc;

mod combine;
mod learn;
mod like;
mod moved;
mod parts;
#[cfg(test)]
mod tests;
mod typed;

pub use learn::{Batch, RawTargets};
use parts::{load_classes, load_spec, save_classes, save_spec};
pub use typed::Typed;
pub(crate) use typed::of_type;

/// A learner of either float type.
#[derive(Debug, Clone)]
pub enum AnyLearner {
    /// Computed in `f32`.
    F32(Learner<f32>),
    /// Computed in `f64`.
    F64(Learner<f64>),
}

/// Runs an expression generic over the learner's float type.
macro_rules! with_learner {
    ($any:expr, $learner:ident => $op:expr) => {
        match $any {
            AnyLearner::F32($learner) => $op,
            AnyLearner::F64($learner) => $op,
        }
    };
}
use with_learner;

impl AnyLearner {
    /// Classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        with_learner!(self, learner => learner.n_classes())
    }

    /// The name of its float type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::F32(_) => f32::NAME,
            Self::F64(_) => f64::NAME,
        }
    }

    fn load(spec: &CheckedSpec, dtype: &str, from: &Tensors) -> Result<Self> {
        match dtype {
            name if name == f32::NAME => Ok(Self::F32(Learner::load(spec, from)?)),
            name if name == f64::NAME => Ok(Self::F64(Learner::load(spec, from)?)),
            other => Err(Error::Model(format!("unknown dtype {other:?}").into())),
        }
    }
}

/// Room in a file's header for the names of columns and their words.
const NAMES: usize = 1 << 20;
/// Room in a file's header for all that is not labels: names, and some kilobytes of parameters and counters.
const OTHERS: usize = NAMES + (1 << 16);

/// Parameters, and once it has seen data a learner and the labels of its classes.
///
/// ```
/// use budgetrs::model::Model;
/// use budgetrs::Spec;
///
/// let model = Model::new(Spec::named("bsgd-merge")?.check()?);
/// assert!(Model::from_bytes(&model.to_bytes()?)?.trained.is_none());
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    /// The parameters.
    pub spec: CheckedSpec,
    /// The labels of the classes, once they are known. Of a list that grows there may be one: the learner has two
    /// classes then, and the second has no label yet.
    pub classes: Option<Classes>,
    /// Whether labels that are not in the list are new classes, which are appended to it.
    pub grows: bool,
    /// The columns that are its features, if they have names.
    pub columns: Option<Arc<Columns>>,
    /// What has been learned.
    pub trained: Option<AnyLearner>,
    /// A scaling that waits for the first row: means and deviations; see [`Model::set_scaling`].
    pub scaling: Option<(Vec<f64>, Vec<f64>)>,
    /// A learner without rows that the learner of the first rows begins like; see [`Model::begin_like`].
    pub like: Option<Box<AnyLearner>>,
}

impl Model {
    /// Without data.
    #[must_use]
    pub fn new(spec: CheckedSpec) -> Self {
        Self { spec, classes: None, grows: false, columns: None, trained: None, scaling: None, like: None }
    }

    /// The bytes of a model file.
    ///
    /// # Errors
    /// When the labels alone exceed what a file's header may hold, or the learner has other parameters, classes or
    /// features than the model; and when the file could not be loaded: none is made that [`Model::from_bytes`] refuses.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let tensors = self.tensors()?;
        let room =
            self.trained.as_ref().is_none_or(|learner| with_learner!(learner, one => one.fits_again()));
        // Where there is no room for a second one, it is saved as it is.
        if room && let Err(error) = Self::read_all(&tensors, |again| Ok(*again == tensors)) {
            let reason = error.to_string();
            let reason = reason.strip_prefix("not a valid model: ").unwrap_or(&reason);
            let reason = format!("the model is not saved, because its file could not be loaded: {reason}");
            return Err(Error::State(reason.into()));
        }
        persist::encode(&tensors)
    }

    /// What its file holds.
    fn tensors(&self) -> Result<Tensors> {
        self.check()?;
        let mut out = Tensors::new();
        save_spec(self.spec.spec(), &mut out);
        if let Some(classes) = &self.classes {
            save_classes(classes, &mut out);
            if self.grows {
                out.set("classes_grow", true);
            }
        }
        if let Some(columns) = &self.columns {
            columns.save(out.scope_mut("columns"));
        }
        if let Some(learner) = &self.trained {
            out.set("dtype", learner.type_name());
            with_learner!(learner, learner => learner.save(out.scope_mut("learner")));
        }
        if let Some(learner) = self.like.as_deref() {
            let scope = out.scope_mut("like");
            scope.set("dtype", learner.type_name());
            with_learner!(learner, learner => learner.save(scope));
        }
        if let Some((mean, deviation)) = &self.scaling {
            let scope = out.scope_mut("scaling");
            scope.put("mean", &[mean.len()], mean.iter().copied());
            scope.put("deviation", &[deviation.len()], deviation.iter().copied());
        }
        Ok(out)
    }

    /// Whether labels are few and short enough to be saved with a model.
    ///
    /// # Errors
    /// When they exceed what a file's header may hold.
    pub fn check_classes(classes: &Classes) -> Result<()> {
        let mut out = Tensors::new();
        save_classes(classes, &mut out);
        if fits(&out, MAX_HEADER - OTHERS) {
            return Ok(());
        }
        let expected = format!("labels that take less than {} bytes in a model file", MAX_HEADER - OTHERS);
        Err(Error::parameter("classes", expected, format!("{} longer ones", classes.len())))
    }

    /// Whether the names of columns and their words are few and short enough to be saved with a model.
    ///
    /// # Errors
    /// When they exceed what a file's header has room for.
    pub fn check_columns(columns: &Columns) -> Result<()> {
        let mut out = Tensors::new();
        columns.save(&mut out);
        if fits(&out, NAMES) {
            return Ok(());
        }
        let expected = format!("columns whose names and words take less than {NAMES} bytes in a model file");
        Err(Error::shape("X", expected, format!("{} features with longer ones", columns.n_features())))
    }

    /// The classes that its learner has.
    fn n_classes(&self) -> usize {
        let least = if self.grows { 2 } else { 0 };
        self.classes.as_ref().map_or(0, |classes| classes.len().max(least))
    }

    fn check(&self) -> Result<()> {
        let Some(learner) = self.trained.as_ref().or(self.like.as_deref()) else { return Ok(()) };
        let spec = with_learner!(learner, learner => learner.spec());
        let seen = with_learner!(learner, learner => learner.n_seen_classes);
        // Rows that are folded may have been wider.
        let width = with_learner!(learner, learner => learner.n_columns());
        let folds = self.spec.spec().hash_features.is_some();
        let fits = !self.grows || self.classes.as_ref().is_some_and(|classes| classes.len() == seen);
        let fits = self.trained.is_none() || fits && learner.n_classes() == self.n_classes();
        let named = self
            .columns
            .as_ref()
            .is_none_or(|columns| columns.n_features() == width || folds && columns.n_features() < width);
        if *spec == self.spec && fits && named {
            Ok(())
        } else {
            let reason = "the learner has other parameters, classes or features than its model";
            Err(Error::State(reason.into()))
        }
    }

    /// Reads the bytes of a model file. No code in them runs.
    ///
    /// # Errors
    /// [`Error::Model`] when they are not, to the last bit, what [`Model::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read_all(&persist::parse(bytes)?, |again| persist::is_encoding_of(bytes, again))
    }

    /// The model of these tensors and values, if what it saves is the same.
    fn read_all(from: &Tensors, same: impl FnOnce(&Tensors) -> Result<bool>) -> Result<Self> {
        let refused = |error: Error| match error {
            Error::Model(_) => error,
            other => Error::Model(other.to_string().into()),
        };
        let model = Self::read(from).map_err(refused)?;
        // What loads must save as the same bytes: this also finds entries that nobody reads.
        if !same(&model.tensors()?)? {
            return Err(Error::Model("its parts do not fit together".into()));
        }
        Ok(model)
    }

    fn read(from: &Tensors) -> Result<Self> {
        let spec = load_spec(from)?.check()?;
        let grows = from.contains("classes_grow");
        let classes = if from.contains("classes") { Some(load_classes(from, grows)?) } else { None };
        if grows && !from.contains("learner") {
            return Err(Error::Model("classes that come as they come have no learner".into()));
        }
        let columns = if from.contains("columns") {
            Some(Arc::new(Columns::load(from.scope("columns")?)?))
        } else {
            None
        };
        if columns.is_some() && !from.contains("learner") && !from.contains("like") {
            return Err(Error::Model("columns have names, and no learner".into()));
        }
        let mut model = Self { spec, classes, grows, columns, trained: None, scaling: None, like: None };
        if from.contains("learner") {
            let scope = from.scope("learner")?;
            // Before anything of that size is made.
            if scope.usize("classes")? != model.n_classes() {
                return Err(Error::Model("the labels do not fit the classes".into()));
            }
            model.trained = Some(AnyLearner::load(&model.spec, from.text("dtype")?, scope)?);
            if let (Some(learner), Some(classes), true) = (&mut model.trained, &model.classes, grows) {
                with_learner!(learner, learner => learner.n_seen_classes = classes.len());
            }
        }
        if from.contains("like") {
            let scope = from.scope("like")?;
            let like = Box::new(AnyLearner::load(&model.spec, scope.text("dtype")?, scope)?);
            let (begins, rows) = with_learner!(&*like, learner => (learner.frozen, learner.counts().n_seen));
            if model.trained.is_some() || !begins || rows > 0 {
                return Err(Error::Model("a model that begins like another has no rows".into()));
            }
            model.like = Some(like);
        }
        if from.contains("scaling") {
            let scope = from.scope("scaling")?;
            let [features] = scope.shape("mean")?;
            model.set_scaling(scope.get("mean", &[features])?, scope.get("deviation", &[features])?)?;
        }
        Ok(model)
    }

    /// Sets the scaling of a model that has not learned yet, for the learner that will be made of the first rows.
    ///
    /// # Errors
    /// When the model has learned, or as [`Learner::set_scaling`].
    pub fn set_scaling(&mut self, mean: Vec<f64>, deviation: Vec<f64>) -> Result<()> {
        if self.like.is_some() {
            return Err(Error::State("a model that begins like another takes no other scaling".into()));
        }
        if self.trained.is_some() {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        // A trial learner says whether the numbers are legal.
        let numbers = self.spec.spec().loss.is_regression();
        let task = if numbers { Task::Regression } else { Task::Classes(2) };
        let mut trial: Learner<f64> = self.spec.build(mean.len(), task)?;
        trial.set_scaling(&mean, &deviation)?;
        self.scaling = Some((mean, deviation));
        Ok(())
    }

    /// Writes a model file: whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        persist::write_atomic(path, &self.to_bytes()?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::ModelFile`] when it is no unharmed model file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_bytes(&persist::read(path)?).map_err(|error| match error {
            Error::Model(reason) => Error::ModelFile { path: path.to_owned(), reason },
            other => other,
        })
    }
}

/// Whether values take at most so many bytes in a file's header.
fn fits(values: &Tensors, room: usize) -> bool {
    persist::encode(values).is_ok_and(|bytes| bytes.len() <= room)
}
