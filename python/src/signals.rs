//! Long calls in slices, with looks for Ctrl-C in between.

use pyo3::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The time between two looks, and about the longest slice: together well below what a user notices.
const LOOK: Duration = Duration::from_millis(40);
const SLICE: Duration = Duration::from_millis(20);
/// By how much a slice may outgrow the one before, whose time says little about rows of another kind.
const GROWTH: usize = 16;

/// Looks for signals, no oftener than is worth taking the interpreter for.
pub(crate) struct SignalPoll(Instant);

impl Default for SignalPoll {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl SignalPoll {
    /// Runs Python's signal handlers if it is time to; an error is what one of them raised.
    pub(crate) fn poll(&mut self) -> PyResult<()> {
        if self.0.elapsed() < LOOK {
            return Ok(());
        }
        // An interpreter that is going down has no more handlers to run.
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime")]
        let looked = Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()));
        self.0 = Instant::now();
        looked
    }
}

/// Runs a job on all rows, slice by slice, in order, and looks for signals in between. What a row costs is measured,
/// not guessed: it depends on kernel, maintenance, support vectors and threads, and changes on the way.
pub(crate) fn in_slices(rows: usize, mut job: impl FnMut(Range<usize>) -> PyResult<()>) -> PyResult<()> {
    let mut watch = SignalPoll::default();
    let mut began = watch.0;
    let (mut from, mut size) = (0, 1);
    while from < rows {
        let to = rows.min(from + size);
        job(from..to)?;
        if to < rows {
            size = next_size(size, began.elapsed());
            watch.poll()?;
            began = Instant::now();
        }
        from = to;
    }
    Ok(())
}

/// As many rows as take one [`SLICE`], going by a slice of `size` rows that took a time.
fn next_size(size: usize, took: Duration) -> usize {
    let fitting = size as f64 * SLICE.as_secs_f64() / took.as_secs_f64().max(1e-9);
    (fitting as usize).clamp(1, size.saturating_mul(GROWTH))
}
