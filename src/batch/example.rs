//! What is known of a row besides its values.

use super::Label;

/// A row about to be learned, without its values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example {
    /// The number of the row in the stream, from 1.
    pub(crate) t: u64,
    pub(crate) label: Label,
    /// The weight, > 0.
    pub(crate) weight: f64,
    /// An upper bound of the weight for any frequencies of the classes, which the checks of rows use.
    pub(crate) max_weight: f64,
    /// Whether the row was learned before, in an earlier pass: its error is no estimate of the error on new rows.
    pub(crate) repeated: bool,
    /// Whether the row is the first of a block of the stream: row 1, 33, 65, ...
    pub(crate) starts_block: bool,
    /// The effective number of rows before this row, for running statistics. It is 0 without an online monitor: the
    /// statistics then use their own window.
    pub(crate) effective_n_before: f64,
    /// The effective number of rows with this row: t without forgetting, smaller after drift or with `forget = rows`.
    /// The monitor sets it when it observes the row.
    pub(crate) effective_n: f64,
}

#[cfg(test)]
impl Example {
    /// An observed example without forgetting: `effective_n = t`.
    pub(crate) fn new(label: Label, t: u64, weight: f64) -> Self {
        Self {
            t,
            label,
            weight,
            max_weight: weight,
            repeated: false,
            starts_block: false,
            effective_n_before: 0.0,
            effective_n: t as f64,
        }
    }
}
