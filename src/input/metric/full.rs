//! A full matrix A: products `(I + E) A`, E from the gradient off the diagonal.

use super::{MAX_METRIC_ENTRY, check_entries, fall, share};
use crate::batch::Row;
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::{AnyKernel, Linear};
use crate::ops::{Ops, SimdBuffer, SupportView};
use crate::panels::PanelStorage;
use crate::persist::Tensors;
use crate::slot::Slot;
use crate::store::{KernelExpansion, OnEdit};

/// The rate, for 5 features or for as many as there are, and the longest step of an entry.
const RATE: f64 = 0.5 * 5.0 * 0.003;
const LONGEST: f64 = 0.05;

/// Steps that are made together at least.
const EVERY: u64 = 64;

/// Features to a step: with more of them not every violation is learned from.
const FEATURES: usize = 16;

/// The support vectors that the gradient is made of.
const VECTORS: usize = 2;

/// A, a lane to the row, and E, which is to come. The gradient of a margin with respect to E is
/// `-2 sum_j w_j e e^T`, `e = z - s_j`, here over the two support vectors of the largest `|w_j| D_j`; its diagonal is
/// that of the scales.
#[derive(Debug, Clone)]
pub(super) struct Matrix<T: Real> {
    a: Square<T>,
    /// E, row by row; it is symmetric.
    pending: Vec<T>,
    /// Violations seen, and those learned from.
    violations: u64,
    steps: u64,
    waiting: u64,
    /// The running mean square of the gradient's entries.
    square: f64,
    scratch: Scratch<T>,
}

/// Buffers of a step; never saved.
#[derive(Debug, Clone)]
struct Scratch<T: Real> {
    /// The slope and the difference of each vector.
    pairs: [(T, Vec<T>); VECTORS],
    lanes: SimdBuffer<T>,
    column: Vec<T>,
    /// E, and A to come.
    squares: [Square<T>; 2],
}

/// A square matrix, a lane to the row.
#[derive(Debug, Clone)]
struct Square<T: Real> {
    rows: PanelStorage<T>,
    zeros: SimdBuffer<T>,
}

impl<T: Real> Square<T> {
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

    /// Its product with `x`.
    #[inline(always)]
    fn times(&self, ops: Ops<T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>) {
        lanes.grow(self.rows.n_simd());
        let stored = SupportView {
            panels: self.rows.view(),
            row_stats: &self.zeros,
            used: self.rows.n_simd(),
            is_clipped: false,
        };
        ops.kernel_row(AnyKernel::Linear(Linear), stored, (x, T::ZERO), lanes);
    }

    /// Whether all entries are numbers, and not too large.
    fn fits(&self) -> bool {
        let most = T::from_f64(MAX_METRIC_ENTRY);
        let mut numbers = self.rows.buffer().values();
        numbers.all(|x| *x <= most && -*x <= most)
    }
}

impl<T: Real> Matrix<T> {
    /// The identity.
    pub(super) fn new(features: usize) -> Self {
        let (mut a, zeros) = (Square::zero(features), vec![T::ZERO; features]);
        (0..features).for_each(|i| a.set(i, i, T::ONE));
        let scratch = Scratch {
            pairs: [(); VECTORS].map(|()| (T::ZERO, zeros.clone())),
            lanes: SimdBuffer::zeros(a.rows.n_simd()),
            column: zeros,
            squares: [Square::zero(features), Square::zero(features)],
        };
        Self {
            a,
            pending: vec![T::ZERO; features * features],
            violations: 0,
            steps: 0,
            waiting: 0,
            square: 0.0,
            scratch,
        }
    }

    pub(super) fn features(&self) -> usize {
        self.a.rows.features()
    }

    /// `z = A x`.
    #[inline(always)]
    pub(super) fn apply(&self, ops: Ops<T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>, z: &mut Vec<T>) {
        self.a.times(ops, x, lanes);
        z.clear();
        z.extend(lanes.values().take(self.features()));
    }

    /// Learns from a violation, which is `z`, with its slopes.
    pub(super) fn learn(
        &mut self,
        store: &KernelExpansion<T>,
        (slopes, costs): (&SimdBuffer<T>, &mut SimdBuffer<T>),
        z: &[T],
    ) {
        let d = self.features();
        let learns = self.violations.is_multiple_of(d.div_ceil(FEATURES) as u64);
        saturating_inc(&mut self.violations);
        if !learns {
            return;
        }
        for (w, e) in &mut self.scratch.pairs {
            *w = T::ZERO;
            let Some((slot, cost)) = store.least(costs) else { continue };
            if cost < T::ZERO {
                *w = slopes.get(slot.index());
                store.read(slot, e);
                e.iter_mut().zip(z).for_each(|(e, z)| *e = *z - *e);
                costs.set(slot.index(), T::INFINITY);
            }
        }
        self.step();
    }

