//! Forks wait for calls that have checked out a snapshot: a child has no thread that would put it back.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest wait of a fork. The child loses the model of a call that takes longer.
const MAX_FORK_WAIT: Duration = Duration::from_secs(10);
/// The longest wait of a call for a pending fork that waits no more itself. It then proceeds, since another at-fork
/// handler may wait for a lock of its thread.
const MAX_CALL_WAIT: Duration = Duration::from_millis(100);
/// The pause between two looks at the counters.
const PAUSE: Duration = Duration::from_micros(50);

// Atomic counters, no locks: a lock that another thread holds at the fork stays locked for ever in the child.
/// Calls that have checked out a snapshot.
static CHECKED_OUT: AtomicUsize = AtomicUsize::new(0);
/// Threads that are about to fork.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// Threads that are about to fork and wait for calls.
static WAITING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The calls of this thread that have checked out a snapshot: a signal handler may fork in the middle of one.
    static OWN_CHECKED_OUT: Cell<usize> = const { Cell::new(0) };
    /// The forks of this thread that are pending: an at-fork handler may learn.
    static OWN_FORKING: Cell<usize> = const { Cell::new(0) };
}

/// A call that has checked out a snapshot, until it is dropped. To be made without the GIL.
pub(crate) struct CheckedOut(());

impl CheckedOut {
    pub(crate) fn begin() -> Self {
        let mut end = Instant::now() + MAX_CALL_WAIT;
        loop {
            CHECKED_OUT.fetch_add(1, Ordering::SeqCst);
            if FORKING.load(Ordering::SeqCst) <= OWN_FORKING.get() || Instant::now() > end {
                OWN_CHECKED_OUT.set(OWN_CHECKED_OUT.get() + 1);
                return Self(());
            }
            CHECKED_OUT.fetch_sub(1, Ordering::SeqCst);
            if WAITING.load(Ordering::SeqCst) > 0 {
                end = Instant::now() + MAX_CALL_WAIT;
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for CheckedOut {
    fn drop(&mut self) {
        OWN_CHECKED_OUT.set(OWN_CHECKED_OUT.get() - 1);
        CHECKED_OUT.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Keep calls from checking out snapshots, and wait until no other thread has one.
#[pyfunction]
#[pyo3(name = "_before_fork")]
fn before_fork(py: Python<'_>) {
    OWN_FORKING.set(OWN_FORKING.get() + 1);
    WAITING.fetch_add(1, Ordering::SeqCst);
    FORKING.fetch_add(1, Ordering::SeqCst);
    py.detach(|| {
        let (own, end) = (OWN_CHECKED_OUT.get(), Instant::now() + MAX_FORK_WAIT);
        while CHECKED_OUT.load(Ordering::SeqCst) > own && Instant::now() < end {
            sleep(PAUSE);
        }
    });
    WAITING.fetch_sub(1, Ordering::SeqCst);
}

/// Let calls proceed: in the parent, and in the child, which has this thread alone.
#[pyfunction]
#[pyo3(name = "_after_fork")]
fn after_fork(child: bool) {
    OWN_FORKING.set(OWN_FORKING.get().saturating_sub(1));
    if child {
        CHECKED_OUT.store(OWN_CHECKED_OUT.get(), Ordering::SeqCst);
        FORKING.store(OWN_FORKING.get(), Ordering::SeqCst);
        WAITING.store(0, Ordering::SeqCst);
    } else {
        FORKING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Registers the at-fork handlers, on systems that can fork.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    let Ok(register) = py.import("os")?.getattr("register_at_fork") else { return Ok(()) };
    let after = wrap_pyfunction!(after_fork, py)?;
    let partial = py.import("functools")?.getattr("partial")?;
    let hooks = pyo3::types::PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before_fork, py)?)?;
    hooks.set_item("after_in_parent", partial.call1((&after, false))?)?;
    hooks.set_item("after_in_child", partial.call1((&after, true))?)?;
    register.call((), Some(&hooks))?;
    Ok(())
}
