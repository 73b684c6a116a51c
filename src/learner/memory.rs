//! The memory limit of models. Without a limit, a small model file with a large number of features could exhaust
//! memory.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The limit of this process in bytes; `usize::MAX` is no limit.
static MAX_MEMORY: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Sets the maximum number of bytes of any model in this process, or no limit with None. Returns the previous limit.
///
/// The limit applies to the estimate of [`Learner::memory`](super::Learner::memory) at full budget, or with the first
/// support vectors of an unbounded model. A model above the limit raises an error before memory is allocated, when it
/// is built, widened, loaded, or gets classes. Existing models above the limit continue.
///
/// ```standalone_crate
/// use budgetrs::{Spec, learner::set_memory_limit};
///
/// set_memory_limit(Some(1 << 20))?;
/// let spec = Spec { budget: Some(100), ..Spec::named("bsgd-merge")? }.check()?;
/// assert!(spec.build::<f32>(1000, 2).is_ok());
/// let error = spec.build::<f32>(1_000_000, 2).map(drop).unwrap_err();
/// assert_eq!(error.parameter_name(), Some("max_memory"));
/// # Ok::<(), budgetrs::Error>(())
/// ```
///
/// # Errors
/// If the limit is 0.
pub fn set_memory_limit(max_memory: Option<usize>) -> Result<Option<usize>> {
    if max_memory == Some(0) {
        return Err(Error::parameter("max_memory", "a number of bytes of at least 1, or None", 0));
    }
    let before = MAX_MEMORY.swap(max_memory.unwrap_or(usize::MAX), Ordering::Relaxed);
    Ok((before != usize::MAX).then_some(before))
}

/// Checks that a model of `bytes` bytes is within the limit.
pub(super) fn check(bytes: usize, vectors: usize, features: usize, outputs: usize) -> Result<()> {
    check_limit(MAX_MEMORY.load(Ordering::Relaxed), bytes, vectors, (features, outputs))
}

fn check_limit(
    limit: usize,
    bytes: usize,
    vectors: usize,
    (features, outputs): (usize, usize),
) -> Result<()> {
    if bytes <= limit {
        return Ok(());
    }
    let plural = if features == 1 { "" } else { "s" };
    let each = if outputs > 1 { format!(" and {outputs} coefficients") } else { String::new() };
    let what =
        format!("at least {bytes} bytes for {vectors} support vectors of {features} feature{plural}{each}");
    Err(Error::parameter("max_memory", what, limit))
}

#[cfg(test)]
mod tests {
    use super::check_limit;

    #[test]
    fn a_model_of_exactly_the_limit_is_valid() {
        assert!(check_limit(1000, 1000, 5, (40, 1)).is_ok());
        for (shape, text) in [((40, 1), "40 features"), ((1, 20_000), "1 feature and 20000 coefficients")] {
            let error = check_limit(999, 1000, 5, shape).unwrap_err().to_string();
            let expected = format!("at least 1000 bytes for 5 support vectors of {text}, got 999");
            assert_eq!(error, format!("max_memory must be {expected}"));
        }
    }
}
