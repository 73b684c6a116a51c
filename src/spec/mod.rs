//! Parameters: `Spec` holds them, `check` is the only validation, and nothing downstream checks again.

mod names;
mod registry;
mod table;
#[cfg(test)]
mod tests;

use names::{ALPHA, BUDGET, COEF0, DEGREE, GAMMA};
pub use names::{Gamma, KernelName, Maintenance};
pub use registry::{ALGORITHMS, Algorithm};
pub use table::{PARAMETERS, Value};

use crate::budget::{AnyMaintain, Leaver, Merge, Project, Remove, Victim};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::{AnyKernel, Cosine, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use crate::learner::{GammaRule, Learner, Moments};
use crate::simd::tile::PANEL;
use crate::update::{AnyUpdate, Loss, Sgd};

/// The parameters of a model, not yet checked. Defaults are those of the named algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name in [`ALGORITHMS`] that the defaults come from.
    pub algorithm: &'static str,
    /// The most support vectors the model may hold, 1 to 2^24; `None` is unbounded.
    pub budget: Option<usize>,
    /// What is done when the model is over budget.
    pub maintenance: Maintenance,
    /// The loss that is descended.
    pub loss: Loss,
    /// The papers' lambda, 1e-20 to 1e20.
    pub alpha: f64,
    /// Whether w is projected on the ball of radius `1/sqrt(alpha)`.
    pub ball: bool,
    /// The kernel.
    pub kernel: KernelName,
    /// Its width.
    pub gamma: Gamma,
    /// The polynomial's power, 1 to 100.
    pub degree: u32,
    /// The constant of the polynomial and sigmoid kernels, >= 0.
    pub coef0: f64,
    /// Start of the model's random generator.
    pub seed: u64,
}

/// Parameters that go together; only [`Spec::check`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSpec(Spec);

impl Spec {
    /// The parameters of a named algorithm.
    ///
    /// # Errors
    /// When there is no algorithm of that name; the error lists all.
    pub fn named(algorithm: &str) -> Result<Self> {
        let Some(found) = ALGORITHMS.iter().find(|a| a.name == algorithm) else {
            let names: Vec<_> = ALGORITHMS.iter().map(|a| a.name).collect();
            let expected = format!("one of {}", names.join(", "));
            return Err(Error::parameter("algorithm", expected, format!("{algorithm:?}")));
        };
        Ok(found.spec())
    }

    /// Checks every parameter and every combination.
    ///
    /// # Errors
    /// The first parameter outside its legal values, or the first combination that is not legal.
    pub fn check(&self) -> Result<CheckedSpec> {
        let legal = |name, expected: &'static str, got: &dyn std::fmt::Display, is_legal: bool| {
            if is_legal { Ok(()) } else { Err(Error::parameter(name, expected, got)) }
        };
        let budget = self.budget.unwrap_or(1);
        legal("budget", BUDGET, &budget, (1..=MAX_BUDGET).contains(&budget))?;
        legal("alpha", ALPHA, &self.alpha, (1e-20..=1e20).contains(&self.alpha))?;
        if let Gamma::Value(gamma) = self.gamma {
            legal("gamma", GAMMA, &gamma, (MIN_GAMMA..=MAX_GAMMA).contains(&gamma))?;
        }
        legal("degree", DEGREE, &self.degree, (1..=100).contains(&self.degree))?;
        legal("coef0", COEF0, &self.coef0, self.coef0.is_finite() && self.coef0 >= 0.0)?;
        self.check_pairs()?;
        Ok(CheckedSpec(self.clone()))
    }

    fn check_pairs(&self) -> Result<()> {
        let combination = |name, got: &str, with: String, legal: &str| {
            Err(Error::Combination { name, got: got.into(), with, legal: legal.into() })
        };
        let maintenance = || format!("maintenance = {:?}", self.maintenance.name());
        if self.maintenance == Maintenance::Merge && self.kernel != KernelName::Rbf {
            return combination("kernel", &format!("{:?}", self.kernel.name()), maintenance(), "\"rbf\"");
        }
        if self.kernel == KernelName::Sigmoid && self.maintenance.needs_definite() {
            let legal = KernelName::ALL.iter().filter(|k| **k != KernelName::Sigmoid);
            let legal: Vec<_> = legal.map(|k| format!("{:?}", k.name())).collect();
            return combination("kernel", "\"sigmoid\"", maintenance(), &legal.join(", "));
        }
        match (self.maintenance, self.budget) {
            (Maintenance::None, Some(budget)) => {
                combination("budget", &budget.to_string(), maintenance(), "None (unbounded)")
            }
            _ => Ok(()),
        }
    }
}

/// The largest budget: slots are counted in 32 bits.
const MAX_BUDGET: usize = 1 << 24;
/// The least width of a kernel.
pub(crate) const MIN_GAMMA: f64 = 1e-30;
/// The largest.
pub(crate) const MAX_GAMMA: f64 = 1e30;

