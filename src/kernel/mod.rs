//! Kernels: one file each; this one lists them, with their parameters.

mod any;
mod class;
mod cosine;
mod formula;
mod gamma;
mod laplacian;
mod linear;
mod matern32;
mod matern52;
mod polynomial;
mod radial;
mod rational_quadratic;
mod rbf;
mod sigmoid;

pub use class::KernelClass;
pub use cosine::Cosine;
pub(crate) use formula::{Accumulation, Kernel};
pub(crate) use gamma::GAMMA;
pub(crate) use gamma::STANDARDIZED_GAMMA;
pub use gamma::{GAMMA_RANGE, Gamma};
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use matern32::Matern32;
pub use matern52::Matern52;
pub use polynomial::Polynomial;
pub(crate) use radial::Radial;
pub use rational_quadratic::RationalQuadratic;
pub use rbf::Rbf;
pub use sigmoid::Sigmoid;

use crate::error::Result;
use crate::parameter::{Form, Named, ParameterInfo, Range, fields};

/// A kernel chosen at run time, by one `match` per call, not per feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AnyKernel {
    /// `exp(-gamma |x - x'|^2)`
    Rbf(Rbf),
    /// `exp(-gamma |x - x'|_1)`
    Laplacian(Laplacian),
    /// `(gamma x . x' + coef0)^degree`
    Polynomial(Polynomial),
    /// `x . x'`
    Linear(Linear),
    /// `tanh(gamma x . x' + coef0)`
    Sigmoid(Sigmoid),
    /// `x . x' / (|x| |x'|)`
    Cosine(Cosine),
    /// `(1 + s) exp(-s)`, `s = sqrt(6 gamma) |x - x'|`
    Matern32(Matern32),
    /// `(1 + s + s^2/3) exp(-s)`, `s = sqrt(10 gamma) |x - x'|`
    Matern52(Matern52),
    /// `(1 + gamma |x - x'|^2 / alpha_rq)^-alpha_rq`
    RationalQuadratic(RationalQuadratic),
}

/// Runs an expression generic over the chosen kernel.
macro_rules! with_kernel {
    ($kernel:expr, $chosen:ident => $op:expr) => {
        match $kernel {
            $crate::kernel::AnyKernel::Rbf($chosen) => $op,
            $crate::kernel::AnyKernel::Laplacian($chosen) => $op,
            $crate::kernel::AnyKernel::Polynomial($chosen) => $op,
            $crate::kernel::AnyKernel::Linear($chosen) => $op,
            $crate::kernel::AnyKernel::Sigmoid($chosen) => $op,
            $crate::kernel::AnyKernel::Cosine($chosen) => $op,
            $crate::kernel::AnyKernel::RationalQuadratic($chosen) => $op,
            $crate::kernel::AnyKernel::Matern52($chosen) => $op,
            $crate::kernel::AnyKernel::Matern32($chosen) => $op,
        }
    };
}
pub(crate) use with_kernel;

impl AnyKernel {
    /// Which kernel it is.
    pub(crate) const fn kind(self) -> KernelName {
        match self {
            Self::Rbf(_) => KernelName::Rbf,
            Self::Laplacian(_) => KernelName::Laplacian,
            Self::Polynomial(_) => KernelName::Poly,
            Self::Linear(_) => KernelName::Linear,
            Self::Sigmoid(_) => KernelName::Sigmoid,
            Self::Cosine(_) => KernelName::Cosine,
            Self::RationalQuadratic(_) => KernelName::RationalQuadratic,
            Self::Matern52(_) => KernelName::Matern52,
            Self::Matern32(_) => KernelName::Matern32,
        }
    }

    /// The name that parameters and model files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    /// The width parameter, where the kernel has one.
    #[must_use]
    pub fn gamma(self) -> Option<f64> {
        match self {
            Self::Rbf(k) => Some(k.gamma),
            Self::Laplacian(k) => Some(k.gamma),
            Self::Polynomial(k) => Some(k.gamma),
            Self::Sigmoid(k) => Some(k.gamma),
            Self::RationalQuadratic(k) => Some(k.gamma),
            Self::Matern52(k) => Some(k.gamma),
            Self::Matern32(k) => Some(k.gamma),
            Self::Linear(_) | Self::Cosine(_) => None,
        }
    }

