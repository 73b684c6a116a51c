//! The most memory that a model may take: a number of features in a small file must not ask for all that there is.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Of this process; as many as can be counted are no limit.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Sets the most bytes that any model of this process may take, by the estimate of
/// [`Learner::memory`](super::Learner::memory) for one that is full (an unbounded one: for its first support vectors);
/// None is no limit. A model that would take more is refused before anything is reserved for it: when it is made,
/// widened, gets classes or is loaded. One that is larger already goes on as it is. Returns the limit before.
///
/// ```standalone_crate
/// use budgetrs::{Spec, trainer::limit_memory};
///
/// limit_memory(Some(1 << 20))?;
/// let spec = Spec { budget: Some(100), ..Spec::named("bsgd-merge")? }.check()?;
/// assert!(spec.build::<f32>(1000, 2).is_ok());
/// let error = spec.build::<f32>(1_000_000, 2).map(drop).unwrap_err();
/// assert_eq!(error.parameter_name(), Some("max_memory"));
/// # Ok::<(), budgetrs::Error>(())
/// ```
///
/// # Errors
/// When the limit is 0.
pub fn limit_memory(max_memory: Option<usize>) -> Result<Option<usize>> {
    if max_memory == Some(0) {
        return Err(Error::parameter("max_memory", "a number of bytes of at least 1, or None", 0));
    }
    let before = MOST.swap(max_memory.unwrap_or(usize::MAX), Ordering::Relaxed);
    Ok((before != usize::MAX).then_some(before))
}

/// Whether a model of so many bytes may be made.
pub(super) fn check(bytes: usize, vectors: usize, features: usize, outputs: usize) -> Result<()> {
    within(MOST.load(Ordering::Relaxed), bytes, vectors, (features, outputs))
}

fn within(most: usize, bytes: usize, vectors: usize, (features, outputs): (usize, usize)) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let plural = if features == 1 { "" } else { "s" };
    let each = if outputs > 1 { format!(" and {outputs} coefficients") } else { String::new() };
    let what =
        format!("at least {bytes} bytes for {vectors} support vectors of {features} feature{plural}{each}");
    Err(Error::parameter("max_memory", what, most))
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_model_of_just_as_many_bytes_is_made() {
        assert!(within(1000, 1000, 5, (40, 1)).is_ok());
        for (shape, said) in [((40, 1), "40 features"), ((1, 20_000), "1 feature and 20000 coefficients")] {
            let error = within(999, 1000, 5, shape).unwrap_err().to_string();
            let expected = format!("at least 1000 bytes for 5 support vectors of {said}, got 999");
            assert_eq!(error, format!("max_memory must be {expected}"));
        }
    }
}
