//! The linear term of an expansion, and the residuals of its means.

use crate::added_outputs::AddedOutputs;
use crate::batch::Row;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::{Ops, SimdBuffer};
use crate::panels::{PanelStorage, n_simd_for};
use crate::persist::Tensors;
use crate::slot::Slot;

/// A row as the linear term sees it. A standardised row is clipped; if the linear term extends beyond the clip, the
/// excess of each clipped value is a separate input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearInput<'a, T: Real> {
    /// The row; clipped, if it is standardised.
    pub(crate) clipped: Row<'a, T>,
    /// The features with an excess.
    pub(crate) excess_features: &'a [u32],
    pub(crate) excess: &'a [T],
}

impl<'a, T: Real> LinearInput<'a, T> {
    /// The excess as a sparse row.
    #[inline(always)]
    pub(crate) fn excess_row(&self) -> Row<'a, T> {
        Row::Sparse(self.excess_features, self.excess)
    }

    /// `|x|^2`, the excess included.
    #[inline(always)]
    pub(crate) fn squared_norm(&self) -> T {
        let squared_norm = self.clipped.squared_norm();
        if self.excess.is_empty() { squared_norm } else { squared_norm + self.excess_row().squared_norm() }
    }
}

impl<'a, T: Real> From<Row<'a, T>> for LinearInput<'a, T> {
    #[inline(always)]
    fn from(x: Row<'a, T>) -> Self {
        Self { clipped: x, excess_features: &[], excess: &[] }
    }
}

/// Standardised values x of a feature that become `(x - shift) ratio`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rescaling {
    pub(crate) feature: usize,
    pub(crate) shift: f64,
    pub(crate) ratio: f64,
}

/// The index of the linear term itself; the residuals of the means follow it.
const CURRENT: usize = 0;

/// The maximum number of functions: the linear term and the residuals of two means.
const MAX_FUNCTIONS: usize = 3;

/// The largest entry after a change of the standardisation.
const MAX_ENTRY: f64 = 1e12;

/// The index of the residual of a mean.
#[inline(always)]
const fn mean_residual(mean: usize) -> usize {
    mean + 1
}

/// The linear term `V x + v0` and the residuals of its means. Each of these functions has one SIMD lane per
/// output, so that one pass over a row computes the values of all functions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearTerm<T: Real> {
    functions: usize,
    outputs: usize,
    matrix: PanelStorage<T>,
    constant: SimdBuffer<T>,
    /// The linear term of the excess beyond the clip, without constants; optional.
    excess: Option<Box<Self>>,
}

impl<T: Real> LinearTerm<T> {
    /// A linear term of zeros.
    pub(crate) fn new(functions: usize, outputs: usize, features: usize) -> Self {
        let lanes = functions * outputs;
        let mut matrix = PanelStorage::new(Some(lanes), features);
        while matrix.n_simd() < n_simd_for::<T>(lanes) {
            matrix.grow();
        }
        Self { functions, outputs, constant: SimdBuffer::zeros(matrix.n_simd()), matrix, excess: None }
    }

    /// A linear term of zeros that extends beyond the clip.
    pub(super) fn with_excess(mut self) -> Self {
        self.excess = Some(Box::new(Self::new(self.functions, self.outputs, self.matrix.features())));
        self
    }

    /// The linear term of the excess beyond the clip, if there is one.
    pub(crate) fn excess(&self) -> Option<&Self> {
        self.excess.as_deref()
    }

    /// A linear term of zeros with an equal number of features, and residuals for `n` means.
    pub(super) fn with_means(&self, n: usize) -> Self {
        let wider = Self::new(1 + n, self.outputs, self.matrix.features());
        if self.excess.is_some() { wider.with_excess() } else { wider }
    }

    /// The lane of an output of a function, as a slot of the matrix.
    #[inline(always)]
    fn slot(&self, function: usize, output: usize) -> Slot {
        Slot((function * self.outputs + output) as u32)
    }

    /// The values `V x` of all functions, without the constants.
    #[inline(always)]
    pub(crate) fn values(&self, ops: Ops<T>, x: LinearInput<'_, T>, values: &mut SimdBuffer<T>) {
        values.grow(self.matrix.n_simd());
        ops.products(self.matrix.view(), x.clipped, values);
        if let Some(excess) = &self.excess {
            for (&j, &x) in x.excess_features.iter().zip(x.excess) {
                for lane in 0..self.functions * self.outputs {
                    let value = excess.matrix.get(Slot(lane as u32), j as usize);
                    values.set(lane, values.get(lane) + value * x);
                }
            }
        }
    }

    /// Adds the values of the linear term to `f`.
    #[inline(always)]
    pub(crate) fn add_to(&self, values: &SimdBuffer<T>, f: &mut [T]) {
        self.add_function(CURRENT, values, f);
    }

