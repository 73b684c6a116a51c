//! The coefficients: one column per output, a lane per slot, and what each support vector weighs.

use super::Slot;
use crate::float::{Real, splat};
use crate::ops::{Lanes, Line};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// `alpha`, laid out `[vector of lanes][output]`, with `k_jj` and `|alpha_j|^2 k_jj`. Free lanes are zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expansion<T: Real> {
    alpha: Lanes<T>,
    diags: Lanes<T>,
    weights: Lanes<T>,
    outputs: usize,
}

impl<T: Real> Expansion<T> {
    /// For `outputs` columns, as yet without room for a slot.
    pub(crate) fn new(outputs: usize) -> Self {
        Self { alpha: Lanes::default(), diags: Lanes::default(), weights: Lanes::default(), outputs }
    }

    pub(crate) fn grow(&mut self, vectors: usize) {
        self.alpha.grow(vectors * self.outputs);
        self.diags.grow(vectors);
        self.weights.grow(vectors);
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    #[inline(always)]
    fn place(&self, slot: Slot, output: usize) -> usize {
        let (vector, lane) = (slot.index() / T::LANES, slot.index() % T::LANES);
        (vector * self.outputs + output) * T::LANES + lane
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot, output: usize) -> T {
        self.alpha.get(self.place(slot, output))
    }

    /// Sets a coefficient alone.
    pub(super) fn set(&mut self, slot: Slot, output: usize, a: T) {
        let place = self.place(slot, output);
        self.alpha.set(place, a);
    }

    /// Reads the coefficient row of a slot.
    #[inline(always)]
    pub(crate) fn read(&self, slot: Slot, row: &mut [T]) {
        for (output, a) in row.iter_mut().enumerate() {
            *a = self.get(slot, output);
        }
    }

    /// Writes the coefficient row of a slot whose vector has `k_jj = diag`.
    #[inline(always)]
    pub(super) fn write(&mut self, slot: Slot, row: &[T], diag: T) {
        for (output, &a) in row.iter().enumerate() {
            let place = self.place(slot, output);
            self.alpha.set(place, a);
        }
        self.diags.set(slot.index(), diag);
        self.weights.set(slot.index(), weight(row, diag));
    }

    /// `alpha_j += d_j row` for every slot of the first `used` vectors of lanes.
    #[inline(always)]
    pub(super) fn spread<S: Simd>(&mut self, s: S, d: &Lanes<T>, row: &[T], used: usize) {
        for vector in 0..used {
            let (d, diag) = (d.load(s, vector), self.diags.load(s, vector));
            let mut sum = splat::<T, S>(s, T::ZERO);
            let from = vector * self.outputs;
            for (line, &a) in self.alpha.lines_mut()[from..from + self.outputs].iter_mut().zip(row) {
                let alpha = d.mul_add(splat::<T, S>(s, a), line.load(s));
                line.store(alpha);
                sum += alpha * (alpha * diag);
            }
            self.weights.store(vector, sum);
        }
    }

    /// Multiplies every coefficient of the first `used` vectors of lanes.
    pub(super) fn multiply<S: Simd>(&mut self, s: S, factor: T, used: usize) {
        for vector in 0..used {
            let mut sum = splat::<T, S>(s, T::ZERO);
            let (from, diag) = (vector * self.outputs, self.diags.load(s, vector));
            for line in &mut self.alpha.lines_mut()[from..from + self.outputs] {
                let alpha = line.load(s) * factor;
                line.store(alpha);
                sum += alpha * (alpha * diag);
            }
            self.weights.store(vector, sum);
        }
    }

    /// Zeroes one coefficient of a freed slot, and its weight.
    #[inline(always)]
    pub(super) fn clear(&mut self, slot: Slot, output: usize) {
        let place = self.place(slot, output);
        self.alpha.set(place, T::ZERO);
        self.diags.set(slot.index(), T::ZERO);
        self.weights.set(slot.index(), T::ZERO);
    }

    /// The largest size of a coefficient.
    #[inline(always)]
    pub(crate) fn largest<S: Simd>(&self, s: S, used: usize) -> T {
        let mut most = splat::<T, S>(s, T::ZERO);
        for alpha in self.lines(0, used) {
            let alpha = alpha.load(s);
            most = most.max(alpha.max(-alpha));
        }
        most.reduce_max()
    }

    /// `k_jj` of every slot.
    #[inline(always)]
    pub(crate) fn diags(&self) -> &Lanes<T> {
        &self.diags
    }

    /// `|alpha_j|^2 k_jj` of every slot.
    #[inline(always)]
    pub(crate) fn weights(&self) -> &Lanes<T> {
        &self.weights
    }

    /// Weighs what is left of the support vectors' squared lengths by their coefficients: `|alpha_j|^2 rest_j`, and zero
    /// where only rounding is left. No small coefficient vanishes in its square.
    #[inline(always)]
    pub(crate) fn weigh<S: Simd>(&self, s: S, rests: &mut [Line<T>]) {
        let (nothing, zero) = (splat::<T, S>(s, T::NOTHING), splat::<T, S>(s, T::ZERO));
        let slots = self.diags.lines().iter().zip(self.alpha.lines().chunks_exact(self.outputs));
        for (line, (diag, row)) in rests.iter_mut().zip(slots) {
            let rest = line.load(s);
            let rest = rest.simd_gt(nothing * diag.load(s)).select(rest, zero);
            let mut sum = zero;
            for alpha in row {
                let alpha = alpha.load(s);
                sum = alpha.mul_add(alpha * rest, sum);
            }
            line.store(sum);
        }
    }

    /// The coefficients of the vectors of lanes `from..to`, output by output.
    #[inline(always)]
    pub(super) fn lines(&self, from: usize, to: usize) -> &[Line<T>] {
        &self.alpha.lines()[from * self.outputs..to * self.outputs]
    }

    /// `row . alpha_j` for one vector of lanes.
    #[inline(always)]
    pub(crate) fn dot<S: Simd>(&self, s: S, vector: usize, row: &[T]) -> T::V<S> {
        let from = vector * self.outputs;
        let lines = &self.alpha.lines()[from..from + self.outputs];
        let mut sum = splat::<T, S>(s, T::ZERO);
        for (line, &a) in lines.iter().zip(row) {
            sum = splat::<T, S>(s, a).mul_add(line.load(s), sum);
        }
        sum
    }

    /// `sum_j k_j alpha_j` over the first `used` vectors of lanes.
    #[inline(always)]
    pub(super) fn all_scores<S: Simd>(&self, s: S, k: &Lanes<T>, used: usize, f: &mut [T]) {
        let mut first = 0;
        while first < f.len() {
            match f.len() - first {
                1 => self.scores::<S, 1>(s, k, used, first, f),
                2 => self.scores::<S, 2>(s, k, used, first, f),
                3 => self.scores::<S, 3>(s, k, used, first, f),
                _ => self.scores::<S, 4>(s, k, used, first, f),
            }
            first += 4;
        }
    }

    /// `sum_j k_j alpha_j` over the first `used` vectors of lanes, for `N` outputs from `first` on: lane by lane in
    /// order, then one fixed tree over the lanes.
    #[inline(always)]
    pub(crate) fn scores<S: Simd, const N: usize>(
        &self,
        s: S,
        k: &Lanes<T>,
        used: usize,
        first: usize,
        f: &mut [T],
    ) {
        let mut sums = [splat::<T, S>(s, T::ZERO); N];
        let rows = self.alpha.lines().chunks_exact(self.outputs);
        for (k, alpha) in k.lines()[..used].iter().zip(rows) {
            let k = k.load(s);
            if let Some(alpha) = alpha[first..].first_chunk::<N>() {
                for (sum, alpha) in sums.iter_mut().zip(alpha) {
                    *sum = k.mul_add(alpha.load(s), *sum);
                }
            }
        }
        for (f, sum) in f[first..].iter_mut().zip(sums) {
            *f = sum.reduce_sum();
        }
    }
}

/// `|row|^2 k_jj`, in the order and with the rounding of the vector loops; a small coefficient of a long vector must not
/// vanish in its square.
#[inline(always)]
fn weight<T: Real>(row: &[T], diag: T) -> T {
    row.iter().fold(T::ZERO, |sum, &a| sum + a * (a * diag))
}
