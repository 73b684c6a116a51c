//! A model that one thread changes while others look at it.

use super::convert::{self, Dtype, Input};
use super::error::{guard, poisoned, to_python};
use super::state::{Batch, Native, State};
use crate::model::{AnyLearner, Model};
use arc_swap::ArcSwapOption;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// Calls of this many rows and more publish a snapshot, so that readers need not wait for them.
const SNAPSHOT: usize = 64;

/// The state behind a lock that is taken only after letting go of the interpreter, and while a long call learns, the
/// state before it.
pub(super) struct Shared {
    state: RwLock<State>,
    snapshot: ArcSwapOption<State>,
}

impl Shared {
    pub(super) fn new(model: Model) -> Self {
        Self { state: RwLock::new(State { model, scaling: None }), snapshot: ArcSwapOption::empty() }
    }

    fn read(&self) -> PyResult<RwLockReadGuard<'_, State>> {
        self.state.read().map_err(|_| poisoned())
    }

    pub(super) fn write(&self) -> PyResult<RwLockWriteGuard<'_, State>> {
        self.state.write().map_err(|_| poisoned())
    }

    /// Looks at the model without the interpreter: in place, or at the snapshot of a call that is learning.
    pub(super) fn look<R: Send>(
        &self,
        py: Python<'_>,
        view: impl FnOnce(&State) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        py.detach(|| {
            guard(|| match self.state.try_read() {
                Ok(state) => view(&state),
                Err(TryLockError::Poisoned(_)) => Err(poisoned()),
                Err(TryLockError::WouldBlock) => match self.snapshot.load_full() {
                    Some(state) => view(&state),
                    None => view(&*self.read()?),
                },
            })
        })
    }

    /// Looks at what has been learned.
    pub(super) fn trained<R: Send>(
        &self,
        py: Python<'_>,
        view: impl FnOnce(&AnyLearner) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.look(py, |state| match &state.model.trained {
            Some(learner) => view(learner),
            None => Err(PyAttributeError::new_err("this Classifier has not learned anything yet")),
        })
    }

    /// The float type of the model, or the one that a first batch would give it.
    pub(super) fn dtype_for(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Dtype> {
        let fixed = self.look(py, |state| {
            Ok(match state.model.trained {
                Some(AnyLearner::F32(_)) => Some(Dtype::F32),
                Some(AnyLearner::F64(_)) => Some(Dtype::F64),
                None => None,
            })
        })?;
        match fixed {
            Some(dtype) => Ok(dtype),
            None => convert::dtype_of(py, x),
        }
    }

    /// Learns a batch under one lock, so that no reader sees half of it; looks for Ctrl-C in between, which leaves the
    /// rows learned so far.
    pub(super) fn learn<T: Native>(
        &self,
        py: Python<'_>,
        input: &Input<'_, T>,
        batch: &Batch,
    ) -> PyResult<()> {
        let rows = input.rows();
        py.detach(|| {
            guard(|| {
                let mut state = self.write()?;
                let targets = state.prepare(&rows, batch).map_err(to_python)?;
                if rows.len() >= SNAPSHOT {
                    self.snapshot.store(Some(Arc::new(state.clone())));
                }
                let learned = state.learn(&rows, &targets, batch.weights.as_deref());
                self.snapshot.store(None);
                learned
            })
        })
    }
}
