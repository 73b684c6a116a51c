//! Kernels: the trait [`Kernel`], one file per kernel, and the table of members.

mod accumulation;
mod any;
mod class;
mod cosine;
mod gamma;
mod laplacian;
mod linear;
mod matern32;
mod matern52;
mod name;
mod parameters;
mod polynomial;
mod radial;
mod rational_quadratic;
mod rbf;
mod sigmoid;

pub(crate) use accumulation::Accumulation;
pub use class::KernelClass;
pub(crate) use gamma::{GAMMA, STANDARDIZED_GAMMA};
pub use gamma::{GAMMA_RANGE, Gamma};
pub use parameters::KernelParameters;
pub(crate) use parameters::{KERNEL, KERNEL_PARAMETERS, SAVED_BY_EVERY_KERNEL};
pub(crate) use radial::Radial;

use crate::float::{Real, Vector};

/// A kernel `k(x, x')`: a function of a sum over the features ([`Accumulation`]) and of one statistic of each row.
///
/// The formula is written once, for both float types and every SIMD level.
pub(crate) trait Kernel: Copy {
    /// Name, formula, parameters and properties.
    const INFO: KernelInfo;
    /// The sum over the features.
    const ACCUMULATION: Accumulation;
    /// True if [`Kernel::finish`] reads the row statistics.
    const READS_ROW_STATS: bool = false;

    /// The kernel with these parameters; it ignores parameters that it does not have.
    fn new(gamma: f64, parameters: KernelParameters) -> Self;

    /// The width parameter, if the kernel has one.
    fn gamma_mut(&mut self) -> Option<&mut f64> {
        None
    }

    /// The kernel as a function of the squared distance, if its support vectors can be merged.
    fn radial(self) -> Option<Radial> {
        None
    }

    /// Kernel values of accumulated sums, from the statistic of the row and the statistics of the stored vectors.
    fn finish<T: Real, V: Vector<T>>(self, sum: V, row_stat: T, support_stats: V) -> V;

    /// `k(x, x)` from the statistic of the row.
    fn diag<T: Real>(self, row_stat: T) -> T;

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
    pub(crate) definite: bool,
    /// True if two support vectors can be merged into one: [`Kernel::radial`] is not `None`.
    pub(crate) merges: bool,
}

/// Defines everything that lists the kernels, from one table: a line per kernel with its file, its type and its variant
/// of [`KernelName`]. The first argument is a dollar sign, for the macro that it defines.
macro_rules! members {
    ($d:tt $($file:ident::$kernel:ident as $name:ident,)+) => {
        $(pub use $file::$kernel;)+

        /// A kernel chosen at run time. One `match` per call selects it, not one per feature.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum AnyKernel {
            $(
                #[doc = concat!("See [`", stringify!($kernel), "`].")]
                $kernel($kernel),
            )+
        }

        /// Name of a kernel.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum KernelName {
            $(
                #[doc = concat!("See [`", stringify!($kernel), "`].")]
                $name,
            )+
        }

        impl KernelName {
            /// Every kernel.
            pub const ALL: [Self; [$(stringify!($name)),+].len()] = [$(Self::$name),+];

            /// Facts of the kernel.
            pub(crate) const fn info(self) -> &'static KernelInfo {
                match self {
                    $(Self::$name => &<$kernel as Kernel>::INFO,)+
                }
            }

            /// The sum over the features that the kernel is a function of.
            pub(crate) const fn accumulation(self) -> Accumulation {
                match self {
                    $(Self::$name => <$kernel as Kernel>::ACCUMULATION,)+
                }
            }

            /// The kernel with these parameters.
            pub(crate) fn with(self, gamma: f64, parameters: KernelParameters) -> AnyKernel {
                match self {
                    $(Self::$name => AnyKernel::$kernel(Kernel::new(gamma, parameters)),)+
                }
            }
        }

        impl AnyKernel {
            /// The name, as a variant.
            pub(crate) const fn kind(self) -> KernelName {
                match self {
                    $(Self::$kernel(_) => KernelName::$name,)+
                }
            }
        }

        /// Runs an expression that is generic over the kernel.
        macro_rules! with_kernel {
            ($d any:expr, $d chosen:ident => $d op:expr) => {
                match $d any {
                    $($crate::kernel::AnyKernel::$kernel($d chosen) => $d op,)+
                }
            };
        }
        pub(crate) use with_kernel;
    };
}

members! { $
    rbf::Rbf as Rbf,
    laplacian::Laplacian as Laplacian,
    polynomial::Polynomial as Poly,
    linear::Linear as Linear,
    sigmoid::Sigmoid as Sigmoid,
    cosine::Cosine as Cosine,
    matern32::Matern32 as Matern32,
    matern52::Matern52 as Matern52,
    rational_quadratic::RationalQuadratic as RationalQuadratic,
}