impl CheckedSpec {
    /// An empty model for rows of `features` numbers and `classes` classes. What a bounded one may ever take must be
    /// there; it is taken as the model grows.
    ///
    /// # Errors
    /// When there are fewer than 2 classes, no features, or the model does not fit into memory.
    pub fn build<T: Real>(&self, features: usize, classes: usize) -> Result<Learner<T>> {
        self.check_size::<T>(features, classes)?;
        Ok(Learner::new(self.clone(), features, classes))
    }

    /// Whether there can be a model of this size.
    pub(crate) fn check_size<T: Real>(&self, features: usize, classes: usize) -> Result<()> {
        if classes < 2 {
            return Err(Error::parameter("classes", "at least 2 different labels", classes));
        }
        if features == 0 {
            return Err(Error::shape("X", "at least 1 feature", features));
        }
        if u32::try_from(features).is_err() {
            return Err(Error::shape("X", format!("at most {} features", u32::MAX), features));
        }
        let bytes = self.bytes::<T>(features, classes);
        if bytes.is_some_and(|n| Vec::<u8>::new().try_reserve_exact(n).is_ok()) {
            return Ok(());
        }
        let expected = format!("a number of support vectors of {features} features that fits into memory");
        let got = self.0.budget.map_or("None".into(), |budget| budget.to_string());
        Err(Error::parameter("budget", expected, got))
    }

    /// About the memory that a bounded model takes when it is full, and an unbounded one with its first vectors; none
    /// where it cannot even be counted.
    fn bytes<T: Real>(&self, features: usize, classes: usize) -> Option<usize> {
        // Norms, weights, labels, ages and what else there is beside vector and coefficients, in numbers of type T.
        const OTHERS: usize = 24;
        let slots = self.capacity().unwrap_or(PANEL * T::LANES).next_multiple_of(T::LANES);
        let columns = features.checked_add(classes)?.checked_add(OTHERS)?;
        let store = slots.checked_mul(columns)?.checked_mul(size_of::<T>())?;
        let projects = matches!(self.0.maintenance, Maintenance::Project | Maintenance::ProjectBest);
        // A triangle of f64.
        let factor =
            if projects && self.0.budget.is_some() { slots.checked_mul(slots)?.checked_mul(4)? } else { 0 };
        store.checked_add(factor)
    }

    /// The parameters.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.0
    }

    /// The most support vectors between examples.
    #[inline(always)]
    pub(crate) fn budget(&self) -> usize {
        self.0.budget.unwrap_or(usize::MAX)
    }

    /// The most support vectors ever: one more, just inserted.
    pub(crate) fn capacity(&self) -> Option<usize> {
        self.0.budget.map(|b| b + 1)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.0.seed
    }

    pub(crate) fn update(&self) -> AnyUpdate {
        AnyUpdate::Sgd(Sgd::new(self.0.loss, self.0.alpha, self.0.ball))
    }

    pub(crate) fn maintain<T: Real>(&self) -> AnyMaintain<T> {
        if self.0.budget.is_none() {
            return AnyMaintain::None;
        }
        let remove = |leaver| AnyMaintain::Remove(Remove { leaver });
        let project = |victim| AnyMaintain::Project(Project { victim });
        match self.0.maintenance {
            Maintenance::None => AnyMaintain::None,
            Maintenance::Stop => AnyMaintain::Stop,
            Maintenance::Random => remove(Leaver::Random),
            Maintenance::Oldest => remove(Leaver::Oldest),
            Maintenance::Smallest => remove(Leaver::Smallest),
            Maintenance::Project => project(Victim::Smallest),
            Maintenance::ProjectBest => project(Victim::Cheapest),
            Maintenance::Merge => AnyMaintain::Merge(Merge::new(self.capacity().unwrap_or(0))),
        }
    }

    /// The kernel for rows of `features` numbers, before any data is seen.
    pub(crate) fn kernel(&self, features: usize) -> AnyKernel {
        let spec = &self.0;
        let (degree, coef0) = (spec.degree, spec.coef0);
        let gamma = match spec.gamma {
            Gamma::Value(gamma) => gamma,
            Gamma::Scale | Gamma::Auto => 1.0 / features as f64,
        };
        match spec.kernel {
            KernelName::Rbf => AnyKernel::Rbf(Rbf { gamma }),
            KernelName::Laplacian => AnyKernel::Laplacian(Laplacian { gamma }),
            KernelName::Poly => AnyKernel::Polynomial(Polynomial { gamma, coef0, degree }),
            KernelName::Linear => AnyKernel::Linear(Linear),
            KernelName::Sigmoid => AnyKernel::Sigmoid(Sigmoid { gamma, coef0 }),
            KernelName::Cosine => AnyKernel::Cosine(Cosine),
        }
    }

    pub(crate) fn gamma_rule(&self) -> GammaRule {
        let has_width = self.kernel(1).gamma().is_some();
        match self.0.gamma {
            Gamma::Scale if has_width => GammaRule::Running(Moments::default()),
            _ => GammaRule::Fixed,
        }
    }
}
