//! One model per key, for many keys, within a memory limit.

mod archive;
mod cache;
mod checks;
mod counts;
mod gather;
mod index;
mod predict;
mod record_file;
mod remove;
mod save;
mod schema;
mod slot;
mod spill;
#[cfg(test)]
mod tests;

pub use counts::KeyCounts;
pub use index::{Key, Keys};

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::model::{AnyLearner, Batch, Fit, LearnerFloat, Model};
use crate::persist::Metadata;
use cache::{ModelCache, RunOptions};
use gather::{Groups, KeyRows, KeyTargets, gather};
use index::Index;
use schema::{Schema, Template};
use std::path::PathBuf;
use std::sync::Arc;

/// One model per key, such as a user, a device or a shop.
///
/// The rows of a batch are grouped by key, and each model learns the rows of its key in their order. Every model is
/// bit-identical to a model that learned only these rows. The model of a new key is a copy of a template, which may
/// have learned before. The first batch fixes float type, number of columns and label type for all keys.
///
/// Use it for many small models: if all models together exceed a memory limit, the least recently used models are
/// spilled to a temporary file, and read again when their key is used. A save writes the models that have changed. For a few large models, keep the models
/// themselves in a map.
///
/// ```
/// use budgetrs::keyed::{Key, KeyedModels, Keys};
/// use budgetrs::model::{Batch, Model};
/// use budgetrs::{Labels, Rows, Spec};
///
/// let mut models = KeyedModels::new(Model::new(Spec::named("pa")?.check()?))?;
/// let keys = Keys::Text(["ann", "bob", "ann", "bob"].map(String::from).to_vec());
/// let (x, y) = (ndarray::arr2(&[[0.0], [0.0], [1.0], [1.0]]), Labels::Int(vec![0, 1, 1, 0]));
/// models.learn(&keys, &Rows::Dense(x.view()), None, &Batch::labels(&y))?;
/// assert_eq!(models.predict(&keys, &Rows::Dense(x.view()), None)?, y);
/// assert_eq!(models.get(&Key::Text("ann".into()))?.is_some(), true);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug)]
pub struct KeyedModels {
    template: Model,
    index: Index,
    cache: ModelCache,
    /// The counts of each slot.
    counts: Vec<KeyCounts>,
    n_rows: u64,
    /// Fixed by the first batch.
    schema: Option<Schema>,
    columns: Option<Arc<Columns>>,
    parallel: bool,
    /// True if keys were removed since the last save, so that slots have changed.
    has_removed_keys: bool,
    /// The user's metadata in the file of all models; the models of the keys have none.
    pub metadata: Metadata,
}

/// Default memory limit in bytes: 1 GiB.
pub const DEFAULT_MAX_MEMORY: usize = 1 << 30;

impl KeyedModels {
    /// Creates a collection without keys and with a memory limit of [`DEFAULT_MAX_MEMORY`].
    ///
    /// # Errors
    /// If the template cannot be saved.
    pub fn new(template: Model) -> Result<Self> {
        // New models are copies of the template.
        let template = Model { metadata: Metadata::default(), ..template };
        template.to_bytes()?;
        let columns = template.columns.clone();
        Ok(Self {
            template,
            index: Index::default(),
            cache: ModelCache::new(DEFAULT_MAX_MEMORY),
            counts: Vec::new(),
            n_rows: 0,
            schema: None,
            columns,
            parallel: false,
            has_removed_keys: false,
            metadata: Metadata::default(),
        })
    }

    /// Sets the memory limit of the models in bytes, and the directory of the spill file, by default the system's
    /// directory for temporary files.
    ///
    /// A call may exceed the limit by a quarter, plus the growth of models that are not full by up to 16,384 rows. The
    /// limit does not include the keys, about 125 bytes each.
    ///
    /// # Errors
    /// If the limit is 0 or the directory does not exist.
    pub fn set_memory_limit(&mut self, max_memory: usize, spill_directory: Option<PathBuf>) -> Result<()> {
        if max_memory == 0 {
            return Err(Error::parameter("max_memory", "a number of bytes of at least 1", 0));
        }
        if let Some(missing) = spill_directory.as_ref().filter(|directory| !directory.is_dir()) {
            let got = format!("{:?}", missing.display().to_string());
            return Err(Error::parameter("spill_dir", "an existing directory", got));
        }
        self.cache.set_limit(max_memory, spill_directory);
        Ok(())
    }

