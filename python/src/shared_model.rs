//! A model that one thread changes while others look at it.

use crate::error::{guard, to_python};
use crate::float_type::NumpyFloat;
use crate::fork::CheckedOut;
use crate::gil::is_short_learn;
use crate::snapshot::{Batch, Snapshot, numbers_of};
use crate::writer_lock::{LockGuard, LockState, Wait, WriterLock, within_itself};
use arc_swap::{ArcSwapOption, Guard};
use budgetrs::Rows;
use budgetrs::columns::Columns;
use budgetrs::model::{AnyLearner, Model};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of a model as readers see it. They hold no lock: what they look at stays as it is for as long as they do.
///
/// The one call that has the turn to change it takes it out, and readers wait; or, where that would take longer than a
/// copy, it leaves it and publishes a changed copy at its end. Either way a reader that still looks makes the change
/// happen in a copy. A process that is forked meanwhile has what is published at that moment; forks wait for calls that
/// have taken it out.
pub(crate) struct SharedModel {
    turn: WriterLock,
    published: ArcSwapOption<Snapshot>,
    /// The call that had taken it out will not put it back.
    lost: AtomicBool,
}

impl SharedModel {
    pub(crate) fn new(model: Model) -> Self {
        Self {
            turn: WriterLock::default(),
            published: ArcSwapOption::from_pointee(Snapshot { model }),
            lost: AtomicBool::new(false),
        }
    }

    /// The published state, waited for if need be. To be called without the interpreter.
    fn current(&self) -> PyResult<Arc<Snapshot>> {
        let mut wait = Wait::default();
        loop {
            if let Some(state) = self.published.load_full() {
                return Ok(state);
            }
            match self.turn.standing() {
                LockState::Mine => return Err(within_itself()),
                LockState::Gone => self.lost.store(true, Ordering::Release),
                LockState::Free | LockState::Others => {}
            }
            if self.lost.load(Ordering::Acquire) {
                return Err(lost());
            }
            wait.step()?;
        }
    }

    /// The published state, unless a call has taken it out.
    pub(crate) fn published(&self) -> Guard<Option<Arc<Snapshot>>> {
        self.published.load()
    }

    /// Looks at the model without the interpreter.
    pub(crate) fn read<R: Send>(
        &self,
        py: Python<'_>,
        view: impl FnOnce(&Snapshot) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        py.detach(|| guard(|| view(&*self.current()?)))
    }

    /// Looks at the model: where that is over soon and there is nothing to wait for, with the interpreter, which takes
    /// longer to release and to take again.
    pub(crate) fn read_holding_gil_if<R: Send>(
        &self,
        py: Python<'_>,
        is_soon: impl FnOnce(&Snapshot) -> bool,
        view: impl FnOnce(&Snapshot) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        match self.published().as_ref() {
            Some(state) if is_soon(state) => guard(|| view(state)),
            _ => self.read(py, view),
        }
    }

    /// Looks at what is there at once.
    pub(crate) fn read_holding_gil<R: Send>(
        &self,
        py: Python<'_>,
        view: impl FnOnce(&Snapshot) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.read_holding_gil_if(py, |_| true, view)
    }

    /// Looks at what has been learned.
    pub(crate) fn trained<R: Send>(
        &self,
        py: Python<'_>,
        view: impl FnOnce(&AnyLearner) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.read(py, |state| view(state.trained()?))
    }

    /// Changes the model; an error must leave it as it was.
    pub(crate) fn change<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Snapshot) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        py.detach(|| guard(|| change(self.turn()?.take_out(Some(CheckedOut::begin())).state())))
    }

    /// Refuses what [`Shared::learn`] would refuse; false if the rows are to be arranged anew.
    pub(crate) fn check<T: NumpyFloat>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch,
    ) -> PyResult<bool> {
        self.read(py, |state| {
            let fits = columns.is_none_or(|columns| state.model.goes_on_with(columns));
            if fits {
                state.check(rows, columns, batch).map_err(to_python)?;
            }
            Ok(fits)
        })
    }

    /// Learns a batch in one turn, so that no reader sees half of it. Ctrl-C leaves the rows learned so far. False if
    /// nothing was learned, because the rows are to be arranged anew: another call has changed the columns.
    pub(crate) fn learn<T: NumpyFloat>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch,
    ) -> PyResult<bool> {
        let learn = |mut turn: WriteGuard<'_>, detached: bool| {
            if columns.is_some_and(|columns| !turn.state.model.goes_on_with(columns)) {
                return Ok(false);
            }
            if !turn.state.learns_in_copy(rows) {
                turn = turn.take_out(detached.then(CheckedOut::begin));
            }
            turn.state().learn(rows, columns, batch)?;
            Ok(true)
        };
        let is_soon = |state: &Snapshot| {
            let (rows, numbers) = (rows.len(), numbers_of(rows));
            state.model.trained.as_ref().is_some_and(|learner| is_short_learn(learner, rows, numbers))
        };
        // With the interpreter nothing is waited for.
        let turn = self.published().as_deref().is_some_and(is_soon).then(|| self.turn.try_lock()).flatten();
        match turn {
            Some(turn) => guard(|| learn(self.change_in(turn)?, false)),
            None => py.detach(|| guard(|| learn(self.turn()?, true))),
        }
    }

    fn turn(&self) -> PyResult<WriteGuard<'_>> {
        self.change_in(self.turn.take()?)
    }

    fn change_in<'a>(&'a self, turn: LockGuard<'a>) -> PyResult<WriteGuard<'a>> {
        let Some(state) = self.published.load_full() else {
            self.lost.store(true, Ordering::Release);
            return Err(lost());
        };
        Ok(WriteGuard { shared: self, state, changed: false, out: None, _turn: turn })
    }

    /// The turn to learn a row with the interpreter held, if it is free, with the state taken out.
    pub(crate) fn lock_for_row(&self) -> Option<WriteGuard<'_>> {
        let turn = self.turn.try_lock_for_row()?;
        // What is taken out without a turn is lost, as the way of batches says.
        let state = self.published.swap(None)?;
        Some(WriteGuard { shared: self, state, changed: true, out: None, _turn: turn })
    }
}

/// The turn of one call to change the model; what it has changed is published when it is dropped.
pub(crate) struct WriteGuard<'a> {
    shared: &'a SharedModel,
    state: Arc<Snapshot>,
    changed: bool,
    /// Where the interpreter is not held meanwhile: a fork waits for it.
    out: Option<CheckedOut>,
    /// Given back after the publication, as the last field.
    _turn: LockGuard<'a>,
}

impl WriteGuard<'_> {
    /// Takes the state away from readers, so that it need not be copied.
    fn take_out(mut self, out: Option<CheckedOut>) -> Self {
        self.out = out;
        self.shared.published.store(None);
        self.changed = true;
        self
    }

    pub(crate) fn state(&mut self) -> &mut Snapshot {
        self.changed = true;
        Arc::make_mut(&mut self.state)
    }
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        if !self.changed {
            return;
        }
        if !std::thread::panicking() {
            self.shared.published.store(Some(Arc::clone(&self.state)));
        } else if self.shared.published.load().is_none() {
            self.shared.lost.store(true, Ordering::Release);
        }
    }
}

fn lost() -> PyErr {
    PyRuntimeError::new_err(
        "this model is lost: the call that was changing it ended in the middle, by an internal error or because the \
         process was forked meanwhile; load a saved one",
    )
}
