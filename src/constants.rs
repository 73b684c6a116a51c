//! Constants that several rules of the default algorithm share.

/// The number of rows from which a statistic is used.
pub(crate) const FEW_ROWS: u64 = 32;

/// Values that are far off in this number of successive rows show another level or unit, not errors.
pub(crate) const RUN_ROWS: u32 = 64;

/// A value that is more than this number of absolute deviations away from the middle is far off.
pub(crate) const FAR: f64 = 30.0;

/// The largest number of features of which pairs are learned, or recent rows stored: both cost more than the kernel of
/// wider rows. Only wider rows have a base row.
pub(crate) const MAX_PAIRED_FEATURES: usize = 64;

/// Squared errors are clipped at this number of variances of the targets.
pub(crate) const MAX_SQ_ERROR: f64 = 4.0;

/// The weight of a row in the running losses that decide which model or rule is used: about the last 500 rows count.
pub(crate) const LOSS_RATE: f64 = 0.002;

/// The effective number of rows of a running mean.
const RUNNING_ROWS: u64 = 1000;

/// The weight of row n in a running mean: the mean of all rows up to row 1,000, later of about the last 1,000.
#[inline(always)]
pub(crate) fn running_weight(n: u64) -> f64 {
    // Divisions take long, so only the first rows make one.
    if n < RUNNING_ROWS { 1.0 / n as f64 } else { 1.0 / RUNNING_ROWS as f64 }
}
