//! A thread pool of our own: the global one hangs after a fork.

use arc_swap::ArcSwapOption;
use budgetrs::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

struct Pool {
    /// The process that made it: after a fork its threads are gone.
    process: u32,
    threads: usize,
    workers: ThreadPool,
}

/// No lock, which a fork might leave locked for ever. Two threads may each make a pool at once; the later one stays.
static POOL: ArcSwapOption<Pool> = ArcSwapOption::const_empty();

/// How many threads `n_jobs` asks for, by joblib's convention: None is 1, -1 all cores, -2 all but one.
pub(crate) fn count(n_jobs: Option<i64>) -> Result<usize> {
    match n_jobs {
        None => Ok(1),
        Some(0) => Err(Error::parameter("n_jobs", "None or an integer other than 0", 0)),
        Some(n) if n > 0 => Ok(n.min(1024) as usize),
        Some(n) => {
            // Asking takes longer (25 us, from files of the system) than predicting a row: only where it is needed.
            let cores = std::thread::available_parallelism().map_or(1, usize::from) as i64;
            Ok(cores.saturating_add(1).saturating_add(n).max(1) as usize)
        }
    }
}

/// Runs on a pool of that many threads.
pub(crate) fn run<R: Send>(threads: usize, job: impl FnOnce() -> R + Send) -> Result<R> {
    let process = std::process::id();
    let pool = match POOL.load_full() {
        Some(pool) if pool.process == process && pool.threads == threads => pool,
        _ => {
            let workers = ThreadPoolBuilder::new().num_threads(threads).build();
            let workers =
                workers.map_err(|e| Error::State(format!("cannot start {threads} threads: {e}").into()))?;
            let made = Arc::new(Pool { process, threads, workers });
            // Dropping a pool of another process would wait for threads that do not exist here.
            if let Some(old) = POOL.swap(Some(Arc::clone(&made))).filter(|old| old.process != process) {
                std::mem::forget(old);
            }
            made
        }
    };
    Ok(pool.workers.install(job))
}
