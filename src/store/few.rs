//! A few of the support vectors by themselves: their Gram matrix in double precision.

use super::{KernelExpansion, Slot};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::{Ops, SimdBuffer};
use crate::panels::PanelStorage;
use crate::row::Row;

/// At most so many vectors side by side, the place of each its index; scratch, never saved.
#[derive(Debug, Clone)]
pub(crate) struct CorrelatedSubset<T: Real> {
    most: usize,
    slots: Vec<Slot>,
    panels: PanelStorage<T>,
    /// One of them, as the store has it and in double precision.
    stored: Vec<T>,
    x: Vec<f64>,
    k: Vec<f64>,
    /// Minus the correlations that they were chosen by.
    costs: SimdBuffer<T>,
    /// The kernel row of the one they were chosen for.
    row: SimdBuffer<T>,
}

impl<T: Real> CorrelatedSubset<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            slots: Vec::with_capacity(most),
            panels: PanelStorage::new(Some(most), 0),
            stored: Vec::new(),
            x: Vec::new(),
            k: Vec::new(),
            costs: SimdBuffer::default(),
            row: SimdBuffer::default(),
        }
    }

    /// Who they are.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The kernel values of the `i`-th of them with them all.
    pub(crate) fn row(&mut self, ops: Ops<T>, kernel: AnyKernel, i: usize) -> &[f64] {
        self.panels.read(Slot(i as u32), &mut self.stored);
        self.values(ops, kernel)
    }

    /// The kernel values of a slot with them all, and `k(x, x)`.
    pub(crate) fn with(
        &mut self,
        kernel: AnyKernel,
        store: &KernelExpansion<T>,
        slot: Slot,
    ) -> (&[f64], f64) {
        store.read(slot, &mut self.stored);
        self.values(store.ops(), kernel);
        (&self.k[..self.slots.len()], kernel.diag(kernel.row_stat(Row::Dense(&self.x[..]))))
    }

    fn values(&mut self, ops: Ops<T>, kernel: AnyKernel) -> &[f64] {
        self.x.clear();
        self.x.extend(self.stored.iter().map(|x| x.to_f64()));
        ops.kernel_row_f64(kernel, self.panels.view(), &self.x, self.panels.n_simd(), &mut self.k);
        &self.k[..self.slots.len()]
    }

    /// Empties it for vectors of that many features.
    fn start(&mut self, features: usize) {
        self.slots.clear();
        self.stored.resize(features, T::ZERO);
        if self.panels.features() != features {
            self.panels = PanelStorage::new(Some(self.most), features);
        }
        while self.panels.n_simd() * T::LANES < self.most {
            self.panels.grow();
        }
        self.k.resize(self.panels.n_simd() * T::LANES, 0.0);
    }
}

impl<T: Real> KernelExpansion<T> {
    /// Leaves in `few` those that are most correlated with `p`: of the largest `|k_ip| / sqrt(k_ii)`, which for kernels
    /// of the distance are the nearest. Of equal ones the oldest first.
    pub(crate) fn most_correlated(&self, kernel: AnyKernel, p: Slot, few: &mut CorrelatedSubset<T>) {
        few.start(self.features());
        few.row.grow(self.vectors());
        few.costs.grow(self.vectors());
        self.support.row(kernel, p, &mut few.stored, &mut few.row);
        let Self { support, .. } = self;
        support.ops.negated_correlations(&few.row, support.expansion.diags(), self.used(), &mut few.costs);
        few.costs.set(p.index(), T::INFINITY);
        while few.slots.len() < few.most {
            let Some((slot, _)) = support.ops.argmin(&few.costs, support.live(), T::TIE_RTOL) else { break };
            few.costs.set(slot.index(), T::INFINITY);
            few.slots.push(slot);
        }
        for (i, &slot) in few.slots.iter().enumerate() {
            self.read(slot, &mut few.stored);
            few.panels.write(Slot(i as u32), few.stored.iter().copied());
        }
    }
}