    /// The same kernel with another width; unchanged where it has none.
    #[must_use]
    pub fn with_gamma(self, gamma: f64) -> Self {
        match self {
            Self::Rbf(_) => Self::Rbf(Rbf { gamma }),
            Self::Laplacian(_) => Self::Laplacian(Laplacian { gamma }),
            Self::Polynomial(k) => Self::Polynomial(Polynomial { gamma, ..k }),
            Self::Sigmoid(k) => Self::Sigmoid(Sigmoid { gamma, ..k }),
            Self::RationalQuadratic(k) => Self::RationalQuadratic(RationalQuadratic { gamma, ..k }),
            Self::Matern52(_) => Self::Matern52(Matern52 { gamma }),
            Self::Matern32(_) => Self::Matern32(Matern32 { gamma }),
            Self::Linear(_) | Self::Cosine(_) => self,
        }
    }
}

/// A kernel's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelName {
    /// `exp(-gamma |x - x'|^2)`
    #[default]
    Rbf,
    /// `exp(-gamma |x - x'|_1)`
    Laplacian,
    /// `(gamma x . x' + coef0)^degree`
    Poly,
    /// `x . x'`
    Linear,
    /// `tanh(gamma x . x' + coef0)`
    Sigmoid,
    /// `x . x' / (|x| |x'|)`
    Cosine,
    /// `(1 + gamma |x - x'|^2 / alpha_rq)^-alpha_rq`
    RationalQuadratic,
    /// `(1 + s + s^2/3) exp(-s)`, `s = sqrt(10 gamma) |x - x'|`
    Matern52,
    /// `(1 + s) exp(-s)`, `s = sqrt(6 gamma) |x - x'|`
    Matern32,
}

/// What is to be known of a kernel.
pub(crate) struct KernelRow {
    pub(crate) name: &'static str,
    /// Its formula, for documents.
    pub(crate) formula: &'static str,
    /// The names of its parameters.
    pub(crate) parameters: &'static [&'static str],
    /// Whether it is positive semi-definite, so that there are lengths in feature space.
    pub(crate) definite: bool,
    /// Whether two support vectors can be merged into one.
    pub(crate) merges: bool,
}

impl KernelName {
    /// Every kernel.
    pub const ALL: [Self; 9] = [
        Self::Rbf,
        Self::Laplacian,
        Self::Poly,
        Self::Linear,
        Self::Sigmoid,
        Self::Cosine,
        Self::Matern32,
        Self::Matern52,
        Self::RationalQuadratic,
    ];

    pub(crate) const fn row(self) -> &'static KernelRow {
        match self {
            Self::Rbf => &KernelRow {
                name: "rbf",
                formula: "exp(-gamma |x - x'|^2)",
                parameters: &["gamma"],
                definite: true,
                merges: true,
            },
            Self::Laplacian => &KernelRow {
                name: "laplacian",
                formula: "exp(-gamma |x - x'|_1)",
                parameters: &["gamma"],
                definite: true,
                merges: false,
            },
            Self::Poly => &KernelRow {
                name: "poly",
                formula: "(gamma x . x' + coef0)^degree",
                parameters: &["gamma", "degree", "coef0"],
                definite: true,
                merges: false,
            },
            Self::Linear => &KernelRow {
                name: "linear",
                formula: "x . x'",
                parameters: &[],
                definite: true,
                merges: false,
            },
            Self::Sigmoid => &KernelRow {
                name: "sigmoid",
                formula: "tanh(gamma x . x' + coef0)",
                parameters: &["gamma", "coef0"],
                definite: false,
                merges: false,
            },
            Self::Cosine => &KernelRow {
                name: "cosine",
                formula: "x . x' / (|x| |x'|)",
                parameters: &[],
                definite: true,
                merges: false,
            },
            Self::RationalQuadratic => &KernelRow {
                name: "rational-quadratic",
                formula: "(1 + gamma |x - x'|^2 / alpha_rq)^-alpha_rq",
                parameters: &["gamma", "alpha_rq"],
                definite: true,
                merges: true,
            },
            Self::Matern52 => &KernelRow {
                name: "matern52",
                formula: "(1 + s + s^2/3) exp(-s), s = sqrt(10 gamma) |x - x'|",
                parameters: &["gamma"],
                definite: true,
                merges: false,
            },
            Self::Matern32 => &KernelRow {
                name: "matern32",
                formula: "(1 + s) exp(-s), s = sqrt(6 gamma) |x - x'|",
                parameters: &["gamma"],
                definite: true,
                merges: false,
            },
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its formula.
    #[must_use]
    pub fn formula(self) -> &'static str {
        self.row().formula
    }

