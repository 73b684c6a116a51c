//! Forks wait for the calls that have taken a model out of the sight of readers: a child has no thread to put it back.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// After this time a process is forked all the same; the model of a call that takes longer is lost to the child.
const LONGEST: Duration = Duration::from_secs(10);
/// As long after that wait a call begins all the same: what else runs at the fork may wait for a lock of its thread.
const PATIENCE: Duration = Duration::from_millis(100);
/// Between two looks.
const STEP: Duration = Duration::from_micros(50);

// No locks: another thread could hold one in the moment of the fork, and so for ever in the child.
/// Calls that have a model out.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// Threads that are about to fork.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// Those of them that wait for calls.
static WAITING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The calls of this thread: a signal handler may fork in the middle of one.
    static OWN_CALLS: Cell<usize> = const { Cell::new(0) };
    /// The forks of this thread: what runs at one may learn.
    static OWN_FORKS: Cell<usize> = const { Cell::new(0) };
}

/// A call that has a model out, from here on until it is dropped. To be made without the interpreter.
pub(crate) struct CheckedOut(());

impl CheckedOut {
    pub(crate) fn begin() -> Self {
        let mut end = Instant::now() + PATIENCE;
        loop {
            CALLS.fetch_add(1, Ordering::SeqCst);
            if FORKING.load(Ordering::SeqCst) <= OWN_FORKS.get() || Instant::now() > end {
                OWN_CALLS.set(OWN_CALLS.get() + 1);
                return Self(());
            }
            CALLS.fetch_sub(1, Ordering::SeqCst);
            if WAITING.load(Ordering::SeqCst) > 0 {
                end = Instant::now() + PATIENCE;
            }
            sleep(STEP);
        }
    }
}

impl Drop for CheckedOut {
    fn drop(&mut self) {
        OWN_CALLS.set(OWN_CALLS.get() - 1);
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Lets no call begin, and waits until no other thread has a model out.
#[pyfunction]
#[pyo3(name = "_before_fork")]
fn before(py: Python<'_>) {
    OWN_FORKS.set(OWN_FORKS.get() + 1);
    WAITING.fetch_add(1, Ordering::SeqCst);
    FORKING.fetch_add(1, Ordering::SeqCst);
    py.detach(|| {
        let (own, end) = (OWN_CALLS.get(), Instant::now() + LONGEST);
        while CALLS.load(Ordering::SeqCst) > own && Instant::now() < end {
            sleep(STEP);
        }
    });
    WAITING.fetch_sub(1, Ordering::SeqCst);
}

/// In the parent, and in the child, which has this thread alone.
#[pyfunction]
#[pyo3(name = "_after_fork")]
fn after(child: bool) {
    OWN_FORKS.set(OWN_FORKS.get().saturating_sub(1));
    if child {
        CALLS.store(OWN_CALLS.get(), Ordering::SeqCst);
        FORKING.store(OWN_FORKS.get(), Ordering::SeqCst);
        WAITING.store(0, Ordering::SeqCst);
    } else {
        FORKING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Has Python call them, where it can fork.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    let Ok(register) = py.import("os")?.getattr("register_at_fork") else { return Ok(()) };
    let after = wrap_pyfunction!(after, py)?;
    let partial = py.import("functools")?.getattr("partial")?;
    let hooks = pyo3::types::PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before, py)?)?;
    hooks.set_item("after_in_parent", partial.call1((&after, false))?)?;
    hooks.set_item("after_in_child", partial.call1((&after, true))?)?;
    register.call((), Some(&hooks))?;
    Ok(())
}
