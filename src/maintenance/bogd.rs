//! Bounded online gradient descent (Zhao, Wang, Wu, Jin and Hoi 2012, BOGD with uniform removal).

use super::{Maintain, MaintenanceContext};
use crate::expansion::Edit;
use crate::float::Real;
use crate::state::{Norm, WithNorm};

/// Over budget, a uniformly random old support vector is removed, and the coefficients of the other old support vectors
/// are multiplied by `B/(B-1)`, so that the expected model does not change. Then all coefficients are scaled down until
/// none exceeds `eta * max_coef`.
#[derive(Debug, Clone)]
pub(crate) struct Bogd<T: Real> {
    pub(crate) norm: Norm<T>,
    /// The largest absolute value of a coefficient: `eta * max_coef`.
    pub(crate) max_coefficient: f64,
}

impl<T: Real> Maintain<T> for Bogd<T> {
    derived_state!(norm);

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, rng, scored, norm, .. } = context;
        let (f, k) = (&scored.f[..], &*scored.k);
        let (t, old) = (expansion.newest(), expansion.len() - 1);
        let r = expansion.nth_oldest(rng.index(old));
        let growth = if old > 1 { old as f64 / (old as f64 - 1.0) } else { 1.0 };
        // The model w, the term u = alpha_t phi_t of the new vector, and a = alpha_r phi_r.
        let alpha_t = |output: usize| expansion.coefficients().get(t, output).to_f64();
        let outputs = 0..expansion.outputs();
        let before: f64 = outputs.clone().map(|output| alpha_t(output) * f[output].to_f64()).sum();
        let dot: f64 =
            outputs.map(|output| alpha_t(output) * expansion.coefficients().get(r, output).to_f64()).sum();
        let weight = |slot| expansion.coefficients().weights().get(slot).to_f64();
        let (uu, aa, ua) = (weight(t.index()), weight(r.index()), dot * k.get(r.index()).to_f64());
        let (ww, wu) = (self.norm.value(), before + uu);
        let wa = self.norm.inner_product(expansion.support(), r);
        let derived_state = &mut WithNorm(&mut self.norm, norm);
        expansion.edit(Edit::Remove { slot: r, inner_product: Some(wa) }, derived_state);
        let others = Edit::MultiplyOthers { slot: t, factor: growth, inner_product: before - ua };
        expansion.edit(others, derived_state);
        let largest = expansion.largest().to_f64() * expansion.factor();
        let clip = if largest > self.max_coefficient { self.max_coefficient / largest } else { 1.0 };
        if clip < 1.0 {
            expansion.multiply_coefficients(clip, derived_state);
        }
        // Delta = (clip growth - 1) w + clip (1 - growth) u - clip growth a
        let (p, q, r) = (clip * growth - 1.0, clip * (1.0 - growth), clip * growth);
        p * p * ww + q * q * uu + r * r * aa + 2.0 * (p * q * wu - p * r * wa - q * r * ua)
    }
}
