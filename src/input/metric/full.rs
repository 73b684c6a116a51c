//! A full matrix A: steps `A <- (I + E) A`, with E along the off-diagonal gradient.

use super::entries::{MAX_METRIC_ENTRY, check_entries};
use super::schedule::rate_decay;
use crate::batch::Row;
use crate::constants::{FEW_ROWS, running_weight};
use crate::count::saturating_inc;
use crate::error::{Result, check_model};
use crate::expansion::{KernelExpansion, OnEdit};
use crate::float::Real;
use crate::kernel::{AnyKernel, Linear};
use crate::ops::{Ops, RowSize, SimdBuffer, SupportView};
use crate::panels::PanelStorage;
use crate::persist::Tensors;
use crate::slot::Slot;

/// The learning rate, times the number of features.
const RATE: f64 = 0.5 * 5.0 * 0.003;

/// One of `ceil(features / 16)` violations makes a step.
const FEATURES_PER_STEP: usize = 16;

/// The number of support vectors in the gradient.
const VECTORS: usize = 2;

/// A, with one SIMD lane per row, and the pending E. The gradient of a margin with respect to E is
/// `-2 sum_j w_j e e^T`, `e = z - s_j`, here over the two support vectors with the largest `|w_j| D_j`. The scales
/// learn the diagonal.
#[derive(Debug, Clone)]
pub(super) struct Matrix<T: Real> {
    a: SquareMatrix<T>,
    /// E, row by row; it is symmetric.
    pending: Vec<T>,
    /// The number of violations seen.
    violations: u64,
    /// The number of steps made.
    steps: u64,
    /// The number of steps in E.
    n_pending: u64,
    /// The running mean square of the gradient's entries.
    mean_square: f64,
    buffers: Buffers<T>,
}

/// Buffers of a step; never saved.
#[derive(Debug, Clone)]
struct Buffers<T: Real> {
    /// The slope `w_j` and the difference `z - s_j` of each vector.
    pairs: [(T, Vec<T>); VECTORS],
    lanes: SimdBuffer<T>,
    column: Vec<T>,
    /// E, and the new A.
    matrices: [SquareMatrix<T>; 2],
}

/// A square matrix, with one SIMD lane per row.
#[derive(Debug, Clone)]
struct SquareMatrix<T: Real> {
    rows: PanelStorage<T>,
    zeros: SimdBuffer<T>,
}

impl<T: Real> SquareMatrix<T> {
    fn zero(features: usize) -> Self {
        let mut rows = PanelStorage::new(Some(features), features);
        while rows.n_simd() * T::LANES < features {
            rows.grow();
        }
        Self { zeros: SimdBuffer::zeros(rows.n_simd()), rows }
    }

    fn get(&self, i: usize, j: usize) -> T {
        self.rows.get(Slot(i as u32), j)
    }

    fn set(&mut self, i: usize, j: usize, x: T) {
        self.rows.set(Slot(i as u32), j, x);
    }

    fn write(&mut self, entries: &[T]) {
        for (i, row) in entries.chunks_exact(self.rows.features()).enumerate() {
            self.rows.write(Slot(i as u32), row.iter().copied());
        }
    }

    /// Writes the product with `x` into `lanes`.
    #[inline(always)]
    fn multiply(&self, ops: Ops<T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>) {
        lanes.grow(self.rows.n_simd());
        let stored = SupportView {
            panels: self.rows.view(),
            row_stats: &self.zeros,
            used: self.rows.n_simd(),
            row_size: RowSize::Unknown,
        };
        ops.kernel_row(AnyKernel::Linear(Linear), stored, (x, T::ZERO), lanes);
    }

    /// Whether all entries are bounded.
    fn is_bounded(&self) -> bool {
        let max = T::from_f64(MAX_METRIC_ENTRY);
        let mut entries = self.rows.buffer().values();
        entries.all(|x| *x <= max && -*x <= max)
    }
}

