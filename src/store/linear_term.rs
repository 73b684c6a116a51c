//! The linear term of a model, and the linear terms of its averages.

use crate::batch::Row;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::{AnyKernel, Linear as Product};
use crate::ops::{Ops, SimdBuffer, SupportView};
use crate::output_expansion::OutputExpansion;
use crate::panels::{PanelStorage, n_simd_for};
use crate::persist::Tensors;
use crate::slot::Slot;

/// The index of the last model; the averages follow it.
const CURRENT: usize = 0;

/// The last model and two means.
const MODELS: usize = 3;

/// The index of an average's residual.
#[inline(always)]
const fn average_residual(mean: usize) -> usize {
    mean + 1
}

/// `V x + v0` of several models, a lane to each output of each, so that one pass over a row gives the values of all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearTerm<T: Real> {
    models: usize,
    outputs: usize,
    matrix: PanelStorage<T>,
    constant: SimdBuffer<T>,
}

impl<T: Real> LinearTerm<T> {
    /// Zero everywhere.
    pub(crate) fn new(models: usize, outputs: usize, features: usize) -> Self {
        let lanes = models * outputs;
        let mut matrix = PanelStorage::new(Some(lanes), features);
        while matrix.n_simd() < n_simd_for::<T>(lanes) {
            matrix.grow();
        }
        Self { models, outputs, constant: SimdBuffer::zeros(matrix.n_simd()), matrix }
    }

    /// One of as many features, zero everywhere, with the pasts of so many means.
    pub(super) fn with_means(&self, means: usize) -> Self {
        Self::new(1 + means, self.outputs, self.matrix.features())
    }

    /// The lane of an output of a model.
    #[inline(always)]
    fn slot(&self, model: usize, output: usize) -> Slot {
        Slot((model * self.outputs + output) as u32)
    }

    /// The values of all models at `x`, without their constants.
    #[inline(always)]
    pub(crate) fn values(&self, ops: Ops<T>, x: Row<'_, T>, values: &mut SimdBuffer<T>) {
        values.grow(self.matrix.n_simd());
        let used = self.matrix.n_simd();
        let stored =
            SupportView { panels: self.matrix.view(), row_stats: &self.constant, used, is_clipped: false };
        ops.kernel_row(AnyKernel::Linear(Product), stored, (x, T::ZERO), values);
    }

    /// Adds the last model's values to `f`.
    #[inline(always)]
    pub(crate) fn add_to(&self, values: &SimdBuffer<T>, f: &mut [T]) {
        self.add_model(CURRENT, values, f);
    }

    /// Adds the past of a mean.
    #[inline(always)]
    pub(super) fn add_residual(&self, mean: usize, values: &SimdBuffer<T>, f: &mut [T]) {
        self.add_model(average_residual(mean), values, f);
    }

    #[inline(always)]
    fn add_model(&self, model: usize, values: &SimdBuffer<T>, f: &mut [T]) {
        let first = model * self.outputs;
        for (f, lane) in f.iter_mut().zip(first..first + self.outputs) {
            *f += values.get(lane) + self.constant.get(lane);
        }
    }

    /// `V += a x`, `v0 += a constant` with these steps of each model: [`LinearTerm::put_steps`],
    /// [`LinearTerm::put_residual_steps`].
    #[inline(always)]
    pub(super) fn step(&mut self, ops: Ops<T>, a: &SimdBuffer<T>, x: Row<'_, T>, constant: T) {
        ops.add_outer(self.matrix.view_mut(), a, x);
        for lane in 0..self.models * self.outputs {
            self.constant.set(lane, self.constant.get(lane) + a.get(lane) * constant);
        }
    }

    /// The steps of the last model for [`LinearTerm::step`], one to the output.
    #[inline(always)]
    pub(super) fn put_steps(&self, steps: impl Iterator<Item = T>, a: &mut SimdBuffer<T>) {
        a.grow(self.matrix.n_simd());
        steps.enumerate().for_each(|(output, step)| a.set(self.slot(CURRENT, output).index(), step));
    }

    /// Those of the past of a mean, from those of the last model.
    #[inline(always)]
    pub(super) fn put_residual_steps(&self, mean: usize, step: impl Fn(T) -> T, a: &mut SimdBuffer<T>) {
        for output in 0..self.outputs {
            let now = a.get(self.slot(CURRENT, output).index());
            a.set(self.slot(average_residual(mean), output).index(), step(now));
        }
    }

