//! The support set: vectors, coefficients, labels and insertion order, slot by slot.

use super::base_row::BaseRow;
use super::coefficients::Coefficients;
use super::edit::{Edit, MergedPair};
use super::insertion_order::InsertionOrder;
use super::kernel_block::KernelBlock;
use super::nonzero::Nonzero;
use super::waiting_vector::WaitingVector;
use crate::batch::{Label, Row};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::{ActiveMask, Ops, RowSize, SimdBuffer, SupportView};
use crate::panels::PanelStorage;
use crate::slot::Slot;

/// The size of a kernel expansion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// The maximum number of support vectors; None if unbounded.
    pub(crate) capacity: Option<usize>,
    pub(crate) features: usize,
    pub(crate) outputs: usize,
}

/// `f(x) = scale * unit * sum_j alpha_j k(x_j, x)`, without means and derived state.
///
/// Invariants, asserted by `check_invariants` in tests: a slot is live in `order`, or free, or beyond the high-water
/// mark; free lanes are zero in every buffer; `coefficients.weights` equals `|alpha_j|^2 k_jj`.
#[derive(Debug, Clone)]
pub(crate) struct SupportSet<T: Real> {
    /// The operations at the SIMD level of this expansion.
    pub(crate) ops: Ops<T>,
    pub(crate) kernel: AnyKernel,
    pub(crate) panels: PanelStorage<T>,
    /// The vector of the newest support vector, while it is not in the panels.
    pub(super) waiting: WaitingVector<T>,
    /// The non-zero features of sparse support vectors.
    pub(crate) nonzero: Nonzero,
    /// The row statistic of each support vector that the kernel reads.
    pub(crate) row_stats: SimdBuffer<T>,
    pub(crate) coefficients: Coefficients<T>,
    /// The label of each slot; a merged vector keeps the label of the partner with the larger weight.
    pub(crate) labels: Vec<Label>,
    pub(crate) order: InsertionOrder,
    /// Freed slots, as a stack.
    pub(crate) free: Vec<Slot>,
    /// The high-water mark: slots from here on have never been used.
    pub(crate) high: usize,
    /// The maximum number of slots; a panel is added when all are used.
    pub(crate) capacity: Option<usize>,
    /// The factor of all coefficients that the rule's decay sets.
    pub(crate) scale: f64,
    /// The unit of coefficients: a power of two.
    pub(crate) unit: f64,
    pub(crate) row_size: RowSize,
    /// The row that the rows to be learned are compared with, if they are given by their differences.
    pub(super) base: BaseRow<T>,
    /// Precomputed kernel sums of the next rows to be learned.
    pub(crate) kernel_block: KernelBlock<T>,
}

impl<T: Real> SupportSet<T> {
    pub(crate) fn new(ops: Ops<T>, kernel: AnyKernel, shape: Shape) -> Self {
        let Shape { capacity, features, outputs } = shape;
        Self {
            ops,
            kernel,
            panels: PanelStorage::new(capacity, features),
            waiting: WaitingVector::default(),
            nonzero: Nonzero::default(),
            row_stats: SimdBuffer::default(),
            coefficients: Coefficients::new(outputs),
            labels: Vec::new(),
            order: InsertionOrder::default(),
            free: Vec::new(),
            high: 0,
            capacity,
            scale: 1.0,
            unit: 1.0,
            row_size: RowSize::Unknown,
            base: BaseRow::default(),
            kernel_block: KernelBlock::default(),
        }
    }