#[cfg(test)]
impl<T: Real> Matrix<T> {
    /// Fills the buffers with numbers that nobody may read.
    pub(super) fn poison(&mut self) {
        let Buffers { pairs, lanes, column, .. } = &mut self.buffers;
        lanes.poison();
        pairs.iter_mut().map(|(_, x)| x).chain([column]).for_each(|numbers| numbers.fill(T::from_f64(7e3)));
    }
}

impl<T: Real> Matrix<T> {
    /// The identity.
    pub(super) fn new(features: usize) -> Self {
        let (mut a, zeros) = (SquareMatrix::zero(features), vec![T::ZERO; features]);
        (0..features).for_each(|i| a.set(i, i, T::ONE));
        let buffers = Buffers {
            pairs: [(); VECTORS].map(|()| (T::ZERO, zeros.clone())),
            lanes: SimdBuffer::zeros(a.rows.n_simd()),
            column: zeros,
            matrices: [SquareMatrix::zero(features), SquareMatrix::zero(features)],
        };
        Self {
            a,
            pending: vec![T::ZERO; features * features],
            violations: 0,
            steps: 0,
            n_pending: 0,
            mean_square: 0.0,
            buffers,
        }
    }

    pub(super) fn features(&self) -> usize {
        self.a.rows.features()
    }

    /// `z = A x`.
    #[inline(always)]
    pub(super) fn apply(&self, ops: Ops<T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>, z: &mut Vec<T>) {
        self.a.multiply(ops, x, lanes);
        z.clear();
        z.extend(lanes.values().take(self.features()));
    }

    /// Learns from a margin violation: its row `z` and the slopes of the margin.
    pub(super) fn learn(
        &mut self,
        expansion: &KernelExpansion<T>,
        (slopes, costs): (&SimdBuffer<T>, &mut SimdBuffer<T>),
        z: &[T],
    ) {
        let d = self.features();
        let makes_step = self.violations.is_multiple_of(d.div_ceil(FEATURES_PER_STEP) as u64);
        saturating_inc(&mut self.violations);
        if !makes_step {
            return;
        }
        for (w, e) in &mut self.buffers.pairs {
            *w = T::ZERO;
            let Some((slot, cost)) = expansion.argmin(costs) else { continue };
            if cost < T::ZERO {
                *w = slopes.get(slot.index());
                expansion.read(slot, e);
                e.iter_mut().zip(z).for_each(|(e, z)| *e = *z - *e);
                costs.set(slot.index(), T::INFINITY);
            }
        }
        self.step();
    }

    /// Applies the pending steps to A and to the support vectors, once there are enough of them.
    pub(super) fn apply_pending_steps(
        &mut self,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        if self.n_pending >= FEW_ROWS {
            self.n_pending = 0;
            self.multiply_by_pending(expansion, derived_state);
        }
    }

    /// `E += rate G / rms(G)`
    fn step(&mut self) {
        let d = self.features();
        let [(w, e), (v, f)] = &self.buffers.pairs;
        let mean_square =
            off_diagonal([(w.to_f64(), e), (v.to_f64(), f)]) / (d * d.saturating_sub(1)).max(1) as f64;
        self.mean_square += (mean_square - self.mean_square) * running_weight(self.steps + 1);
        saturating_inc(&mut self.steps);
        saturating_inc(&mut self.n_pending);
        let rate = RATE / d as f64 * rate_decay(self.steps) / (self.mean_square + 1e-30).sqrt();
        let [w, v] = [w, v].map(|w| T::from_f64(-2.0 * rate * w.to_f64()));
        for (i, row) in self.pending.chunks_exact_mut(d).enumerate() {
            let (diagonal, a, b) = (row[i], w * e[i], v * f[i]);
            for (pending, (e, f)) in row.iter_mut().zip(e.iter().zip(f)) {
                *pending += a * *e + b * *f;
            }
            row[i] = diagonal;
        }
    }