    /// Adds the values of a mean's residual to `f`.
    #[inline(always)]
    pub(super) fn add_residual(&self, mean: usize, values: &SimdBuffer<T>, f: &mut [T]) {
        self.add_function(mean_residual(mean), values, f);
    }

    #[inline(always)]
    fn add_function(&self, function: usize, values: &SimdBuffer<T>, f: &mut [T]) {
        let first = function * self.outputs;
        let numbers = values.values().zip(self.constant.values()).skip(first);
        f.iter_mut().zip(numbers).for_each(|(f, (value, constant))| *f += *value + *constant);
    }

    /// `V += a x`, `v0 += a constant`, with one step per lane from [`LinearTerm::put_steps`] and
    /// [`LinearTerm::put_residual_steps`].
    #[inline(always)]
    pub(crate) fn step(&mut self, ops: Ops<T>, a: &SimdBuffer<T>, x: LinearInput<'_, T>, constant: T) {
        ops.add_outer(self.matrix.view_mut(), a, x.clipped);
        if let Some(excess) = &mut self.excess {
            ops.add_outer(excess.matrix.view_mut(), a, x.excess_row());
        }
        for lane in 0..self.functions * self.outputs {
            self.constant.set(lane, self.constant.get(lane) + a.get(lane) * constant);
        }
    }

    /// Writes the steps of the linear term for [`LinearTerm::step`], one per output.
    #[inline(always)]
    pub(crate) fn put_steps(&self, steps: impl Iterator<Item = T>, a: &mut SimdBuffer<T>) {
        a.grow(self.matrix.n_simd());
        steps.enumerate().for_each(|(output, step)| a.set(self.slot(CURRENT, output).index(), step));
    }

    /// Writes the steps of a mean's residual, computed from the steps of the linear term.
    #[inline(always)]
    pub(super) fn put_residual_steps(&self, mean: usize, step: impl Fn(T) -> T, a: &mut SimdBuffer<T>) {
        for output in 0..self.outputs {
            let current = a.get(self.slot(CURRENT, output).index());
            a.set(self.slot(mean_residual(mean), output).index(), step(current));
        }
    }

    /// Changes the entries of all functions together, for each output and each feature or constant: the entry of the
    /// linear term, then the entries of the residuals.
    fn each(&mut self, change: impl Fn(&mut [T; MAX_FUNCTIONS])) {
        self.change_each(&change);
        if let Some(excess) = &mut self.excess {
            excess.change_each(&change);
        }
    }

    fn change_each(&mut self, change: &impl Fn(&mut [T; MAX_FUNCTIONS])) {
        let features = self.matrix.features();
        let mut entries = [T::ZERO; MAX_FUNCTIONS];
        for output in 0..self.outputs {
            for j in 0..=features {
                let is_constant = j == features;
                for (function, entry) in entries[..self.functions].iter_mut().enumerate() {
                    let slot = self.slot(function, output);
                    *entry =
                        if is_constant { self.constant.get(slot.index()) } else { self.matrix.get(slot, j) };
                }
                change(&mut entries);
                for (function, &entry) in entries[..self.functions].iter().enumerate() {
                    let slot = self.slot(function, output);
                    if is_constant {
                        self.constant.set(slot.index(), entry);
                    } else {
                        self.matrix.set(slot, j, entry);
                    }
                }
            }
        }
    }

    /// Converts all functions at a change of the standardisation, so that `V x + v0` stays the same for a raw row.
    pub(crate) fn rescale(&mut self, Rescaling { feature, shift, ratio }: Rescaling) {
        for lane in 0..self.functions * self.outputs {
            let slot = Slot(lane as u32);
            let entry = self.matrix.get(slot, feature);
            self.constant.set(lane, self.constant.get(lane) + entry * T::from_f64(shift));
            let excess = self.excess.as_mut().map(|excess| &mut excess.matrix);
            for matrix in [Some(&mut self.matrix), excess].into_iter().flatten() {
                let entry = matrix.get(slot, feature).to_f64() / ratio;
                matrix.set(slot, feature, T::from_f64(entry.clamp(-MAX_ENTRY, MAX_ENTRY)));
            }
        }
    }

    /// Multiplies the linear term, without the residuals.
    pub(crate) fn scale(&mut self, factor: T) {
        self.each(|entries| entries[CURRENT] = (entries[CURRENT] * factor).flush_to_zero());
    }

    /// Multiplies the residual of a mean.
    pub(super) fn scale_residual(&mut self, mean: usize, factor: T) {
        self.each(|entries| {
            entries[mean_residual(mean)] = (entries[mean_residual(mean)] * factor).flush_to_zero();
        });
    }

    /// Adds `factor` times the linear term to the residual of a mean.
    pub(super) fn add_to_residual(&mut self, mean: usize, factor: T) {
        self.each(|entries| entries[mean_residual(mean)] += factor * entries[CURRENT]);
    }

