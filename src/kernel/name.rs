//! Names of kernels, and classes of kernels that the learning code treats alike.

use super::{Accumulation, KernelInfo, KernelName};
use crate::error::Result;
use crate::parameter::{Form, Named, ParameterInfo};

/// The parameter that names the kernel.
pub(crate) const KERNEL: ParameterInfo =
    ParameterInfo { name: "kernel", forms: &[Form::Choice(KernelName::names)], description: "The kernel." };

impl KernelName {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The formula.
    #[must_use]
    pub fn formula(self) -> &'static str {
        self.info().formula
    }

    /// The formula of the sum that the kernel is a function of: `|x - x'|^2`, `|x - x'|_1` or `x . x'`.
    #[must_use]
    pub fn accumulated(self) -> &'static str {
        self.accumulation().formula()
    }

    /// The kernel named `name`.
    ///
    /// # Errors
    /// If no kernel has this name.
    pub fn named(name: &str) -> Result<Self> {
        Self::find_for("kernel", name)
    }

    /// True if the kernel has the parameter named `parameter`.
    #[must_use]
    pub fn has(self, parameter: &str) -> bool {
        self.info().parameters.contains(&parameter)
    }
}

#[expect(clippy::derivable_impls, reason = "the enum is made from the table of kernels")]
impl Default for KernelName {
    fn default() -> Self {
        Self::Rbf
    }
}

impl Named for KernelName {
    const EVERY: &'static [Self] = &Self::ALL;
    fn name_of(self) -> &'static str {
        self.name()
    }
}

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