    /// `A <- (I + E) A` and `s_j <- (I + E) s_j`, unless an entry of A would become too large; then `E <- 0`.
    fn multiply_by_pending(
        &mut self,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        let (d, ops) = (self.features(), expansion.ops());
        let Buffers { matrices: [e, new], lanes, column, .. } = &mut self.buffers;
        e.write(&self.pending);
        for j in 0..d {
            column.iter_mut().enumerate().for_each(|(i, x)| *x = self.a.get(i, j));
            e.multiply(ops, Row::Dense(column), lanes);
            column.iter().enumerate().for_each(|(i, x)| new.set(i, j, *x + lanes.get(i)));
        }
        if new.is_bounded() {
            std::mem::swap(&mut self.a, new);
            expansion.transform(&self.pending, derived_state);
        }
        self.pending.fill(T::ZERO);
    }

    /// Multiplies each row of A by its factor. Returns false, and changes nothing, if an entry would become too large.
    pub(super) fn scale_rows(&mut self, ops: Ops<T>, factors: &[T]) -> bool {
        let Buffers { matrices: [_, new], lanes, .. } = &mut self.buffers;
        factors.iter().enumerate().for_each(|(i, factor)| lanes.set(i, *factor));
        new.rows.view_mut().data.copy_from_slice(self.a.rows.view().data);
        ops.scale_vectors(new.rows.view_mut(), lanes);
        let is_bounded = new.is_bounded();
        if is_bounded {
            std::mem::swap(&mut self.a, new);
        }
        is_bounded
    }

    /// The entries of the matrix extended by the diagonal `scales`, row by row.
    pub(super) fn entries(&self, scales: &[T]) -> Vec<T> {
        let d = self.features();
        let all = d + scales.len();
        let mut entries = vec![T::ZERO; all * all];
        for i in 0..d {
            (0..d).for_each(|j| entries[i * all + j] = self.a.get(i, j));
        }
        entries
            .iter_mut()
            .skip(d * (all + 1))
            .step_by(all + 1)
            .zip(scales)
            .for_each(|(to, scale)| *to = *scale);
        entries
    }

    pub(super) fn add_features(&mut self, features: usize) {
        let (old, before) = (self.features(), self.clone());
        *self = Self {
            violations: self.violations,
            steps: self.steps,
            n_pending: self.n_pending,
            mean_square: self.mean_square,
            ..Self::new(features)
        };
        for i in 0..old {
            for j in 0..old {
                self.a.set(i, j, before.a.get(i, j));
                self.pending[i * features + j] = before.pending[i * old + j];
            }
        }
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        let d = self.features();
        out.put("matrix", &[d, d], self.entries(&[]));
        out.put("pending", &[d, d], self.pending.iter().copied());
        out.set("violations", self.violations);
        out.set("steps", self.steps);
        out.set("n_pending", self.n_pending);
        out.set("mean_square", self.mean_square);
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let d = self.features();
        let entries: Vec<T> = from.get("matrix", &[d, d])?;
        check_entries(&entries)?;
        self.a.write(&entries);
        self.pending = from.get("pending", &[d, d])?;
        self.violations = from.count("violations")?;
        (self.steps, self.n_pending) = (from.count("steps")?, from.count("n_pending")?);
        self.mean_square = from.finite("mean_square")?;
        check_model(
            self.mean_square >= 0.0 && self.pending.iter().all(|e| e.is_finite()),
            "the pending steps of the metric are invalid",
        )
    }
}

/// `4 sum_{a != b} (sum_j w_j e_ja e_jb)^2` for two vectors.
fn off_diagonal<T: Real>([(w, e), (v, f)]: [(f64, &Vec<T>); VECTORS]) -> f64 {
    let (mut ee, mut ef, mut ff, mut diagonal) = (0.0, 0.0, 0.0, 0.0);
    for (e, f) in e.iter().zip(f) {
        let (e, f) = (e.to_f64(), f.to_f64());
        ee += e * e;
        ef += e * f;
        ff += f * f;
        diagonal += (w * e * e + v * f * f).powi(2);
    }
    let all = (w * ee).powi(2) + 2.0 * w * v * ef * ef + (v * ff).powi(2);
    4.0 * (all - diagonal).max(0.0)
}
