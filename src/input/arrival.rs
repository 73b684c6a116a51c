//! The position of a row in the stream.

/// A row about to be learned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The number of the row, from 1 on.
    pub(crate) t: u64,
    /// The effective number of rows before this row. It is 0 if no online monitor computes it: running statistics then
    /// use their own window.
    pub(crate) effective_n_before: f64,
    /// Whether the row was learned before, in an earlier pass.
    pub(crate) repeated: bool,
}
