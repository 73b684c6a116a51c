//! Ctrl-C during long calls: work in time slices, and waiting loops, both of which poll Python's signal handlers.

use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// The time between two polls. With [`SLICE_TIME`] it is the delay of Ctrl-C, which a user does not notice.
const POLL_INTERVAL: Duration = Duration::from_millis(40);
/// The time that one slice of rows should take.
const SLICE_TIME: Duration = Duration::from_millis(20);
/// The largest ratio of two successive slices: the time of one says little about rows of another kind.
const MAX_SLICE_GROWTH: usize = 16;

/// Attempts of [`wait_until_some`] before it yields its processor, and before it sleeps.
const SPINS: u32 = 64;
const YIELDS: u32 = 128;
const SLEEP: Duration = Duration::from_micros(50);

/// Polls Python's signal handlers, at most once per [`POLL_INTERVAL`]: each poll takes the GIL.
pub(crate) struct SignalPoll {
    last: Instant,
}

impl Default for SignalPoll {
    fn default() -> Self {
        Self { last: Instant::now() }
    }
}

impl SignalPoll {
    /// Runs the signal handlers if the interval has passed. An error is what a handler raised.
    pub(crate) fn poll(&mut self) -> PyResult<()> {
        if self.last.elapsed() < POLL_INTERVAL {
            return Ok(());
        }
        // An interpreter that is shutting down runs no handlers.
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime")]
        let handled = Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()));
        self.last = Instant::now();
        handled
    }
}

/// Calls `job` with the size of each slice of the rows, in order, and polls for signals between two slices.
///
/// The time per row is measured, not predicted: it depends on kernel, maintenance, support vectors and threads, and
/// changes during the batch.
pub(crate) fn in_slices(rows: usize, mut job: impl FnMut(usize) -> PyResult<()>) -> PyResult<()> {
    let mut signals = SignalPoll::default();
    let mut started = signals.last;
    let (mut remaining, mut size) = (rows, 1);
    while remaining > 0 {
        let slice = size.min(remaining);
        job(slice)?;
        remaining -= slice;
        if remaining > 0 {
            size = next_size(size, started.elapsed());
            signals.poll()?;
            started = Instant::now();
        }
    }
    Ok(())
}

/// The number of rows that take [`SLICE_TIME`], estimated from a slice of `size` rows and its time.
fn next_size(size: usize, time: Duration) -> usize {
    let fitting = size as f64 * SLICE_TIME.as_secs_f64() / time.as_secs_f64().max(1e-9);
    (fitting as usize).clamp(1, size.saturating_mul(MAX_SLICE_GROWTH))
}

/// Repeats `attempt` until it returns a value, with longer pauses over time. Ctrl-C ends the wait.
///
/// To be called without the GIL, which the awaited thread may need.
pub(crate) fn wait_until_some<R>(mut attempt: impl FnMut() -> PyResult<Option<R>>) -> PyResult<R> {
    let (mut attempts, mut signals) = (0_u32, None);
    loop {
        if let Some(value) = attempt()? {
            return Ok(value);
        }
        match attempts {
            // Learning a row takes microseconds.
            ..SPINS => std::hint::spin_loop(),
            SPINS..YIELDS => std::thread::yield_now(),
            YIELDS.. => {
                std::thread::sleep(SLEEP);
                signals.get_or_insert_with(SignalPoll::default).poll()?;
            }
        }
        attempts = attempts.saturating_add(1);
    }
}