    /// Swaps the residuals of the two means.
    pub(super) fn swap_residuals(&mut self) {
        self.each(|entries| entries.swap(mean_residual(0), mean_residual(1)));
    }

    /// A mean as a linear term: `current_weight` times the linear term plus `residual_weight` times the residual.
    pub(super) fn mean(&self, mean: usize, current_weight: T, residual_weight: T) -> Self {
        let features = self.matrix.features();
        let mut averaged = Self::new(1, self.outputs, features);
        let mix =
            |current: T, residual: T| (current * current_weight).flush_to_zero() + residual * residual_weight;
        for output in 0..self.outputs {
            let [current, residual] =
                [CURRENT, mean_residual(mean)].map(|function| self.slot(function, output));
            let row = (0..features).map(|j| mix(self.matrix.get(current, j), self.matrix.get(residual, j)));
            averaged.matrix.write(Slot(output as u32), row);
            let [current, residual] = [current, residual].map(|slot| self.constant.get(slot.index()));
            averaged.constant.set(output, mix(current, residual));
        }
        let excess = self.excess.as_ref();
        averaged.excess = excess.map(|excess| Box::new(excess.mean(mean, current_weight, residual_weight)));
        averaged
    }

    /// The entry of a feature in the linear term.
    pub(crate) fn get(&self, output: usize, feature: usize) -> T {
        self.matrix.get(self.slot(CURRENT, output), feature)
    }

    /// The constant of an output in the linear term.
    pub(crate) fn constant(&self, output: usize) -> T {
        self.constant.get(self.slot(CURRENT, output).index())
    }

    /// Adds another linear term without its residuals, times `factor`.
    pub(super) fn add(&mut self, other: &Self, factor: T) {
        for output in 0..self.outputs {
            let slot = self.slot(CURRENT, output);
            for j in 0..self.matrix.features() {
                self.matrix.set(slot, j, self.matrix.get(slot, j) + factor * other.get(output, j));
            }
            let constant = self.constant.get(slot.index()) + factor * other.constant(output);
            self.constant.set(slot.index(), constant);
        }
    }

    /// The number of features.
    pub(crate) fn features(&self) -> usize {
        self.matrix.features()
    }

    pub(crate) fn add_features(&mut self, features: usize) {
        self.matrix.add_features(features);
        if let Some(excess) = &mut self.excess {
            excess.add_features(features);
        }
    }

    /// Adds outputs for more classes.
    pub(crate) fn add_outputs(&mut self, added: AddedOutputs) {
        let features = self.matrix.features();
        let mut wider = Self::new(self.functions, added.n_after(), features);
        for function in 0..self.functions {
            for output in 0..added.n_after() {
                let slot = wider.slot(function, output);
                let old = |old, j| self.matrix.get(self.slot(function, old), j);
                wider.matrix.write(slot, (0..features).map(|j| added.output(output, |from| old(from, j))));
                let constant =
                    added.output(output, |from| self.constant.get(self.slot(function, from).index()));
                wider.constant.set(slot.index(), constant);
            }
        }
        wider.excess = self.excess.take().map(|mut excess| {
            excess.add_outputs(added);
            excess
        });
        *self = wider;
    }

    /// Writes the matrices and the constants of all functions.
    pub(crate) fn save(&self, out: &mut Tensors) {
        let (functions, outputs, features) = (self.functions, self.outputs, self.matrix.features());
        let lanes = || (0..(functions * outputs) as u32).map(Slot);
        let entries = lanes().flat_map(|slot| (0..features).map(move |j| (slot, j)));
        out.put("matrix", &[functions, outputs, features], entries.map(|(slot, j)| self.matrix.get(slot, j)));
        out.put("constant", &[functions, outputs], lanes().map(|slot| self.constant.get(slot.index())));
        if let Some(excess) = &self.excess {
            excess.save(out.scope_mut("excess"));
        }
    }

    /// Restores matrices and constants into a linear term of equal shape.
    pub(crate) fn load(&mut self, from: &Tensors) -> Result<()> {
        let (functions, outputs, features) = (self.functions, self.outputs, self.matrix.features());
        let matrix: Vec<T> = from.get("matrix", &[functions, outputs, features])?;
        let constant: Vec<T> = from.get("constant", &[functions, outputs])?;
        if !matrix.iter().chain(&constant).all(|x| x.is_finite()) {
            return Err(Error::Model("the linear term must be finite".into()));
        }
        for (lane, row) in matrix.chunks_exact(features).enumerate() {
            self.matrix.write(Slot(lane as u32), row.iter().copied());
        }
        constant.iter().enumerate().for_each(|(lane, x)| self.constant.set(lane, *x));
        match &mut self.excess {
            Some(excess) => excess.load(from.scope("excess")?),
            None => Ok(()),
        }
    }
}
