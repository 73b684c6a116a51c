//! Projection on the most correlated support vectors.

use super::{Maintain, MaintenanceContext};
use crate::float::Real;
use crate::linalg::ProjectionSystem;
use crate::persist::Persist;
use crate::store::CorrelatedSubset;

/// What is added to the squared length of each vector that is projected on, as a share of it.
const RIDGE: f64 = 1e-8;

/// Projection of the smallest support vector p on the few most correlated ones S, whose Gram matrix has a small ridge:
/// `alpha_S += alpha_p d`, `(K_SS + 1e-8 diag(k_ii)) d = k_Sp` (Le et al. 2016, section 6.2.2): O(B) time.
#[derive(Debug, Clone)]
pub(crate) struct ProjectNear<T: Real> {
    subset: CorrelatedSubset<T>,
    system: ProjectionSystem,
    /// `k_Sp`
    right: Vec<f64>,
    /// The ridge of each.
    ridges: Vec<f64>,
}

impl<T: Real> ProjectNear<T> {
    /// On `n` support vectors.
    pub(crate) fn new(n: usize) -> Self {
        let room = || Vec::with_capacity(n);
        Self {
            subset: CorrelatedSubset::new(n),
            system: ProjectionSystem::new(n),
            right: room(),
            ridges: room(),
        }
    }
}

impl<T: Real> Persist for ProjectNear<T> {}

impl<T: Real> Maintain<T> for ProjectNear<T> {
    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let Self { subset, system, right, ridges } = self;
        let MaintenanceContext { model, norm, .. } = context;
        let p = model.smallest();
        subset.choose(model, p);
        let (row, k_pp) = subset.with(model, p);
        right.clear();
        right.extend_from_slice(row);
        ridges.clear();
        system.start(k_pp);
        for (i, &right) in right.iter().enumerate() {
            let row = subset.row(model, i);
            let ridge = RIDGE * row[i];
            // The ridge keeps every pivot above zero.
            if !system.add(row[i] + ridge, right, 0.0, |j| row[j]) {
                break;
            }
            ridges.push(ridge);
        }
        let rest = system.sq_residual();
        let shares = system.solve();
        // The residual of the system includes the ridge, which is subtracted.
        let longer: f64 = shares.iter().zip(ridges.iter()).map(|(d, ridge)| d * d * ridge).sum();
        let on = &subset.slots()[..shares.len()];
        model.project_on(p, on, shares, (rest - longer).max(0.0), norm)
    }
}
