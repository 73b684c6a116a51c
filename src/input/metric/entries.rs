//! The bound of the entries of a metric.

use crate::error::{Error, Result};
use crate::float::Real;

/// The largest absolute value of an entry of A, so that valid rows stay valid.
pub(super) const MAX_METRIC_ENTRY: f64 = 100.0;

/// Checks that the entries of A are bounded.
pub(super) fn check_entries<T: Real>(entries: &[T]) -> Result<()> {
    if entries.iter().all(|a| (-MAX_METRIC_ENTRY..=MAX_METRIC_ENTRY).contains(&a.to_f64())) {
        Ok(())
    } else {
        Err(Error::Model(
            format!("a metric's entries must lie from -{MAX_METRIC_ENTRY} to {MAX_METRIC_ENTRY}").into(),
        ))
    }
}