    /// The number of support vectors.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn outputs(&self) -> usize {
        self.coefficients.outputs()
    }

    /// The number of SIMD vectors of slots that hold support vectors.
    #[inline]
    pub(crate) fn n_simd_used(&self) -> usize {
        self.high.div_ceil(T::LANES)
    }

    /// The number of features that may be added before the vectors are copied.
    pub(crate) fn spare_features(&self) -> usize {
        self.panels.spare_features()
    }

    /// A view of the support vectors for the operations.
    #[inline]
    pub(crate) fn stored(&self) -> SupportView<'_, T> {
        SupportView {
            panels: self.panels.view(),
            row_stats: &self.row_stats,
            used: self.n_simd_used(),
            row_size: self.row_size,
        }
    }

    /// A mask of the live slots for the operations.
    #[inline]
    pub(crate) fn live(&self) -> ActiveMask<'_> {
        self.order.live(self.n_simd_used())
    }

    /// Copies the vector of a slot into `x`.
    pub(crate) fn read(&self, slot: Slot, x: &mut [T]) {
        if let Some(waiting) = self.waiting.of(slot) {
            return x.copy_from_slice(waiting);
        }
        match self.nonzero.of(slot) {
            None => self.panels.read(slot, x),
            Some(features) => {
                x.fill(T::ZERO);
                for &j in features {
                    x[j as usize] = self.panels.get(slot, j as usize);
                }
            }
        }
    }

    /// The kernel row of a stored vector; `x` is a buffer.
    pub(crate) fn kernel_row(&self, slot: Slot, x: &mut Vec<T>, k: &mut SimdBuffer<T>) {
        x.resize(self.panels.features(), T::ZERO);
        self.read(slot, x);
        self.ops.kernel_row(self.kernel, self.stored(), (Row::Dense(x), self.row_stats.get(slot.index())), k);
    }

    /// `k(x_slot, x_j)` in double precision from the stored values, for every used slot.
    pub(crate) fn kernel_row_f64(&self, slot: Slot, x: &mut [f64], k: &mut [f64]) {
        for (j, x) in x.iter_mut().enumerate() {
            *x = self.panels.get(slot, j).to_f64();
        }
        self.values_f64(x, k);
    }

    /// `k(x, x_j)` in double precision for a row that is not stored, for every used slot.
    pub(crate) fn values_f64(&self, x: &[f64], k: &mut [f64]) {
        self.ops.kernel_row_f64(self.kernel, self.panels.view(), x, self.n_simd_used(), k);
    }

    /// `|alpha_j|^2`
    pub(crate) fn squared_alpha(&self, slot: Slot) -> f64 {
        (0..self.outputs()).map(|output| self.coefficients.get(slot, output).to_f64().powi(2)).sum()
    }

    /// Whether a base row can be used: squared distances are expanded.
    pub(crate) fn accepts_base_row(&self) -> bool {
        self.stored().expands_squares(self.kernel)
    }

    /// Sets or unsets the base row.
    pub(crate) fn set_base_row(&mut self, z: Option<&[T]>) {
        let mut base = std::mem::take(&mut self.base);
        match z {
            Some(z) => base.set(z, self.ops, self.stored()),
            None => base.unset(),
        }
        self.base = base;
        self.kernel_block.discard();
    }

    /// Frees a slot and sets its lanes to zero.
    pub(crate) fn free_slot(&mut self, slot: Slot) {
        match self.nonzero.of(slot) {
            _ if self.waiting.forget(slot) => {}
            None => self.panels.write(slot, std::iter::repeat_n(T::ZERO, self.panels.features())),
            Some(features) => {
                for &j in features {
                    self.panels.set(slot, j as usize, T::ZERO);
                }
            }
        }
        self.row_stats.set(slot.index(), T::ZERO);
        for output in 0..self.outputs() {
            self.coefficients.clear(slot, output);
        }
        self.order.remove(slot);
        self.free.push(slot);
    }

    /// Adds a panel of slots; the last panel of a bounded expansion is narrower. Returns the number of SIMD vectors of
    /// slots.
    pub(crate) fn add_panel(&mut self) -> usize {
        self.panels.grow();
        let n_simd = self.panels.n_simd();
        self.row_stats.grow(n_simd);
        self.coefficients.grow(n_simd);
        self.nonzero.grow(n_simd * T::LANES);
        self.labels.resize(n_simd * T::LANES, Label::Class(0));
        self.order.grow(n_simd * T::LANES);
        self.base.grow(n_simd);
        self.kernel_block.grow(n_simd);
        n_simd
    }
}

