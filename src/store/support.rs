//! The model itself: vectors, coefficients, labels and insertion order, slot by slot.

use super::age::InsertionOrder;
use super::ahead::KernelBlock;
use super::expansion::Coefficients;
use super::nonzero::Nonzero;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::Label;
use crate::ops::{ActiveMask, Ops, SimdBuffer, SupportView};
use crate::panels::PanelStorage;
use crate::row::Row;
use crate::slot::Slot;

/// `f(x) = scale * sum_j alpha_j k(x_j, x)`, without followers.
///
/// Invariants, asserted by `check_invariants` in tests: a slot is live in `age`, or free, or beyond the high-water
/// mark; free lanes are zero in every buffer; `expansion.weights` equals `|alpha_j|^2 k_jj`; the followers hold exactly
/// the live slots.
#[derive(Debug, Clone)]
pub(super) struct SupportSet<T: Real> {
    /// The operations at the level of this store.
    pub(super) ops: Ops<T>,
    pub(super) panels: PanelStorage<T>,
    /// Where the sparse ones of the vectors are not zero.
    pub(super) nonzero: Nonzero,
    /// Each stored vector's norm, as the kernel takes it.
    pub(super) norms: SimdBuffer<T>,
    pub(super) expansion: Coefficients<T>,
    /// Each slot's label; a merged vector has that of its larger partner.
    pub(super) labels: Vec<Label>,
    pub(super) age: InsertionOrder,
    /// Freed slots, the next to be taken last.
    pub(super) free: Vec<Slot>,
    /// Slots ever taken: those from here on are fresh.
    pub(super) high: usize,
    /// The most slots; a panel is added whenever it is full.
    pub(super) capacity: Option<usize>,
    /// The multiplier of every coefficient.
    pub(super) scale: f64,
    /// Whether the numbers of vectors and rows are clipped.
    pub(super) is_clipped: bool,
    /// Rows that come next.
    pub(super) ahead: KernelBlock<T>,
}

impl<T: Real> SupportSet<T> {
    pub(super) fn new(ops: Ops<T>, capacity: Option<usize>, features: usize, outputs: usize) -> Self {
        Self {
            ops,
            panels: PanelStorage::new(capacity, features),
            nonzero: Nonzero::default(),
            norms: SimdBuffer::default(),
            expansion: Coefficients::new(outputs),
            labels: Vec::new(),
            age: InsertionOrder::default(),
            free: Vec::new(),
            high: 0,
            capacity,
            scale: 1.0,
            is_clipped: false,
            ahead: KernelBlock::default(),
        }
    }

    /// SupportSet vectors.
    pub(super) fn len(&self) -> usize {
        self.age.len()
    }

    pub(super) fn outputs(&self) -> usize {
        self.expansion.outputs()
    }

    /// Vectors of lanes that hold support vectors.
    #[inline]
    pub(super) fn used(&self) -> usize {
        self.high.div_ceil(T::LANES)
    }

    /// The stored vectors as the operations see them.
    #[inline]
    pub(super) fn stored(&self) -> SupportView<'_, T> {
        SupportView {
            panels: self.panels.view(),
            row_stats: &self.norms,
            used: self.used(),
            is_clipped: self.is_clipped,
        }
    }

    /// The live slots as the operations see them.
    #[inline]
    pub(super) fn live(&self) -> ActiveMask<'_> {
        self.age.live(self.used())
    }

    /// Reads the vector in a slot.
    pub(super) fn read(&self, slot: Slot, x: &mut [T]) {
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
    pub(super) fn row(&self, kernel: AnyKernel, slot: Slot, x: &mut Vec<T>, k: &mut SimdBuffer<T>) {
        x.resize(self.panels.features(), T::ZERO);
        self.read(slot, x);
        self.ops.kernel_row(kernel, self.stored(), (Row::Dense(x), self.norms.get(slot.index())), k);
    }

    /// `k(x_slot, x_j)` in double precision from the stored numbers, for every slot of the used vectors.
    pub(super) fn kernel_row_f64(&self, kernel: AnyKernel, slot: Slot, x: &mut [f64], k: &mut [f64]) {
        for (j, x) in x.iter_mut().enumerate() {
            *x = self.panels.get(slot, j).to_f64();
        }
        self.values_f64(kernel, x, k);
    }

    /// The same for a row that is not stored.
    pub(super) fn values_f64(&self, kernel: AnyKernel, x: &[f64], k: &mut [f64]) {
        self.ops.kernel_row_f64(kernel, self.panels.view(), x, self.used(), k);
    }

    /// `|alpha_j|^2`
    pub(super) fn squared_alpha(&self, slot: Slot) -> f64 {
        (0..self.outputs()).map(|output| self.expansion.get(slot, output).to_f64().powi(2)).sum()
    }

    /// Frees a slot and zeroes its lanes.
    pub(super) fn vacate(&mut self, slot: Slot) {
        match self.nonzero.of(slot) {
            None => self.panels.write(slot, std::iter::repeat_n(T::ZERO, self.panels.features())),
            Some(features) => {
                for &j in features {
                    self.panels.set(slot, j as usize, T::ZERO);
                }
            }
        }
        self.norms.set(slot.index(), T::ZERO);
        for output in 0..self.outputs() {
            self.expansion.clear(slot, output);
        }
        self.age.remove(slot);
        self.free.push(slot);
    }

    /// One more panel of slots, the last of a bounded store narrower. Returns the vectors of lanes that there are now.
    pub(super) fn grow(&mut self) -> usize {
        self.panels.grow();
        let vectors = self.panels.n_simd();
        self.norms.grow(vectors);
        self.expansion.grow(vectors);
        self.nonzero.grow(vectors * T::LANES);
        self.labels.resize(vectors * T::LANES, Label::Class(0));
        self.age.grow(vectors * T::LANES);
        self.ahead.grow(vectors);
        vectors
    }
}