    /// The formula of the accumulated sum of which the kernel is a function: `|x - x'|^2`, `|x - x'|_1` or `x . x'`.
    #[must_use]
    pub fn accumulated(self) -> &'static str {
        self.with(1.0, KernelParameters::default()).accumulation().formula()
    }

    /// The kernel named `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        Self::find_for("kernel", name)
    }

    /// Whether it has a parameter of that name.
    #[must_use]
    pub fn has(self, parameter: &str) -> bool {
        self.row().parameters.contains(&parameter)
    }

    /// The kernel itself.
    pub(crate) fn with(self, gamma: f64, parameters: KernelParameters) -> AnyKernel {
        let KernelParameters { degree, coef0, alpha_rq } = parameters;
        match self {
            Self::Rbf => AnyKernel::Rbf(Rbf { gamma }),
            Self::Laplacian => AnyKernel::Laplacian(Laplacian { gamma }),
            Self::Poly => AnyKernel::Polynomial(Polynomial { gamma, coef0, degree }),
            Self::Linear => AnyKernel::Linear(Linear),
            Self::Sigmoid => AnyKernel::Sigmoid(Sigmoid { gamma, coef0 }),
            Self::Cosine => AnyKernel::Cosine(Cosine),
            Self::RationalQuadratic => {
                AnyKernel::RationalQuadratic(RationalQuadratic { gamma, alpha: alpha_rq })
            }
            Self::Matern52 => AnyKernel::Matern52(Matern52 { gamma }),
            Self::Matern32 => AnyKernel::Matern32(Matern32 { gamma }),
        }
    }
}

impl Named for KernelName {
    const EVERY: &'static [Self] = &Self::ALL;
    fn name_of(self) -> &'static str {
        self.name()
    }
}

/// What kernels have beside gamma; [`KernelName::has`] says which has what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelParameters {
    /// The power of the polynomial kernel.
    pub degree: u32,
    /// The constant of the polynomial and the sigmoid kernel.
    pub coef0: f64,
    /// The exponent of the tail of the rational quadratic kernel.
    pub alpha_rq: f64,
}

fields! { KERNEL_PARAMETERS: KernelParameters {
    degree = 3, ParameterInfo {
        name: "degree",
        forms: &[Form::Count(1, 100)],
        description: "The degree of the polynomial kernel.",
    };
    coef0 = 0.0, ParameterInfo {
        name: "coef0",
        forms: &[Form::Number(Range { min: 0.0, max: f64::INFINITY, closed: true })],
        description: "The constant term of the kernel.",
    };
    alpha_rq = 1.0, ParameterInfo {
        name: "alpha_rq",
        forms: &[Form::Number(Range::closed(1e-3, 1e3))],
        description: "The exponent of the rational quadratic kernel: the smaller, the heavier its tail.",
    };
} }

pub(crate) const KERNEL: ParameterInfo =
    ParameterInfo { name: "kernel", forms: &[Form::Choice(KernelName::names)], description: "The kernel." };

/// Model files hold these parameters whatever the kernel; others where the kernel has them.
pub(crate) const SAVED_BY_EVERY_KERNEL: [&str; 3] = ["gamma", "degree", "coef0"];
