//! Kernels: the trait `Kernel`, one file per kernel, and the table of members.

mod accumulation;
mod any;
mod cosine;
mod formula;
mod gamma;
mod laplacian;
mod linear;
mod matern32;
mod matern52;
mod mergeable;
mod name;
mod parameters;
mod polynomial;
mod rational_quadratic;
mod rbf;
mod sigmoid;

pub(crate) use accumulation::Accumulation;
pub(crate) use formula::{Kernel, KernelInfo};
pub(crate) use gamma::{GAMMA, STANDARDIZED_GAMMA};
pub use gamma::{GAMMA_RANGE, Gamma};
pub(crate) use mergeable::MergeableKernel;
pub(crate) use name::KERNEL;
pub use name::KernelClass;
pub use parameters::KernelParameters;
pub(crate) use parameters::{KERNEL_PARAMETERS, SAVED_BY_EVERY_KERNEL};

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
