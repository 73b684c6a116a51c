//! The lock of the call that may change an object: a lock that knows its holder.
//!
//! A thread that asks for a lock it already holds (from a signal handler, say) gets an error instead of a deadlock. The
//! child of a fork does not wait for a thread that exists in its parent only. Waiting threads poll instead of queueing,
//! because a fork could tear a queue; Ctrl-C ends the wait.

use crate::error::catch_panic;
use crate::signals::wait_until_some;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, TryLockError};

/// One thread of one process: the id of the process, and a number of the thread from 1 on. A child's new threads count on
/// from the fork, so no number is given twice in one process. 0 is no thread.
type Holder = u64;

/// A call that learns a single row and keeps the GIL to its end. Neither a fork nor a nested call can happen meanwhile, so
/// the lock need not know the thread: reading the process id takes about as long as the row.
const SINGLE_ROW: Holder = u32::MAX as u64;
/// A call that ended in a panic, and will not release the lock.
const PANICKED: Holder = SINGLE_ROW - 1;

fn this_thread() -> Holder {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    thread_local!(static NUMBER: u32 = NEXT.fetch_add(1, Ordering::Relaxed));
    u64::from(std::process::id()) << 32 | u64::from(NUMBER.with(|number| *number))
}

/// The state of a lock as seen by one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockState {
    Free,
    /// Held by this thread, in a call further up its stack.
    Mine,
    /// Held by another thread, which will release it.
    Others,
    /// Never released: the holder panicked, or is a thread of the process that this one was forked from.
    Orphaned,
}

impl LockState {
    fn of(holder: Holder, this_thread: Holder) -> Self {
        match holder {
            0 => Self::Free,
            SINGLE_ROW => Self::Others,
            // True also in a child that this very thread forked while it held the lock.
            _ if holder as u32 == this_thread as u32 => Self::Mine,
            _ if holder >> 32 == this_thread >> 32 => Self::Others,
            _ => Self::Orphaned,
        }
    }
}

/// The lock: its [`Holder`], or 0.
#[derive(Debug, Default)]
pub(crate) struct WriterLock(AtomicU64);

/// Holds a lock, and releases it when dropped.
pub(crate) struct LockGuard<'a> {
    lock: &'a WriterLock,
    holder: Holder,
}

impl LockGuard<'_> {
    /// Marks the lock as [`LockState::Orphaned`], in the place of its release.
    pub(crate) fn abandon(&self) {
        self.replace(PANICKED);
    }

    /// Does nothing where another thread has taken over the lock, or it was abandoned.
    fn replace(&self, holder: Holder) {
        let _ = self.lock.0.compare_exchange(self.holder, holder, Ordering::Release, Ordering::Relaxed);
    }
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        self.replace(0);
    }
}

impl WriterLock {
    /// Waits for the lock. An orphaned one is taken over: what it guards may be half changed.
    ///
    /// To be called without the GIL, which the holder may need to finish.
    pub(crate) fn lock(&self) -> PyResult<LockGuard<'_>> {
        let this_thread = this_thread();
        wait_until_some(|| {
            let seen = self.0.load(Ordering::Relaxed);
            match LockState::of(seen, this_thread) {
                LockState::Free | LockState::Orphaned => Ok(self.acquire(seen, this_thread)),
                LockState::Mine => Err(nested_call()),
                LockState::Others => Ok(None),
            }
        })
    }

    /// Takes the lock if it is free, without a wait.
    pub(crate) fn try_lock(&self) -> Option<LockGuard<'_>> {
        self.acquire(0, this_thread())
    }

    /// Like [`WriterLock::try_lock`], for a call that keeps the GIL until it releases the lock, and runs no Python
    /// code.
    pub(crate) fn try_lock_for_row(&self) -> Option<LockGuard<'_>> {
        self.acquire(0, SINGLE_ROW)
    }

    fn acquire(&self, seen: u64, holder: Holder) -> Option<LockGuard<'_>> {
        let swapped = self.0.compare_exchange(seen, holder, Ordering::Acquire, Ordering::Relaxed);
        // Not `then_some`: the guard that it would drop would release the lock of a call further up the stack.
        swapped.is_ok().then(|| LockGuard { lock: self, holder })
    }

    pub(crate) fn state(&self) -> LockState {
        LockState::of(self.0.load(Ordering::Acquire), this_thread())
    }
}

/// The error of a call that can proceed only after a call further up its own stack.
pub(crate) fn nested_call() -> PyErr {
    PyRuntimeError::new_err(
        "this object is being changed by a call of the same thread, from within which this call was made (by a signal \
         handler, for example); let that one finish first",
    )
}

/// A value that one call at a time uses, without the GIL.
pub(crate) struct Exclusive<T> {
    lock: WriterLock,
    /// Locked by the holder of `lock` only, so nobody waits for it.
    value: Mutex<T>,
    /// The error where the process was forked while another thread used the value.
    lost: &'static str,
}

impl<T: Send> Exclusive<T> {
    pub(crate) fn new(value: T, lost: &'static str) -> Self {
        Self { lock: WriterLock::default(), value: Mutex::new(value), lost }
    }

    /// Waits for the value and runs `job` with it. A panic of an earlier job is ignored: the value must survive one.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut T) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        py.detach(|| {
            catch_panic(|| {
                let _guard = self.lock.lock()?;
                match self.value.try_lock() {
                    Ok(mut value) => job(&mut value),
                    Err(TryLockError::Poisoned(value)) => job(&mut value.into_inner()),
                    Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(self.lost)),
                }
            })
        })
    }
}
