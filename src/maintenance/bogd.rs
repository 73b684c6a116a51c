//! Bounded online gradient descent (Zhao, Wang, Wu, Jin and Hoi 2012, BOGD with uniform removal).

use super::{Maintain, MaintenanceContext};
use crate::float::Real;
use crate::persist::Persist;
use crate::store::Keep;

/// Over budget a uniform one of the old support vectors goes and the other old ones grow by `B/(B-1)`, so that the
/// model stays what it was in the mean; then all shrink until no coefficient exceeds the clip.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bogd {
    /// The largest size of a coefficient: `eta * clip`.
    pub(crate) most: f64,
}

impl Persist for Bogd {}

impl<T: Real> Maintain<T> for Bogd {
    fn requires(&self) -> Keep {
        Keep { norm2: true, ..Keep::default() }
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { store, kernel, rng, f, k, .. } = model;
        let (t, old) = (store.newest(), store.len() - 1);
        let r = store.nth_oldest(rng.index(old));
        let grow = if old > 1 { old as f64 / (old as f64 - 1.0) } else { 1.0 };
        // The model w, the newcomer's part u = alpha_t phi_t in it, and a = alpha_r phi_r.
        let part = |output: usize| store.expansion().get(t, output).to_f64();
        let outputs = 0..store.outputs();
        let before: f64 = outputs.clone().map(|output| part(output) * f[output].to_f64()).sum();
        let dot: f64 = outputs.map(|output| part(output) * store.expansion().get(r, output).to_f64()).sum();
        let weight = |slot| store.expansion().weights().get(slot).to_f64();
        let (uu, aa, ua) = (weight(t.index()), weight(r.index()), dot * k.get(r.index()).to_f64());
        let (ww, wu) = (store.norm2(), before + uu);
        let wa = store.along(kernel, r);
        store.remove_with_product(kernel, r, wa);
        store.rescale_others(kernel, t, grow, before - ua);
        let largest = store.largest().to_f64() * store.scale();
        let clip = if largest > self.most { self.most / largest } else { 1.0 };
        if clip < 1.0 {
            store.rescale(kernel, clip);
        }
        // Delta = (clip grow - 1) w + clip (1 - grow) u - clip grow a
        let (p, q, r) = (clip * grow - 1.0, clip * (1.0 - grow), clip * grow);
        p * p * ww + q * q * uu + r * r * aa + 2.0 * (p * q * wu - p * r * wa - q * r * ua)
    }
}
