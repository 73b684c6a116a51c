//! Parameters of kernels.

use crate::parameter::{Form, ParameterInfo, Range, fields};

/// Parameters of kernels except gamma; [`KernelName::has`](super::KernelName::has) tells which kernel has which.
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
        description: "The exponent of the rational quadratic kernel. A smaller exponent gives the kernel a heavier \
                      tail.",
    };
} }

/// Parameters that model files contain for every kernel; the other parameters are saved if the kernel has them.
pub(crate) const SAVED_BY_EVERY_KERNEL: [&str; 3] = ["gamma", "degree", "coef0"];
