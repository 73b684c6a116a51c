//! Forks wait for the calls that have taken a model out of the sight of readers: a child has no thread to put it back.

use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After this time a process is forked all the same; the model of a call that takes longer is lost to the child.
const LONGEST: Duration = Duration::from_secs(10);

/// Calls that have a model out.
static CALLS: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

thread_local! {
    /// Those of this thread: a signal handler may fork in the middle of one.
    static OWN: Cell<usize> = const { Cell::new(0) };
    /// Held while this thread forks, so that no call begins, and no other thread has it locked in the child.
    static FORKING: RefCell<Option<MutexGuard<'static, usize>>> = const { RefCell::new(None) };
}

/// A call that has a model out, from here on until it is dropped. To be made without the interpreter, which a thread that
/// forks waits for.
pub(crate) struct Out;

impl Out {
    pub(crate) fn begin() -> Option<Self> {
        // A call of what runs at a fork is over before it.
        if FORKING.with_borrow(Option::is_some) {
            return None;
        }
        *calls() += 1;
        OWN.set(OWN.get() + 1);
        Some(Self)
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        OWN.set(OWN.get() - 1);
        *calls() -= 1;
        ENDED.notify_all();
    }
}

fn calls() -> MutexGuard<'static, usize> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no other thread has a model out, and lets none begin.
#[pyfunction]
#[pyo3(name = "_before_fork")]
fn before(py: Python<'_>) {
    py.detach(|| {
        let (own, end) = (OWN.get(), Instant::now() + LONGEST);
        let mut calls = calls();
        while *calls > own && Instant::now() < end {
            let waited = ENDED.wait_timeout(calls, Duration::from_millis(50));
            calls = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        FORKING.set(Some(calls));
    });
}

/// In the parent, and in the child, which has the calls of its own thread alone.
#[pyfunction]
#[pyo3(name = "_after_fork")]
fn after(child: bool) {
    if let (Some(mut calls), true) = (FORKING.take(), child) {
        *calls = OWN.get();
    }
}

/// Has Python call them, where it can fork.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    let Ok(register) = py.import("os")?.getattr("register_at_fork") else { return Ok(()) };
    let after = wrap_pyfunction!(after, py)?;
    let partial = py.import("functools")?.getattr("partial")?;
    let calls = pyo3::types::PyDict::new(py);
    calls.set_item("before", wrap_pyfunction!(before, py)?)?;
    calls.set_item("after_in_parent", partial.call1((&after, false))?)?;
    calls.set_item("after_in_child", partial.call1((&after, true))?)?;
    register.call((), Some(&calls))?;
    Ok(())
}