    /// Changes each number of all models, which are those of one feature, or the constants, and of one output: first
    /// that of the last model, then those of the pasts.
    fn each(&mut self, change: impl Fn(&mut [T; MODELS])) {
        let features = self.matrix.features();
        let mut numbers = [T::ZERO; MODELS];
        for output in 0..self.outputs {
            for j in 0..=features {
                for (model, number) in numbers[..self.models].iter_mut().enumerate() {
                    let slot = self.slot(model, output);
                    let constant = j == features;
                    *number =
                        if constant { self.constant.get(slot.index()) } else { self.matrix.get(slot, j) };
                }
                change(&mut numbers);
                for (model, &number) in numbers[..self.models].iter().enumerate() {
                    let slot = self.slot(model, output);
                    if j == features {
                        self.constant.set(slot.index(), number);
                    } else {
                        self.matrix.set(slot, j, number);
                    }
                }
            }
        }
    }

    /// Multiplies the last model.
    pub(super) fn scale(&mut self, factor: T) {
        self.each(|numbers| numbers[CURRENT] = (numbers[CURRENT] * factor).flush_to_zero());
    }

    /// Multiplies the past of a mean.
    pub(super) fn scale_residual(&mut self, mean: usize, factor: T) {
        self.each(|numbers| {
            numbers[average_residual(mean)] = (numbers[average_residual(mean)] * factor).flush_to_zero();
        });
    }

    /// Adds so many times the last model to the past of a mean.
    pub(super) fn add_to_residual(&mut self, mean: usize, factor: T) {
        self.each(|numbers| numbers[average_residual(mean)] += factor * numbers[CURRENT]);
    }

    /// Each past becomes that of the other mean.
    pub(super) fn swap_residuals(&mut self) {
        self.each(|numbers| numbers.swap(average_residual(0), average_residual(1)));
    }

    /// `now` times the last model and `part` times the past of a mean, as the only model.
    pub(super) fn mean(&self, mean: usize, now: T, part: T) -> Self {
        let features = self.matrix.features();
        let mut alone = Self::new(1, self.outputs, features);
        let mix = |last: T, past: T| (last * now).flush_to_zero() + past * part;
        for output in 0..self.outputs {
            let [last, old] = [CURRENT, average_residual(mean)].map(|model| self.slot(model, output));
            let row = (0..features).map(|j| mix(self.matrix.get(last, j), self.matrix.get(old, j)));
            alone.matrix.write(Slot(output as u32), row);
            let [last, old] = [last, old].map(|slot| self.constant.get(slot.index()));
            alone.constant.set(output, mix(last, old));
        }
        alone
    }

    /// The last model's entry of a feature.
    pub(crate) fn get(&self, output: usize, feature: usize) -> T {
        self.matrix.get(self.slot(CURRENT, output), feature)
    }

    /// Its constant of an output.
    pub(crate) fn constant(&self, output: usize) -> T {
        self.constant.get(self.slot(CURRENT, output).index())
    }

    pub(crate) fn widen(&mut self, features: usize) {
        self.matrix.widen(features);
    }

    /// Outputs for more classes.
    pub(crate) fn add_classes(&mut self, growth: OutputExpansion) {
        let features = self.matrix.features();
        let mut wider = Self::new(self.models, growth.after(), features);
        for model in 0..self.models {
            for output in 0..growth.after() {
                let slot = wider.slot(model, output);
                let old = |old, j| self.matrix.get(self.slot(model, old), j);
                wider.matrix.write(slot, (0..features).map(|j| growth.output(output, |from| old(from, j))));
                let constant =
                    growth.output(output, |from| self.constant.get(self.slot(model, from).index()));
                wider.constant.set(slot.index(), constant);
            }
        }
        *self = wider;
    }

    /// Numbers of features and constants, one model after the other.
    pub(crate) fn save(&self, out: &mut Tensors) {
        let (models, outputs, features) = (self.models, self.outputs, self.matrix.features());
        let lanes = || (0..(models * outputs) as u32).map(Slot);
        let all = lanes().flat_map(|slot| (0..features).map(move |j| (slot, j)));
        out.put("matrix", &[models, outputs, features], all.map(|(slot, j)| self.matrix.get(slot, j)));
        out.put("constant", &[models, outputs], lanes().map(|slot| self.constant.get(slot.index())));
    }

    /// Restores into one of the same shape.
    pub(crate) fn load(&mut self, from: &Tensors) -> Result<()> {
        let (models, outputs, features) = (self.models, self.outputs, self.matrix.features());
        let matrix: Vec<T> = from.get("matrix", &[models, outputs, features])?;
        let constant: Vec<T> = from.get("constant", &[models, outputs])?;
        if !matrix.iter().chain(&constant).all(|x| x.is_finite()) {
            return Err(Error::Model("the linear part must be finite".into()));
        }
        for (lane, row) in matrix.chunks_exact(features).enumerate() {
            self.matrix.write(Slot(lane as u32), row.iter().copied());
        }
        constant.iter().enumerate().for_each(|(lane, x)| self.constant.set(lane, *x));
        Ok(())
    }
}
