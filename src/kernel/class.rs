//! Classes of kernels that the learning code treats alike.

use super::{Accumulation, KernelInfo, KernelName};

/// The properties of a kernel that the learning code depends on.
///
/// Kernels of one class differ in their formula only: a test of every strategy needs one kernel of each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelClass {
    accumulation: Accumulation,
    /// Whether the kernel is positive semi-definite.
    pub is_psd: bool,
    /// Whether two support vectors can be merged.
    pub merges: bool,
}

impl KernelName {
    /// The class of the kernel.
    #[must_use]
    pub fn class(self) -> KernelClass {
        let KernelInfo { is_psd, merges, .. } = *self.info();
        KernelClass { accumulation: self.accumulation(), is_psd, merges }
    }
}
