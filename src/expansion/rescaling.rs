//! Changes of the standardisation of a feature.

/// Standardised values x of a feature that become `(x - shift) ratio`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rescaling {
    pub(crate) feature: usize,
    pub(crate) shift: f64,
    pub(crate) ratio: f64,
}
