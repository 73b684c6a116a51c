//! Projection on the most correlated support vectors.

use super::{Maintain, MaintenanceContext};
use crate::expansion::CorrelatedSubset;
use crate::float::Real;
use crate::linalg::ProjectionSystem;

/// The ridge, relative to the diagonal of the Gram matrix.
const RIDGE: f64 = 1e-8;

/// Projection of the smallest support vector p on its n most correlated support vectors S, with a ridge:
/// `alpha_S += alpha_p d`, `(K_SS + 1e-8 diag(k_ii)) d = k_Sp` (Le et al. 2016, section 6.2.2). O(B) time.
#[derive(Debug, Clone)]
pub(crate) struct ProjectNear<T: Real> {
    subset: CorrelatedSubset<T>,
    system: ProjectionSystem,
    k_sp: Vec<f64>,
    /// The ridge of each vector of S.
    ridges: Vec<f64>,
}

impl<T: Real> ProjectNear<T> {
    /// Projection on `n` support vectors.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            subset: CorrelatedSubset::new(n),
            system: ProjectionSystem::new(n),
            k_sp: Vec::with_capacity(n),
            ridges: Vec::with_capacity(n),
        }
    }
}

impl<T: Real> Maintain<T> for ProjectNear<T> {
    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let Self { subset, system, k_sp, ridges } = self;
        let MaintenanceContext { expansion, norm, .. } = context;
        let p = expansion.smallest();
        subset.choose(expansion, p);
        let (row, k_pp) = subset.with(expansion, p);
        k_sp.clear();
        k_sp.extend_from_slice(row);
        ridges.clear();
        system.start(k_pp);
        for (i, &k_ip) in k_sp.iter().enumerate() {
            let row = subset.row(expansion, i);
            let ridge = RIDGE * row[i];
            // The ridge keeps every pivot above zero.
            if !system.add(row[i] + ridge, k_ip, 0.0, |j| row[j]) {
                break;
            }
            ridges.push(ridge);
        }
        let residual = system.sq_residual();
        let d = system.solve();
        // The squared residual of the system includes the ridge term, which is subtracted.
        let ridge_term: f64 = d.iter().zip(ridges.iter()).map(|(d, ridge)| d * d * ridge).sum();
        let receivers = &subset.slots()[..d.len()];
        expansion.project_on(p, receivers, d, (residual - ridge_term).max(0.0), norm)
    }
}
