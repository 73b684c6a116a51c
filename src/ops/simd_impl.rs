//! The implementor of all operations.

/// A SIMD level as the implementor of all operations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimdImpl<P>(pub(super) P);
