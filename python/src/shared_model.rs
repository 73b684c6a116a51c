//! A model that one call at a time changes while other threads read it.
//!
//! Readers load the published snapshot, an immutable `Arc<Model>`, and hold no lock. A call that changes the model
//! holds the [`WriterLock`], and does one of two things:
//!
//! - It checks out the snapshot and changes it in place. Readers wait until it is published again. If the process is
//!   forked meanwhile, the model is lost in the child.
//! - It changes a copy, which replaces the snapshot at its end (copy-on-write). Readers and forks have the old snapshot
//!   meanwhile. [`should_copy`] says where this is worth the copy.
//!
//! A reader that still holds a snapshot when it is checked out keeps it: the change then happens in a copy as well.

use crate::batch::OwnedBatch;
use crate::call_length::{is_short_learn, should_copy};
use crate::error::{catch_panic, not_fitted};
use crate::float_type::{NumpyFloat, with_learner};
use crate::signals::wait_until_some;
use crate::writer_lock::{LockGuard, LockState, WriterLock, nested_call};
use arc_swap::{ArcSwapOption, Guard};
use budgetrs::Rows;
use budgetrs::columns::Columns;
use budgetrs::learner::{Baselines, Counts};
use budgetrs::model::{AnyLearner, Model};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::Arc;

/// The published snapshot of a model, and the lock of the call that changes it.
pub(crate) struct SharedModel {
    lock: WriterLock,
    /// None while a call has checked it out. The lock is released only after it is published again: where it is None
    /// and the lock orphaned, the model is lost.
    snapshot: ArcSwapOption<Model>,
}

impl SharedModel {
    pub(crate) fn new(model: Model) -> Self {
        Self { lock: WriterLock::default(), snapshot: ArcSwapOption::from_pointee(model) }
    }

    /// The snapshot, unless a call has checked it out.
    pub(crate) fn snapshot(&self) -> Guard<Option<Arc<Model>>> {
        self.snapshot.load()
    }

    /// Waits for the snapshot. To be called without the GIL.
    fn wait_for_snapshot(&self) -> PyResult<Arc<Model>> {
        wait_until_some(|| {
            if let Some(snapshot) = self.snapshot.load_full() {
                return Ok(Some(snapshot));
            }
            match self.lock.state() {
                LockState::Mine => Err(nested_call()),
                LockState::Orphaned => Err(lost()),
                LockState::Free | LockState::Others => Ok(None),
            }
        })
    }