    /// Specifies whether calls use the current rayon pool. The results do not depend on it.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns true if there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory of the models that are in memory, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.cache.memory()
    }

    /// Number of models in memory.
    #[must_use]
    pub fn n_resident(&self) -> usize {
        self.cache.n_resident()
    }

    /// The model of which new models are copies.
    #[must_use]
    pub fn template(&self) -> &Model {
        &self.template
    }

    /// The named columns of all models, if the batches have column names.
    #[must_use]
    pub fn columns(&self) -> Option<&Arc<Columns>> {
        self.columns.as_ref()
    }

    /// Name of the float type, once the first batch or the template has fixed it.
    #[must_use]
    pub fn type_name(&self) -> Option<&'static str> {
        self.schema.map(Schema::dtype).or_else(|| self.template.learner().map(AnyLearner::type_name))
    }

    /// All keys, in order of appearance.
    #[must_use]
    pub fn keys(&self) -> Option<Keys> {
        self.index.keys_from(0)
    }

    /// Number of rows learned for all keys together, also for keys that were removed. Rows of weight 0 are counted, and
    /// the rows of [`Model::fit`] once.
    #[must_use]
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// All keys and their counts, in the order of [`KeyedModels::keys`]. No model is read.
    #[must_use]
    pub fn counts(&self) -> (Option<Keys>, &[KeyCounts]) {
        (self.keys(), &self.counts)
    }

    /// Returns true if the key has a model.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        self.index.find(key).is_some()
    }

    /// Returns true if the models accept rows with these columns, which may have new categories.
    #[must_use]
    pub fn accepts_columns(&self, columns: &Arc<Columns>) -> bool {
        match &self.columns {
            Some(known) => self.has_columns(columns) || known.is_prefix_of(columns),
            None => self.schema.is_none(),
        }
    }

    /// Returns true if the models have exactly these columns.
    #[must_use]
    pub fn has_columns(&self, columns: &Arc<Columns>) -> bool {
        self.columns.as_ref().is_some_and(|known| Arc::ptr_eq(known, columns) || known == columns)
    }

    /// Returns a copy of the model of a key, or `None` for an unknown key.
    ///
    /// # Errors
    /// If the model cannot be read from a file.
    pub fn get(&self, key: &Key) -> Result<Option<Model>> {
        let template =
            Template { model: &self.template, schema: self.schema, columns: self.columns.as_ref() };
        self.index.find(key).map(|slot| self.cache.get(slot, &template)).transpose()
    }

    /// Learns the rows of a batch, each with the model of its key; see [`Model::learn`].
    ///
    /// # Errors
    /// If the number of keys differs from the number of rows, or the type of the keys from earlier batches; otherwise
    /// as [`Model::validate`]. Nothing is learned then. A few errors depend on the model of a key: too many labels
    /// for its file, a row that is too large for its gamma. They name the key, and other keys may have learned their
    /// rows.
    pub fn learn<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        self.learn_while(keys, rows, columns, (batch, None), || true).map(|_| ())
    }

    /// Like [`KeyedModels::learn`], but asks `go_on` every few thousand rows whether to continue. With a [`Fit`], each
    /// key must be new, and its model learns its rows in several passes, as [`Model::fit`]. Returns the number of rows
    /// learned: all rows of some keys, not the first rows of the batch.
    ///
    /// # Errors
    /// As [`KeyedModels::learn`]; with a [`Fit`] also for a known key.
    pub fn learn_while<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        (batch, fit): (&Batch<'_>, Option<Fit>),
        go_on: impl FnMut() -> bool,
    ) -> Result<usize> {
        self.check_keys(keys, rows)?;
        if fit.is_some() {
            self.index.check_new(keys)?;
        }
        if batch.order.is_some() {
            let reason =
                "order is not available in KeyedModels, which learn the rows of a key in stream order";
            return Err(Error::State(reason.into()));
        }
        let schema = self.check_schema(rows, batch)?;
        let columns = self.merge_columns(columns)?;
        self.template.validate(rows, columns.as_ref(), batch)?;
        let slots = self.index.find_or_insert(keys)?;
        self.cache.resize(self.index.len());
        self.counts.resize(self.index.len(), KeyCounts::default());
        (self.schema, self.columns) = (Some(schema), columns.clone());
        let n_before = self.n_rows;
        let learn = |model: &mut Model, rows: &KeyRows<'_, T>| {
            let last_row = n_before + rows.indices.last().map_or(0, |row| *row as u64 + 1);
            let y = KeyTargets::gather(batch, rows.indices);
            let weights = batch.weights.map(|weights| gather(weights, rows.indices));
            let (rows, batch) = (rows.rows(), y.batch(weights.as_deref()));
            match fit {
                Some(fit) => model.fit(&rows, columns.as_ref(), &batch, fit, &mut ()).map(drop)?,
                None => model.learn(&rows, columns.as_ref(), &batch)?,
            }
            Ok(KeyCounts::of(model, last_row))
        };
        let groups = Groups::by_slot(&slots, |slot| self.cache.run_order(slot));
        let template =
            Template { model: &self.template, schema: self.schema, columns: self.columns.as_ref() };
        let options = RunOptions { template, parallel: self.parallel, mutates: true };
        let mut n_learned = 0;
        let count = |indices: &[usize], counts| {
            n_learned += indices.len();
            self.counts[slots[indices[0]] as usize] = counts;
        };
        let result = self.cache.run(&groups, options, rows, learn, count, go_on);
        self.n_rows += n_learned as u64;
        result.map_err(|(slot, error)| self.with_key(slot, error))?;
        Ok(n_learned)
    }

    fn check_keys<T: LearnerFloat>(&self, keys: &Keys, rows: &Rows<'_, T>) -> Result<()> {
        if keys.len() != rows.len() {
            return Err(Error::shape("keys", format!("{} entries, one per row", rows.len()), keys.len()));
        }
        self.index.check_type(keys)
    }
}
