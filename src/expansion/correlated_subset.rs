//! The support vectors that are most correlated with a given support vector, and their Gram matrix in double precision.

use super::{KernelExpansion, Slot};
use crate::batch::Row;
use crate::float::Real;
use crate::ops::SimdBuffer;
use crate::panels::PanelStorage;

/// Copies of at most `capacity` support vectors; buffers, never saved.
#[derive(Debug, Clone)]
pub(crate) struct CorrelatedSubset<T: Real> {
    capacity: usize,
    slots: Vec<Slot>,
    panels: PanelStorage<T>,
    /// A support vector.
    stored: Vec<T>,
    /// The support vector in double precision.
    x: Vec<f64>,
    /// The kernel values of `x` with all members.
    k: Vec<f64>,
    /// Negated correlations.
    costs: SimdBuffer<T>,
    /// The kernel row of the support vector that the subset is chosen for.
    row: SimdBuffer<T>,
}

impl<T: Real> CorrelatedSubset<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            slots: Vec::with_capacity(capacity),
            panels: PanelStorage::new(Some(capacity), 0),
            stored: Vec::new(),
            x: Vec::new(),
            k: Vec::new(),
            costs: SimdBuffer::default(),
            row: SimdBuffer::default(),
        }
    }

    /// The slots of the subset.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The kernel values of member `i` with all members.
    pub(crate) fn row(&mut self, expansion: &KernelExpansion<T>, i: usize) -> &[f64] {
        self.panels.read(Slot(i as u32), &mut self.stored);
        self.values(expansion)
    }

    /// The kernel values of a support vector with all members, and `k(x, x)`.
    pub(crate) fn with(&mut self, expansion: &KernelExpansion<T>, slot: Slot) -> (&[f64], f64) {
        expansion.read(slot, &mut self.stored);
        self.values(expansion);
        let kernel = expansion.kernel();
        (&self.k[..self.slots.len()], kernel.diag(kernel.row_stat(Row::Dense(&self.x[..]))))
    }

    fn values(&mut self, expansion: &KernelExpansion<T>) -> &[f64] {
        self.x.clear();
        self.x.extend(self.stored.iter().map(|x| x.to_f64()));
        let (panels, n_simd) = (self.panels.view(), self.panels.n_simd());
        expansion.ops().kernel_row_f64(expansion.kernel(), panels, &self.x, n_simd, &mut self.k);
        &self.k[..self.slots.len()]
    }

    /// Empties the subset and makes room for vectors of `features` features.
    fn start(&mut self, features: usize) {
        self.slots.clear();
        self.stored.resize(features, T::ZERO);
        if self.panels.features() != features {
            self.panels = PanelStorage::new(Some(self.capacity), features);
        }
        while self.panels.n_simd() * T::LANES < self.capacity {
            self.panels.grow();
        }
        self.k.resize(self.panels.n_simd() * T::LANES, 0.0);
    }

    /// Chooses the support vectors with the largest `|k_ip| / sqrt(k_ii)`, which are the nearest neighbours of `p` for
    /// kernels of the distance. Ties go to the oldest.
    pub(crate) fn choose(&mut self, expansion: &KernelExpansion<T>, p: Slot) {
        let support = expansion.support();
        self.start(expansion.features());
        self.row.grow(expansion.n_simd());
        self.costs.grow(expansion.n_simd());
        support.kernel_row(p, &mut self.stored, &mut self.row);
        support.ops.negated_correlations(
            &self.row,
            support.coefficients.diags(),
            expansion.n_simd_used(),
            &mut self.costs,
        );
        self.costs.set(p.index(), T::INFINITY);
        while self.slots.len() < self.capacity {
            let Some((slot, _)) = support.ops.argmin(&self.costs, support.live(), T::TIE_RTOL) else { break };
            self.costs.set(slot.index(), T::INFINITY);
            self.slots.push(slot);
        }
        for (i, &slot) in self.slots.iter().enumerate() {
            expansion.read(slot, &mut self.stored);
            self.panels.write(Slot(i as u32), self.stored.iter().copied());
        }
    }
}
