//! Whose turn it is to change something: a lock that knows its holder.
//!
//! A thread that holds it and asks again (from a signal handler, say) is told so instead of waiting for itself; and
//! since the holder's process is known too, a child of a fork does not wait for a thread that it does not have. Waiting
//! is done in steps, without a queue, because a queue could be torn by a fork as well; and Ctrl-C ends it.

use crate::signals::SignalPoll;
use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyErr, PyResult};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// One thread of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Holder {
    process: u32,
    /// Counted from 1 on. Those of a child start after those of its parent at the fork, so they never meet.
    thread: u32,
}

impl Holder {
    /// Whoever learns a row with the interpreter held, to the end. No process is forked meanwhile, and no call made
    /// within that one, so it need not be known who: asking for the process takes about as long as the row.
    const OF_ROW: Self = Self { process: 0, thread: u32::MAX };

    fn me() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        thread_local!(static NUMBER: u32 = NEXT.fetch_add(1, Ordering::Relaxed));
        Self { process: std::process::id(), thread: NUMBER.with(|number| *number) }
    }

    fn to_bits(self) -> u64 {
        u64::from(self.process) << 32 | u64::from(self.thread)
    }

    fn from_bits(bits: u64) -> Option<Self> {
        (bits != 0).then_some(Self { process: (bits >> 32) as u32, thread: bits as u32 })
    }
}

/// Who has the turn, as seen by the thread that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockState {
    Free,
    /// This thread itself, in a call further up its stack.
    Mine,
    /// Another thread, which will give it back.
    Others,
    /// A thread of the process that this one was forked from.
    Gone,
}

/// The lock.
#[derive(Debug, Default)]
pub(crate) struct WriterLock(AtomicU64);

/// The turn, given back when dropped.
pub(crate) struct LockGuard<'a> {
    turn: &'a WriterLock,
    bits: u64,
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        // It stays with a thread that has taken it over.
        let _ = self.turn.0.compare_exchange(self.bits, 0, Ordering::Release, Ordering::Relaxed);
    }
}

impl WriterLock {
    /// Waits for the turn. One that went away with a fork is taken over: what it guards may be half changed.
    ///
    /// To be called without the interpreter, which the holder may need to finish.
    pub(crate) fn take(&self) -> PyResult<LockGuard<'_>> {
        let me = Holder::me();
        let bits = me.to_bits();
        let mut wait = Wait::default();
        loop {
            let seen = self.0.load(Ordering::Relaxed);
            match standing(seen, me) {
                LockState::Free | LockState::Gone => {
                    let swapped = self.0.compare_exchange(seen, bits, Ordering::Acquire, Ordering::Relaxed);
                    if swapped.is_ok() {
                        return Ok(LockGuard { turn: self, bits });
                    }
                }
                LockState::Mine => return Err(within_itself()),
                LockState::Others => wait.step()?,
            }
        }
    }

    /// The turn, unless somebody has it. Nothing is waited for.
    pub(crate) fn try_lock(&self) -> Option<LockGuard<'_>> {
        self.take_as(Holder::me())
    }

    /// The same for a call that holds the interpreter from here on until it gives the turn back, and runs no code of
    /// Python.
    pub(crate) fn try_lock_for_row(&self) -> Option<LockGuard<'_>> {
        self.take_as(Holder::OF_ROW)
    }

    fn take_as(&self, holder: Holder) -> Option<LockGuard<'_>> {
        let bits = holder.to_bits();
        // One that was not taken must not be made: it would give back, when it is dropped, that of a call further up.
        match self.0.compare_exchange(0, bits, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Some(LockGuard { turn: self, bits }),
            Err(_) => None,
        }
    }

    pub(crate) fn standing(&self) -> LockState {
        standing(self.0.load(Ordering::Acquire), Holder::me())
    }
}

fn standing(bits: u64, me: Holder) -> LockState {
    match Holder::from_bits(bits) {
        None => LockState::Free,
        Some(Holder::OF_ROW) => LockState::Others,
        // Also in a child that was forked while this very thread held it.
        Some(holder) if holder.thread == me.thread => LockState::Mine,
        Some(holder) if holder.process == me.process => LockState::Others,
        Some(_) => LockState::Gone,
    }
}

/// What a call is told that can only go on when one further up its own stack has.
pub(crate) fn within_itself() -> PyErr {
    PyRuntimeError::new_err(
        "this object is being changed by a call of the same thread, from within which this call was made (by a signal \
         handler, for example); let that one finish first",
    )
}

/// A wait for another thread, in steps that get longer.
#[derive(Default)]
pub(crate) struct Wait {
    steps: u32,
    watch: Option<SignalPoll>,
}

impl Wait {
    /// Waits a little. An error when Ctrl-C was pressed.
    pub(crate) fn step(&mut self) -> PyResult<()> {
        match self.steps {
            // A row is learned in microseconds.
            0..64 => std::hint::spin_loop(),
            64..128 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(50)),
        }
        self.steps = self.steps.saturating_add(1);
        if self.steps > 128 { self.watch.get_or_insert_default().poll() } else { Ok(()) }
    }
}
