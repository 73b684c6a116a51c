//! A thread pool that is made anew after a fork, where rayon's global pool would hang.

use arc_swap::ArcSwapOption;
use budgetrs::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

struct Pool {
    /// The process that made the pool. A child of a fork does not have its threads.
    process: u32,
    threads: usize,
    workers: ThreadPool,
}

/// The pool of the last call. There is no lock, since a fork could leave it locked for ever: two threads may make a
/// pool at once, and the later pool stays.
static POOL: ArcSwapOption<Pool> = ArcSwapOption::const_empty();

/// The number of threads for `n_jobs`, by joblib's convention: None is 1, -1 all cores, -2 all cores but one.
pub(crate) fn n_threads(n_jobs: Option<i64>) -> Result<usize> {
    match n_jobs {
        None => Ok(1),
        Some(0) => Err(Error::parameter("n_jobs", "None or an integer other than 0", 0)),
        Some(n) if n > 0 => Ok(n.min(1024) as usize),
        Some(n) => {
            // This reads files of the system and takes 25 us, longer than predicting a row.
            let cores = std::thread::available_parallelism().map_or(1, usize::from) as i64;
            Ok(cores.saturating_add(1).saturating_add(n).max(1) as usize)
        }
    }
}

/// Runs a job on a pool with this number of threads.
pub(crate) fn run<R: Send>(threads: usize, job: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    let process = std::process::id();
    let pool = match POOL.load_full() {
        Some(pool) if pool.process == process && pool.threads == threads => pool,
        _ => {
            let workers = ThreadPoolBuilder::new().num_threads(threads).build();
            let workers =
                workers.map_err(|e| Error::State(format!("cannot start {threads} threads: {e}").into()))?;
            let made = Arc::new(Pool { process, threads, workers });
            // Dropping the pool of another process would wait for threads that this process does not have.
            if let Some(old) = POOL.swap(Some(Arc::clone(&made))).filter(|old| old.process != process) {
                std::mem::forget(old);
            }
            made
        }
    };
    pool.workers.install(job)
}
