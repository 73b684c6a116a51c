//! The trait of kernels: a formula and its properties.

use super::{Accumulation, KernelParameters, MergeableKernel};
use crate::float::{Real, Vector};

/// A kernel `k(x, x')`: a function of a sum over the features ([`Accumulation`]) and of one statistic of each row.
///
/// The formula is written once, for both float types and every SIMD level.
pub(crate) trait Kernel: Copy {
    /// Name, formula, parameters and properties.
    const INFO: KernelInfo;
    /// The sum over the features.
    const ACCUMULATION: Accumulation;
    /// True if [`Kernel::finish`] reads the row statistics. Only a kernel of the inner product can read them:
    /// for kernels of differences the statistic of a row to be scored is 0.
    const READS_ROW_STATS: bool = false;

    /// The kernel with these parameters; it ignores parameters that it does not have.
    fn new(gamma: f64, parameters: KernelParameters) -> Self;

    /// The width parameter, if the kernel has one.
    fn gamma_mut(&mut self) -> Option<&mut f64> {
        None
    }

    /// The kernel as a function of the squared distance, if two support vectors can be merged.
    fn mergeable(self) -> Option<MergeableKernel> {
        None
    }

    /// Kernel values of accumulated sums, from the statistic of the row and the statistics of the stored vectors.
    ///
    /// Sums of differences are >= 0. Such a sum times gamma may be infinite; the kernel value must be finite.
    fn finish<T: Real, V: Vector<T>>(self, sum: V, row_stat: T, support_stats: V) -> V;

    /// `k(x, x)` from the statistic of the row; 1 for kernels of differences.
    fn diag<T: Real>(self, _row_stat: T) -> T {
        T::ONE
    }

    /// The largest row statistic with `k(x, x) <= max`, for `max >= 1`; negative if there is none.
    ///
    /// Infinite for kernels with `k(x, x) <= 1`.
    fn max_row_stat(self, _max: f64) -> f64 {
        f64::INFINITY
    }
}

/// Facts of a kernel, for checks and documentation.
#[derive(Debug)]
pub(crate) struct KernelInfo {
    /// The name in parameters and model files.
    pub(crate) name: &'static str,
    /// The formula, for documentation.
    pub(crate) formula: &'static str,
    /// Names of the parameters.
    pub(crate) parameters: &'static [&'static str],
    /// True if the kernel is positive semi-definite, so that norms in feature space exist.
    pub(crate) is_psd: bool,
    /// True if two support vectors can be merged into one: [`Kernel::mergeable`] is not `None`. Metric learning, feature
    /// importances and the vote of recent rows need such a kernel too.
    pub(crate) merges: bool,
}
