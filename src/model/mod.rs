//! Models: a learner with its labels and columns, as stored in a model file.

use crate::classes::Classes;
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::params::CheckedSpec;
use crate::persist::{self, MAX_HEADER, MAX_METADATA, Metadata, Tensors};
use std::path::Path;
use std::sync::Arc;

mod align;
mod any_learner;
mod batch;
mod combine;
mod encode;
mod explain;
mod extend;
mod fit;
mod fixed;
mod learn;
mod memory;
mod preprocessing;
mod save;
#[cfg(test)]
mod tests;

pub use align::Purpose;
pub use any_learner::{AnyLearner, LearnerFloat};
pub(crate) use any_learner::{of_type, of_type_mut, with_learner};
pub use batch::{Batch, RawTargets};
pub use fit::{Fit, FitObserver, Pass, Passes};
pub use fixed::FixedPreprocessing;
use save::{load_classes, load_spec, save_classes, save_spec};

/// Maximum number of bytes in the header of a file for column names and categories.
const MAX_COLUMN_BYTES: usize = 1 << 20;
/// Bytes in the header of a file reserved for everything except labels: columns, metadata, parameters and counters. A
/// quotation mark of the metadata takes four bytes in JSON within JSON.
const RESERVED_BYTES: usize = MAX_COLUMN_BYTES + 4 * MAX_METADATA + (1 << 16);
/// Maximum number of bytes of the name of the target column.
const MAX_TARGET_NAME_BYTES: usize = 1 << 12;

/// A model: its parameters and, after the first rows, a learner with class labels and columns.
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
    /// The class labels, once they are known. An open class set may have one label; the learner has two classes then,
    /// the second without a label.
    pub classes: Option<Classes>,
    /// True if the class set is open: unknown labels become new classes.
    pub open_classes: bool,
    /// The named columns of tables; `None` if rows are arrays.
    pub columns: Option<Arc<Columns>>,
    /// The name of the label or target column of the files learned; files for prediction may have this column too.
    pub target_name: Option<String>,
    /// The learner; `None` before the first row.
    pub trained: Option<AnyLearner>,
    /// Preprocessing given before the first row.
    pub preprocessing: Option<FixedPreprocessing>,
    /// The user's metadata in the model file.
    pub metadata: Metadata,
}

impl Model {
    /// An untrained model.
    #[must_use]
    pub fn new(spec: CheckedSpec) -> Self {
        Self {
            spec,
            classes: None,
            open_classes: false,
            columns: None,
            target_name: None,
            trained: None,
            preprocessing: None,
            metadata: Metadata::default(),
        }
    }