    /// Makes the steps that wait, once they are enough, and moves the support vectors with them.
    pub(super) fn make_steps(&mut self, model: &mut KernelExpansion<T>, on: &mut impl OnEdit<T>) {
        if self.waiting >= EVERY {
            self.waiting = 0;
            self.take(model, on);
        }
    }

    /// `E += rate G / rms(G)`
    fn step(&mut self) {
        let d = self.features();
        let [(w, e), (v, f)] = &self.scratch.pairs;
        let squares =
            off_diagonal([(w.to_f64(), e), (v.to_f64(), f)]) / (d * d.saturating_sub(1)).max(1) as f64;
        self.square += (squares - self.square) * share(self.steps);
        saturating_inc(&mut self.steps);
        saturating_inc(&mut self.waiting);
        let rate = RATE / d as f64 * fall(self.steps) / (self.square + 1e-30).sqrt();
        let [w, v] = [w, v].map(|w| T::from_f64(-2.0 * rate * w.to_f64()));
        let (longest, shortest) = (T::from_f64(LONGEST), T::from_f64(-LONGEST));
        for (i, row) in self.pending.chunks_exact_mut(d).enumerate() {
            let (own, a, b) = (row[i], w * e[i], v * f[i]);
            for (pending, (e, f)) in row.iter_mut().zip(e.iter().zip(f)) {
                let step = a * *e + b * *f;
                let step = if step > longest { longest } else { step };
                *pending += if step < shortest { shortest } else { step };
            }
            row[i] = own;
        }
    }

    /// `A <- (I + E) A`, and the same of the support vectors; not where entries of A would become too large. E is
    /// zero then.
    fn take(&mut self, model: &mut KernelExpansion<T>, on: &mut impl OnEdit<T>) {
        let (d, ops) = (self.features(), model.ops());
        let Scratch { squares: [e, new], lanes, column, .. } = &mut self.scratch;
        e.write(&self.pending);
        self.pending.fill(T::ZERO);
        for j in 0..d {
            column.iter_mut().enumerate().for_each(|(i, x)| *x = self.a.get(i, j));
            e.times(ops, Row::Dense(column), lanes);
            column.iter().enumerate().for_each(|(i, x)| new.set(i, j, *x + lanes.get(i)));
        }
        if !new.fits() {
            return;
        }
        std::mem::swap(&mut self.a, new);
        model.map(
            |x| {
                e.times(ops, Row::Dense(x), lanes);
                x.iter_mut().take(d).enumerate().for_each(|(i, x)| *x += lanes.get(i));
            },
            on,
        );
    }

    /// Multiplies each row of A by its factor; not where entries would become too large. Whether it was done.
    pub(super) fn stretch(&mut self, ops: Ops<T>, factors: &[T]) -> bool {
        let Scratch { squares: [_, new], lanes, .. } = &mut self.scratch;
        factors.iter().enumerate().for_each(|(i, factor)| lanes.set(i, *factor));
        new.rows.view_mut().data.copy_from_slice(self.a.rows.view().data);
        ops.scale_vectors(new.rows.view_mut(), lanes);
        let fits = new.fits();
        if fits {
            std::mem::swap(&mut self.a, new);
        }
        fits
    }

    /// The entries, row by row, with those of a diagonal behind them.
    pub(super) fn entries(&self, rest: &[T]) -> Vec<T> {
        let d = self.features();
        let all = d + rest.len();
        let mut entries = vec![T::ZERO; all * all];
        for i in 0..d {
            (0..d).for_each(|j| entries[i * all + j] = self.a.get(i, j));
        }
        entries
            .iter_mut()
            .skip(d * (all + 1))
            .step_by(all + 1)
            .zip(rest)
            .for_each(|(to, scale)| *to = *scale);
        entries
    }

    pub(super) fn widen(&mut self, features: usize) {
        let (old, before) = (self.features(), self.clone());
        *self = Self {
            violations: self.violations,
            steps: self.steps,
            waiting: self.waiting,
            square: self.square,
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
        out.set("waiting", self.waiting);
        out.set("square", self.square);
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let d = self.features();
        let entries: Vec<T> = from.get("matrix", &[d, d])?;
        check_entries(&entries)?;
        self.a.write(&entries);
        self.pending = from.get("pending", &[d, d])?;
        self.violations = from.count("violations")?;
        (self.steps, self.waiting) = (from.count("steps")?, from.count("waiting")?);
        self.square = from.finite("square")?;
        if self.square >= 0.0 && self.pending.iter().all(|e| e.is_finite()) {
            Ok(())
        } else {
            Err(Error::Model("the steps of a metric must be those of a run".into()))
        }
    }
}

/// `4 sum_{a != b} (sum_j w_j e_ja e_jb)^2` of two vectors.
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
