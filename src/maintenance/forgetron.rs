//! The self-tuned Forgetron (Dekel, Shalev-Shwartz and Singer 2008, section 5).

use super::{Admission, Maintain, MaintenanceContext};
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::expansion::Edit;
use crate::float::Real;
use crate::persist::Tensors;
use crate::state::{Norm, WithNorm};

/// Over budget, all coefficients are multiplied by phi and the oldest vector is removed. phi is the largest number in
/// (0, 1] for which the damage of all removals so far stays below `15/32` of the number of updates.
#[derive(Debug, Clone)]
pub(crate) struct Forgetron<T: Real> {
    pub(super) norm: Norm<T>,
    /// Q: the damage of all removals so far.
    damage: f64,
    /// M: the number of updates so far, the present one included, over budget or not.
    updates: u64,
}

impl<T: Real> Forgetron<T> {
    pub(crate) fn new(norm: Norm<T>) -> Self {
        Self { norm, damage: 0.0, updates: 0 }
    }
}

/// The effect of a removal on the bound.
#[derive(Debug, Clone, Copy)]
struct Removal {
    /// `|alpha_r|` of the removed vector.
    sigma: f64,
    /// `<alpha_r, f'(x_r)> / |alpha_r|`, where f' includes the example: the margin, relative to the coefficient.
    mu: f64,
}

impl Removal {
    /// The damage of a removal after all coefficients are multiplied by phi:
    /// `(sigma phi)^2 + 2 sigma phi (1 - phi mu)`.
    fn damage(self, phi: f64) -> f64 {
        let scaled = self.sigma * phi;
        scaled * scaled + 2.0 * scaled * (1.0 - phi * self.mu)
    }

    /// The largest phi in (0, 1] with a damage of at most `bound > 0`: a root of `a phi^2 + b phi + c`.
    fn largest_phi(self, bound: f64) -> f64 {
        if self.damage(1.0) <= bound {
            return 1.0;
        }
        let (a, b, c) = (self.sigma * (self.sigma - 2.0 * self.mu), 2.0 * self.sigma, -bound);
        // The polynomial rises from c < 0 at 0 to a positive value at 1, so the first root is meant, also if a < 0. The
        // formula avoids the difference of b and the root of the discriminant, which cancels if a is small.
        let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
        (-2.0 * c / (b + root)).min(1.0)
    }
}

/// The bound on the damage per update.
const DAMAGE_PER_UPDATE: f64 = 15.0 / 32.0;

impl<T: Real> Maintain<T> for Forgetron<T> {
    derived_state!(norm);

    fn admit(&mut self, _: MaintenanceContext<'_, T>, _: &[T]) -> Admission {
        saturating_inc(&mut self.updates);
        Admission::Insert { sq_change: None }
    }

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, norm, .. } = context;
        let oldest = expansion.nth_oldest(0);
        let sigma = expansion.squared_alpha(oldest).sqrt();
        let inner_product = self.norm.inner_product(expansion.support(), oldest);
        let removal = Removal { sigma, mu: if sigma > 0.0 { inner_product / sigma } else { 0.0 } };
        let allowed = DAMAGE_PER_UPDATE * self.updates as f64 - self.damage;
        let phi = removal.largest_phi(allowed);
        // Rounding must not exceed the bound; f64::max makes an overflow or NaN finite, so that the model can be saved.
        self.damage =
            (self.damage + removal.damage(phi)).min(DAMAGE_PER_UPDATE * self.updates as f64).max(f64::MIN);
        // Delta = (phi - 1) w - phi alpha_r phi_r
        let (p, weight) = (phi - 1.0, expansion.coefficients().weights().get(oldest.index()).to_f64());
        let sq_change = p * p * self.norm.value() - 2.0 * p * phi * inner_product + phi * phi * weight;
        let derived_state = &mut WithNorm(&mut self.norm, norm);
        expansion.edit(Edit::Remove { slot: oldest, inner_product: Some(inner_product) }, derived_state);
        if phi < 1.0 {
            expansion.multiply_coefficients(phi, derived_state);
        }
        sq_change
    }

    fn save(&self, out: &mut Tensors) {
        out.set("damage", self.damage);
        out.set("updates", self.updates);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        (self.damage, self.updates) = (from.finite("damage")?, from.count("updates")?);
        if self.damage <= DAMAGE_PER_UPDATE * self.updates as f64 * (1.0 + 1e-9) {
            return Ok(());
        }
        Err(Error::Model("the damage is larger than its bound".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{AnyKernel, Rbf};
    use crate::learner::{Learner, Rows, Targets};
    use crate::params::{Gamma, Spec};
    use crate::rng::Rng;
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// The largest phi in (0, 1] with a damage of at most `bound`, by bisection: the damage rises from 0 until it first
    /// exceeds the bound.
    fn bisected(removal: Removal, bound: f64) -> f64 {
        if removal.damage(1.0) <= bound {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if removal.damage(middle) <= bound { low = middle } else { high = middle }
        }
        low
    }

    proptest! {
        #![proptest_config(fixed_cases(10_000))]

        #[test]
        fn phi_is_the_root_of_its_constraint(
            sigma in prop_oneof![1e-6..1e3f64, 0.5..2.0f64],
            mu in prop_oneof![-1e3..1e3f64, -1.0..1.5f64, Just(0.5)],
            bound in prop_oneof![0.46..1.0f64, 1e-3..100.0f64],
        ) {
            let removal = Removal { sigma, mu };
            let (phi, expected) = (removal.largest_phi(bound), bisected(removal, bound));
            prop_assert!(phi > 0.0 && phi <= 1.0);
            prop_assert!((phi - expected).abs() <= 1e-9 * expected, "{phi} and {expected}");
        }
    }

    #[test]
    fn the_damage_stays_under_its_bound() {
        let mut rng = Rng::new(3);
        let spec = Spec { budget: Some(7), gamma: Gamma::Value(1.5), ..Spec::named("forgetron").unwrap() };
        for classes in [2, 4] {
            let mut learner: Learner<f64> = spec.check().unwrap().build(2, classes).unwrap();
            assert_eq!(learner.kernel(), AnyKernel::Rbf(Rbf { gamma: 1.5 }));
            for _ in 0..2000 {
                let (x, class) = ([rng.uniform(), rng.uniform()], rng.index(classes) as u32);
                learner.learn_batch(&Rows::one(&x), Targets::Classes(&[class]), None).unwrap();
                let crate::maintenance::AnyStrategy::Forgetron(forgetron) = &learner.budget.strategy else {
                    panic!("the strategy of its name")
                };
                assert!(learner.n_support() <= 7);
                assert_eq!(forgetron.updates, learner.counts().updates);
                assert!(forgetron.damage <= DAMAGE_PER_UPDATE * forgetron.updates as f64);
            }
            assert!(learner.counts().maintenances > 500);
        }
    }
}