impl<T: Real> SupportSet<T> {
    /// Makes an edit; `by_slot` and `by_output` are buffers.
    pub(super) fn edit(&mut self, edit: Edit<'_, T>, by_slot: &mut SimdBuffer<T>, by_output: &mut [T]) {
        let kernel = self.kernel;
        match edit {
            Edit::Insert { slot, new } => {
                self.nonzero.put(slot, new.z, self.panels.features());
                match new.z {
                    Row::Dense(x) if self.waiting.is_enabled => self.waiting.put(slot, x),
                    x => self.write_vector(slot, x, new.row_stat),
                }
                self.row_stats.set(slot.index(), new.row_stat);
                self.coefficients.write_new(slot, new.alpha, kernel.diag(new.row_stat));
                self.labels[slot.index()] = new.label;
                self.order.push(slot);
            }
            Edit::Remove { slot, .. } => self.free_slot(slot),
            Edit::Merge { merger: MergedPair { m, n, .. }, merged, alpha } => {
                let merged = Row::Dense(merged);
                let row_stat = kernel.row_stat(merged);
                self.waiting.forget(n);
                self.nonzero.forget(n);
                self.write_vector(n, merged, row_stat);
                self.row_stats.set(n.index(), row_stat);
                self.coefficients.write_new(n, alpha, kernel.diag(row_stat));
                self.free_slot(m);
            }
            Edit::Project { p, receivers, d, .. } => {
                if !receivers.is_empty() {
                    self.coefficients.read(p, by_output);
                    // The share of p itself is removed with p.
                    self.spread((receivers, d), 1.0, Some(p), by_output, by_slot);
                }
                self.free_slot(p);
            }
            Edit::Absorb { receivers, d, share, alpha } => {
                self.spread((receivers, d), share, None, alpha, by_slot);
            }
            Edit::Give { from, to, share } => {
                for (output, a) in by_output.iter_mut().enumerate() {
                    *a = self.coefficients.get(to, output) + share * self.coefficients.get(from, output);
                }
                self.coefficients.write_new(to, by_output, self.coefficients.diags().get(to.index()));
            }
            Edit::Redirect { slot, new_tau } => {
                self.coefficients.read(slot, by_output);
                for a in by_output.iter_mut().filter(|a| **a != T::ZERO) {
                    *a = if *a > T::ZERO { new_tau } else { -new_tau };
                }
                self.coefficients.write(slot, by_output, self.coefficients.diags().get(slot.index()));
            }
            Edit::StepLinear { step, x, constant } => {
                let linear =
                    self.coefficients.linear_mut().expect("an expansion that makes steps has a linear term");
                linear.step(self.ops, step, x, constant);
            }
            Edit::MultiplyAll { factor } => {
                let used = self.n_simd_used();
                self.ops.scale_coefficients(self.coefficients.weighted(used), T::from_f64(factor));
                if let Some(linear) = self.coefficients.linear_mut() {
                    linear.scale(T::from_f64(factor));
                }
            }
            Edit::MultiplyOthers { slot, factor, .. } => {
                self.coefficients.read(slot, by_output);
                let (used, diag) = (self.n_simd_used(), self.coefficients.diags().get(slot.index()));
                self.ops.scale_coefficients(self.coefficients.weighted(used), T::from_f64(factor));
                self.coefficients.write(slot, by_output, diag);
            }
            Edit::CommitInsert => {}
        }
    }

    /// Writes the vector of a slot, and computes its kernel sums for the remaining rows of the block.
    fn write_vector(&mut self, slot: Slot, x: Row<'_, T>, row_stat: T) {
        self.panels.write_row(slot, x);
        let row_stat = match x {
            Row::Dense(x) if self.base.is_set() => self.base.replace(self.ops, slot, x, row_stat),
            _ => row_stat,
        };
        self.kernel_block.replace(self.ops, self.kernel, slot, (x, row_stat));
    }

    /// Writes the waiting vector to the panels, if there is one.
    #[inline(always)]
    pub(super) fn write_waiting(&mut self) {
        if let Some(slot) = self.waiting.slot() {
            let waiting = std::mem::take(&mut self.waiting);
            self.write_vector(slot, Row::Dense(waiting.x()), self.row_stats.get(slot.index()));
            self.waiting = waiting;
            self.waiting.forget(slot);
        }
    }

    /// Adds `share d_i alpha` to the coefficients of each slot of `receivers` except one.
    fn spread(
        &mut self,
        (receivers, d): (&[Slot], &[f64]),
        share: f64,
        except: Option<Slot>,
        alpha: &[T],
        by_slot: &mut SimdBuffer<T>,
    ) {
        by_slot.clear();
        for (&slot, &d) in receivers.iter().zip(d) {
            by_slot.set(slot.index(), T::from_f64(share * d));
        }
        if let Some(slot) = except {
            by_slot.set(slot.index(), T::ZERO);
        }
        let used = self.n_simd_used();
        self.ops.add_multiples(self.coefficients.weighted(used), by_slot, alpha);
    }
}
