//! Many small models, one to the key, under a bound on memory.

mod checks;
mod common;
mod entries;
mod extents;
mod folder;
mod groups;
mod index;
mod predict;
mod spill;
#[cfg(test)]
mod tests;

pub use index::{Key, Keys};

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::model::{AnyLearner, Batch, LearnerFloat, Model};
use checks::{Targets, pick};
use common::{Common, Shape};
use entries::{Entries, How};
use groups::{Groups, Part};
use index::Index;
use std::path::PathBuf;
use std::sync::Arc;

/// One model to the key: of a user, a device, a shop. The rows of a batch are grouped by key, each model learns its own
/// in their order, and equals, bit for bit, a model that learned them alone.
///
/// Models begin as a copy of the model that is given: without rows, or as it has learned them. All have the float type,
/// the width and the columns of the first batch. Once they take more than a bound on memory, those that were used least
/// recently are written to a temporary file, and read when their key comes again.
///
/// ```
/// use budgetrs::keyed::{Key, KeyedModels, Keys};
/// use budgetrs::model::{Batch, Model};
/// use budgetrs::{RawLabels, Rows, Spec};
///
/// let mut models = KeyedModels::new(Model::new(Spec::named("pa")?.check()?))?;
/// let keys = Keys::Text(["ann", "bob", "ann", "bob"].map(String::from).to_vec());
/// let (x, y) = (ndarray::arr2(&[[0.0], [0.0], [1.0], [1.0]]), RawLabels::Int(vec![0, 1, 1, 0]));
/// models.learn(&keys, &Rows::Dense(x.view()), None, &Batch::labels(&y))?;
/// assert_eq!(models.predict(&keys, &Rows::Dense(x.view()), None)?, y);
/// assert_eq!(models.get(&Key::Text("ann".into()))?.is_some(), true);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug)]
pub struct KeyedModels {
    /// What the model of a new key begins as.
    begin: Model,
    index: Index,
    entries: Entries,
    shape: Option<Shape>,
    columns: Option<Arc<Columns>>,
    parallel: bool,
}

/// About so much memory in models, without another bound: 1 GiB.
pub const MEMORY: usize = 1 << 30;

impl KeyedModels {
    /// Without keys, within a bound on memory of [`MEMORY`] bytes.
    ///
    /// # Errors
    /// When the model could not be saved.
    pub fn new(begin: Model) -> Result<Self> {
        begin.to_bytes()?;
        let columns = begin.columns.clone();
        Ok(Self {
            begin,
            index: Index::default(),
            entries: Entries::new(MEMORY),
            shape: None,
            columns,
            parallel: false,
        })
    }