    /// Reads the model without the GIL.
    pub(crate) fn read<R: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Model) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        py.detach(|| catch_panic(|| read(&*self.wait_for_snapshot()?)))
    }

    /// Reads the model with the GIL, in a few microseconds; without it where the snapshot must be waited for.
    pub(crate) fn read_holding_gil<R: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Model) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.read_holding_gil_if(py, |_| true, read)
    }

    /// Reads the model with the GIL where there is nothing to wait for and reading is short, else without it.
    pub(crate) fn read_holding_gil_if<R: Send>(
        &self,
        py: Python<'_>,
        is_short: impl FnOnce(&Model) -> bool,
        read: impl FnOnce(&Model) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        match self.snapshot().as_ref() {
            Some(snapshot) if is_short(snapshot) => catch_panic(|| read(snapshot)),
            _ => self.read(py, read),
        }
    }

    /// Reads the learner of a model that has learned.
    pub(crate) fn read_learner<R: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&AnyLearner) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.read(py, |model| read(learner_of(model)?))
    }

    /// Reads a count of the learner; 0 before the first row.
    pub(crate) fn read_count<R: Default + Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&AnyLearner) -> R + Send,
    ) -> PyResult<R> {
        self.read_holding_gil(py, |model| Ok(model.learner().map(read).unwrap_or_default()))
    }

    pub(crate) fn counts(&self, py: Python<'_>) -> PyResult<Counts> {
        self.read_count(py, |any| with_learner!(any, l => l.counts()))
    }

    /// The mean of an error of the model or of a baseline over the rows learned for the first time.
    pub(crate) fn mean_error(&self, py: Python<'_>, sum: fn(&Counts, &Baselines) -> f64) -> PyResult<f64> {
        self.read_holding_gil(py, |model| {
            let (counts, sum) =
                with_learner!(learner_of(model)?, l => (l.counts(), sum(&l.counts(), l.baselines())));
            Ok(sum / counts.n_new.max(1) as f64)
        })
    }

    /// The columns; an error if they have no names.
    pub(crate) fn columns(&self, py: Python<'_>) -> PyResult<Arc<Columns>> {
        let missing = || {
            PyAttributeError::new_err("this model has no column names: it learned arrays, not data frames")
        };
        self.read(py, |model| model.columns.clone().ok_or_else(missing))
    }

    /// Changes the model in place. An error must leave it as it was.
    pub(crate) fn modify<R: Send>(
        &self,
        py: Python<'_>,
        modify: impl FnOnce(&mut Model) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        py.detach(|| {
            catch_panic(|| {
                let mut writer = self.begin_write(self.lock.lock()?)?;
                writer.check_out();
                modify(writer.model())
            })
        })
    }

    /// Learns a batch. No reader sees a part of it. Ctrl-C leaves the rows learned so
    /// far. None: nothing was learned, since another call has changed the columns, so align the rows again.
    ///
    /// Private rows are those that no other thread can change during the call.
    pub(crate) fn learn<T: NumpyFloat>(
        &self,
        py: Python<'_>,
        (rows, are_private): (&Rows<'_, T>, bool),
        columns: Option<&Arc<Columns>>,
        batch: &OwnedBatch,
    ) -> PyResult<Option<()>> {
        let learn = |lock: LockGuard<'_>| {
            let mut writer = self.begin_write(lock)?;
            if columns.is_some_and(|columns| !writer.snapshot.can_continue_with(columns)) {
                return Ok(None);
            }
            if batch.fitting.is_some() {
                // An error or Ctrl-C leaves the model as it was.
                let mut copy = Model::clone(&writer.snapshot);
                batch.learn(&mut copy, (rows, are_private), columns)?;
                writer.replace(copy);
                return Ok(Some(()));
            }
            let (vectors, bytes) = writer
                .snapshot
                .trained
                .as_ref()
                .map_or((0, 0), |any| with_learner!(any, l => (l.n_support(), l.memory())));
            if !should_copy(rows.len(), n_values(rows), vectors, bytes) {
                writer.check_out();
            }
            batch.learn(writer.model(), (rows, are_private), columns).map(Some)
        };
        let is_short = self
            .snapshot()
            .as_ref()
            .and_then(|model| model.trained.as_ref())
            .is_some_and(|any| with_learner!(any, l => is_short_learn(l, rows.len(), n_values(rows))));
        // With the GIL the call must not wait for the lock.
        match (is_short && batch.fitting.is_none()).then(|| self.lock.try_lock()).flatten() {
            Some(lock) => catch_panic(|| learn(lock)),
            None => py.detach(|| catch_panic(|| learn(self.lock.lock()?))),
        }
    }

    /// Checks out the snapshot for a single row that is learned with the GIL, if the lock is free.
    pub(crate) fn check_out_for_row(&self) -> Option<Writer<'_>> {
        let lock = self.lock.try_lock_for_row()?;
        let snapshot = self.snapshot.swap(None)?;
        Some(Writer { shared: self, snapshot, lock })
    }

    fn begin_write<'a>(&'a self, lock: LockGuard<'a>) -> PyResult<Writer<'a>> {
        let Some(snapshot) = self.snapshot.load_full() else {
            lock.abandon();
            return Err(lost());
        };
        Ok(Writer { shared: self, snapshot, lock })
    }
}

/// The call that holds the lock. Its model is published when it is dropped.
pub(crate) struct Writer<'a> {
    shared: &'a SharedModel,
    snapshot: Arc<Model>,
    /// Released after the publication.
    lock: LockGuard<'a>,
}

impl Writer<'_> {
    /// Takes the snapshot from readers, so that it is changed in place.
    fn check_out(&mut self) {
        self.shared.snapshot.store(None);
    }

    /// Publishes another model.
    fn replace(&mut self, model: Model) {
        self.snapshot = Arc::new(model);
    }

    /// The model to change: a copy if anybody else holds the snapshot.
    pub(crate) fn model(&mut self) -> &mut Model {
        Arc::make_mut(&mut self.snapshot)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.shared.snapshot.store(Some(Arc::clone(&self.snapshot)));
        } else if self.shared.snapshot.load().is_none() {
            self.lock.abandon();
        }
    }
}

/// The learner, or the error of a model that has not learned.
pub(crate) fn learner_of(model: &Model) -> PyResult<&AnyLearner> {
    model.trained.as_ref().ok_or_else(not_fitted)
}

/// The values that learning or scoring reads: with sparse rows the stored ones.
pub(crate) fn n_values<T: NumpyFloat>(rows: &Rows<'_, T>) -> usize {
    match rows {
        Rows::Dense(x) => x.len(),
        Rows::Sparse { values, .. } => values.len(),
    }
}

fn lost() -> PyErr {
    PyRuntimeError::new_err(
        "this model is lost: the call that was changing it ended in the middle, by an internal error or because the \
         process was forked meanwhile; load a saved one",
    )
}