    /// The bytes of a model file.
    ///
    /// # Errors
    /// If the labels do not fit into the header of a file, the learner does not match the parameters, classes or
    /// columns, or [`Model::from_bytes`] could not load the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_bytes_with(&self.metadata)
    }

    /// Like [`Model::to_bytes`], with other metadata than the model's.
    ///
    /// # Errors
    /// As [`Model::to_bytes`].
    pub fn to_bytes_with(&self, metadata: &Metadata) -> Result<Vec<u8>> {
        let tensors = self.tensors(metadata)?;
        let room = self
            .trained
            .as_ref()
            .is_none_or(|learner| with_learner!(learner, learner => learner.copy_fits_into_memory()));
        // Without memory for a second model, the file is not checked.
        if room && let Err(error) = Self::read_all(&tensors, |again| Ok(*again == tensors)) {
            let reason = error.to_string();
            let reason = reason.strip_prefix("not a valid model: ").unwrap_or(&reason);
            let reason = format!("the model was not saved, because its file cannot be loaded: {reason}");
            return Err(Error::State(reason.into()));
        }
        persist::encode(&tensors)
    }

    /// The contents of the model file.
    fn tensors(&self, metadata: &Metadata) -> Result<Tensors> {
        self.check()?;
        let mut out = Tensors::new();
        save_spec(self.spec.spec(), &mut out);
        if let Some(classes) = &self.classes {
            save_classes(classes, &mut out);
            if self.open_classes {
                out.set("open_classes", true);
            }
        }
        if let Some(columns) = &self.columns {
            columns.save(out.scope_mut("columns"));
        }
        if let Some(name) = &self.target_name {
            out.set("target_name", name.as_str());
        }
        if let Some(learner) = &self.trained {
            out.set("dtype", learner.type_name());
            with_learner!(learner, learner => learner.save(out.scope_mut("learner")));
        }
        if let Some(given) = &self.preprocessing {
            given.save(&mut out);
        }
        if !metadata.is_empty() {
            out.set("metadata", metadata.as_json());
        }
        Ok(out)
    }

    /// Checks that labels fit into a model file.
    ///
    /// # Errors
    /// If they exceed the header of a file.
    pub fn check_classes(classes: &Classes) -> Result<()> {
        let mut out = Tensors::new();
        save_classes(classes, &mut out);
        if fits(&out, MAX_HEADER - RESERVED_BYTES) {
            return Ok(());
        }
        let expected =
            format!("labels that take less than {} bytes in a model file", MAX_HEADER - RESERVED_BYTES);
        Err(Error::parameter("classes", expected, format!("{} longer ones", classes.len())))
    }

    /// Checks that column names and categories fit into a model file.
    ///
    /// # Errors
    /// If they exceed their part of the header.
    pub fn check_columns(columns: &Columns) -> Result<()> {
        if columns.max_saved_bytes() < MAX_COLUMN_BYTES {
            return Ok(());
        }
        let mut out = Tensors::new();
        columns.save(&mut out);
        if fits(&out, MAX_COLUMN_BYTES) {
            return Ok(());
        }
        let expected = format!(
            "columns whose names and categories take less than {MAX_COLUMN_BYTES} bytes in a model file"
        );
        Err(Error::shape("X", expected, format!("{} features with longer ones", columns.n_features())))
    }

    /// Sets the name of the label or target column.
    ///
    /// # Errors
    /// If it has more than 4,096 bytes.
    pub fn set_target_name(&mut self, name: Option<String>) -> Result<()> {
        if let Some(name) = name.as_ref().filter(|name| name.len() > MAX_TARGET_NAME_BYTES) {
            let expected = format!("at most {MAX_TARGET_NAME_BYTES} bytes");
            return Err(Error::parameter("target_name", expected, format!("{} bytes", name.len())));
        }
        self.target_name = name;
        Ok(())
    }

    /// Number of classes of the learner.
    fn n_classes(&self) -> usize {
        let min = if self.open_classes { 2 } else { 0 };
        self.classes.as_ref().map_or(0, |classes| classes.len().max(min))
    }

    fn check(&self) -> Result<()> {
        let Some(learner) = self.learner() else { return Ok(()) };
        let spec = with_learner!(learner, learner => learner.spec());
        let seen = with_learner!(learner, learner => learner.n_seen_classes());
        let n_columns = with_learner!(learner, learner => learner.n_columns());
        let any_columns = with_learner!(learner, learner => learner.accepts_any_columns());
        let fits = !self.open_classes || self.classes.as_ref().is_some_and(|classes| classes.len() == seen);
        let fits = self.trained.is_none() || fits && learner.n_classes() == self.n_classes();
        let named = self.columns.as_ref().is_none_or(|columns| {
            columns.n_features() == n_columns || any_columns && columns.n_features() < n_columns
        });
        if *spec == self.spec && fits && named {
            Ok(())
        } else {
            let reason = "the learner has other parameters, classes or features than its model";
            Err(Error::State(reason.into()))
        }
    }

    /// Reads the bytes of a model file. They are data only: no code in them is run.
    ///
    /// # Errors
    /// [`Error::Model`] unless [`Model::to_bytes`] writes the same bytes for the loaded model.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read_all(&persist::parse(bytes)?, |again| persist::is_encoding_of(bytes, again))
    }

    /// The model of these tensors and values, if it saves as equal ones.
    fn read_all(from: &Tensors, same: impl FnOnce(&Tensors) -> Result<bool>) -> Result<Self> {
        let model_error = |error: Error| match error {
            Error::Model(_) => error,
            other => Error::Model(other.to_string().into()),
        };
        let model = Self::read(from).map_err(model_error)?;
        // A valid file saves as equal bytes. This also detects entries that no reader uses.
        if !same(&model.tensors(&model.metadata)?)? {
            return Err(Error::Model("its parts do not fit together".into()));
        }
        Ok(model)
    }

    fn read(from: &Tensors) -> Result<Self> {
        let spec = load_spec(from)?.check()?;
        let open_classes = from.contains("open_classes");
        let classes = if from.contains("classes") { Some(load_classes(from, open_classes)?) } else { None };
        if open_classes && !from.contains("learner") {
            return Err(Error::Model("an open set of classes has no learner".into()));
        }
        let columns = from.optional_scope("columns")?.map(Columns::load).transpose()?.map(Arc::new);
        if columns.is_some() && !from.contains("learner") && !from.contains("feature_space") {
            return Err(Error::Model("columns have names, and no learner".into()));
        }
        let mut model = Self { classes, open_classes, columns, ..Self::new(spec) };
        if from.contains("target_name") {
            model.set_target_name(Some(from.text("target_name")?.to_owned()))?;
        }
        if from.contains("metadata") {
            model.metadata = Metadata::new(from.text("metadata")?)?;
        }
        if from.contains("learner") {
            let scope = from.scope("learner")?;
            // Checked before memory for that number of classes is allocated.
            if scope.usize("classes")? != model.n_classes() {
                return Err(Error::Model("the labels do not fit the classes".into()));
            }
            model.trained = Some(AnyLearner::load(&model.spec, from.text("dtype")?, scope)?);
            if let (Some(learner), Some(classes), true) = (&mut model.trained, &model.classes, open_classes) {
                with_learner!(learner, learner => learner.set_n_seen_classes(classes.len()));
            }
        }
        model.preprocessing = FixedPreprocessing::load(&model.spec, model.trained.is_some(), from)?;
        Ok(model)
    }

    /// The learner, or the untrained one that gives its preprocessing.
    #[must_use]
    pub fn learner(&self) -> Option<&AnyLearner> {
        self.trained.as_ref().or(self.preprocessing.as_ref().and_then(FixedPreprocessing::learner))
    }

    /// Writes a model file atomically.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        persist::write_atomic(path, &self.to_bytes()?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::ModelFile`] if it is not a model file or is damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_bytes(&persist::read(path)?).map_err(|error| error.in_file(path))
    }
}

/// Whether values take at most `room` bytes in a file.
fn fits(values: &Tensors, room: usize) -> bool {
    persist::encode(values).is_ok_and(|bytes| bytes.len() <= room)
}
