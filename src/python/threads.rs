//! A thread pool of our own: the global one hangs after a fork.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex};

struct Pool {
    /// The process that made it: after a fork its threads are gone.
    process: u32,
    threads: usize,
    shared: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// How many threads `n_jobs` asks for, by joblib's convention: None is 1, -1 all cores, -2 all but one.
pub(super) fn count(n_jobs: Option<i64>) -> Result<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as i64;
    match n_jobs {
        None => Ok(1),
        Some(0) => Err(Error::parameter("n_jobs", "None or an integer other than 0", 0)),
        Some(n) if n < 0 => Ok((cores + 1 + n).max(1) as usize),
        Some(n) => Ok(n.min(1024) as usize),
    }
}

/// Runs on a pool of that many threads.
pub(super) fn run<R: Send>(threads: usize, job: impl FnOnce() -> R + Send) -> Result<R> {
    let process = std::process::id();
    let pool = {
        // A fork may have happened while another thread held the lock: what it guards is replaced whole, never torn.
        let mut pool = POOL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*pool {
            Some(p) if p.process == process && p.threads == threads => Arc::clone(&p.shared),
            _ => {
                let made = ThreadPoolBuilder::new().num_threads(threads).build();
                let made =
                    made.map_err(|e| Error::State(format!("cannot start {threads} threads: {e}").into()))?;
                let made = Arc::new(made);
                let old = pool.replace(Pool { process, threads, shared: Arc::clone(&made) });
                // Dropping a pool of another process would wait for threads that do not exist here.
                if let Some(old) = old.filter(|old| old.process != process) {
                    std::mem::forget(old);
                }
                made
            }
        }
    };
    Ok(pool.install(job))
}