    /// Sets the bound on the memory of models, in bytes, and the folder of the temporary file; by default that of the
    /// system. A single call may exceed it by a quarter, and by what some thousand rows add to models that are not full;
    /// keys take about 100 bytes each, which do not count.
    ///
    /// # Errors
    /// When the bound is 0 or there is no such folder.
    pub fn limit(&mut self, memory: usize, folder: Option<PathBuf>) -> Result<()> {
        if memory == 0 {
            return Err(Error::parameter("memory", "a number of bytes of at least 1", 0));
        }
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            let got = format!("{:?}", folder.display().to_string());
            return Err(Error::parameter("spill_folder", "a folder that exists", got));
        }
        self.entries.limit(memory, folder);
        Ok(())
    }

    /// Whether calls use the rayon pool that they are made from. The results are the same.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// How many keys have been learned.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the models that are in memory.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.entries.memory()
    }

    /// How many models are in memory.
    #[must_use]
    pub fn n_live(&self) -> usize {
        self.entries.n_live()
    }

    /// What the model of a new key begins as.
    #[must_use]
    pub fn begin(&self) -> &Model {
        &self.begin
    }

    /// The columns that all models share, if they have names.
    #[must_use]
    pub fn columns(&self) -> Option<&Arc<Columns>> {
        self.columns.as_ref()
    }

    /// The name of the float type, once a batch has fixed it.
    #[must_use]
    pub fn type_name(&self) -> Option<&'static str> {
        self.shape.map(|shape| shape.dtype).or_else(|| self.begin.learner().map(AnyLearner::type_name))
    }

    /// All keys, in the order in which they came.
    #[must_use]
    pub fn keys(&self) -> Option<Keys> {
        self.index.keys()
    }

    /// Whether there is a model of the key.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        self.index.find(key).is_some()
    }

    /// Whether rows that were arranged by these columns are rows of the models, perhaps with words that are new.
    #[must_use]
    pub fn goes_on_with(&self, columns: &Arc<Columns>) -> bool {
        match &self.columns {
            Some(known) => self.has_columns(columns) || known.is_prefix_of(columns),
            None => self.shape.is_none(),
        }
    }

    /// Whether the models have these columns.
    #[must_use]
    pub fn has_columns(&self, columns: &Arc<Columns>) -> bool {
        self.columns.as_ref().is_some_and(|known| Arc::ptr_eq(known, columns) || known == columns)
    }

    /// A copy of the model of a key; none of a key that never came.
    ///
    /// # Errors
    /// When it cannot be read again.
    pub fn get(&self, key: &Key) -> Result<Option<Model>> {
        let common = Common { begin: &self.begin, shape: self.shape, columns: self.columns.as_ref() };
        self.index.find(key).map(|slot| self.entries.copy(slot, &common)).transpose()
    }

    /// Learns the rows of a batch, each by the model of its key; see [`Model::learn`].
    ///
    /// # Errors
    /// When there is not one key to the row, or keys are of another kind than before; and as [`Model::check_batch`].
    /// Nothing is learned then. What only the model of a key can refuse (labels that leave no room in its file, a row
    /// that is too long for its own gamma) is an error that names the key; other keys may have learned theirs.
    pub fn learn<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        self.learn_while(keys, rows, columns, batch, || true).map(|_| ())
    }

    /// The same as long as it may go on: it is asked every few thousand rows. Returns the number of rows learned; they
    /// are whole groups of keys, not the first of the batch.
    ///
    /// # Errors
    /// As [`KeyedModels::learn`].
    pub fn learn_while<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
        go_on: impl FnMut() -> bool,
    ) -> Result<usize> {
        self.check_keys(keys, rows)?;
        if batch.order.is_some() {
            let reason = "models by key learn the rows of a key in the order in which they come";
            return Err(Error::State(reason.into()));
        }
        let shape = self.check_shape(rows, batch)?;
        let known = self.merged(columns)?;
        self.begin.check_batch(rows, known.as_ref(), batch)?;
        let slots = self.index.slots(keys)?;
        self.entries.grow(self.index.len());
        (self.shape, self.columns) = (Some(shape), known);
        let columns = self.columns.clone();
        let learn = |model: &mut Model, part: &Part<'_, T>| {
            let (y, weights) =
                (Targets::pick(batch, part.places), batch.weights.map(|w| pick(w, part.places)));
            model.learn(&part.x(), columns.as_ref(), &y.batch(weights.as_deref()))
        };
        let groups = Groups::of(&slots, |slot| self.entries.place(slot));
        let mut learned = 0;
        let common = Common { begin: &self.begin, shape: self.shape, columns: self.columns.as_ref() };
        self.entries
            .run(
                &groups,
                How { common, parallel: self.parallel, changes: true },
                rows,
                learn,
                |places, ()| learned += places.len(),
                go_on,
            )
            .map_err(|(slot, error)| self.of_key(slot, error))?;
        Ok(learned)
    }

    fn check_keys<T: LearnerFloat>(&self, keys: &Keys, rows: &Rows<'_, T>) -> Result<()> {
        if keys.len() != rows.len() {
            return Err(Error::shape("keys", format!("{} entries, one to the row", rows.len()), keys.len()));
        }
        self.index.check_kind(keys)
    }
}
