//! An affine map from rows to scores, as the linear part of a model has one.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::growth::Growth;
use crate::kernel::{AnyKernel, Linear as Product};
use crate::ops::{Lanes, Ops, Stored};
use crate::panels::Panels;
use crate::persist::Tensors;
use crate::row::Row;
use crate::slot::Slot;

/// `V x + v0`, a lane to the output.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Affine<T: Real> {
    outputs: usize,
    matrix: Panels<T>,
    constant: Lanes<T>,
}

impl<T: Real> Affine<T> {
    /// Zero everywhere.
    pub(crate) fn new(outputs: usize, features: usize) -> Self {
        let mut matrix = Panels::new(Some(outputs), features);
        while matrix.vectors() * T::LANES < outputs {
            matrix.grow();
        }
        Self { outputs, constant: Lanes::zeros(matrix.vectors()), matrix }
    }

    /// Adds the values at `x` to `f`; `values` is scratch.
    #[inline(always)]
    pub(crate) fn add_to(&self, ops: Ops<T>, x: Row<'_, T>, values: &mut Lanes<T>, f: &mut [T]) {
        values.grow(self.matrix.vectors());
        let used = self.matrix.vectors();
        let stored = Stored { panels: self.matrix.view(), norms: &self.constant, used };
        ops.row(AnyKernel::Linear(Product), stored, (x, T::ZERO), values);
        for (output, f) in f.iter_mut().enumerate() {
            *f += values.get(output) + self.constant.get(output);
        }
    }

    /// `V += a x`, `v0 += a constant`; one `a` to the output.
    #[inline(always)]
    pub(crate) fn step(&mut self, ops: Ops<T>, a: &Lanes<T>, x: Row<'_, T>, constant: T) {
        ops.add_outer(self.matrix.view_mut(), a, x);
        for output in 0..self.outputs {
            self.constant.set(output, self.constant.get(output) + a.get(output) * constant);
        }
    }

    /// Multiplies it.
    pub(crate) fn scale(&mut self, ops: Ops<T>, factor: T) {
        ops.scale(self.matrix.lanes_mut(), factor);
        ops.scale(&mut self.constant, factor);
    }

    /// Adds so many times another one of the same shape.
    pub(crate) fn add(&mut self, ops: Ops<T>, factor: T, other: &Self) {
        ops.add(self.matrix.lanes_mut(), factor, other.matrix.lanes());
        ops.add(&mut self.constant, factor, &other.constant);
    }

    /// The entry of a feature.
    pub(crate) fn get(&self, output: usize, feature: usize) -> T {
        self.matrix.get(Slot(output as u32), feature)
    }

    /// The constant of an output.
    pub(crate) fn constant(&self, output: usize) -> T {
        self.constant.get(output)
    }

    pub(crate) fn widen(&mut self, features: usize) {
        self.matrix.widen(features);
    }

    /// Outputs for more classes.
    pub(crate) fn add_classes(&mut self, growth: Growth) {
        let features = self.matrix.features();
        let mut wider = Self::new(growth.after(), features);
        for output in 0..growth.after() {
            let row = (0..features).map(|j| growth.output(output, |old| self.get(old, j)));
            wider.matrix.write(Slot(output as u32), row);
            wider.constant.set(output, growth.output(output, |old| self.constant(old)));
        }
        *self = wider;
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        let features = self.matrix.features();
        let all = (0..self.outputs).flat_map(|output| (0..features).map(move |j| (output, j)));
        out.put("matrix", &[self.outputs, features], all.map(|(output, j)| self.get(output, j)));
        out.put("constant", &[self.outputs], (0..self.outputs).map(|output| self.constant(output)));
    }

    /// Restores into one of the same shape.
    pub(crate) fn load(&mut self, from: &Tensors) -> Result<()> {
        let features = self.matrix.features();
        let matrix: Vec<T> = from.get("matrix", &[self.outputs, features])?;
        let constant: Vec<T> = from.get("constant", &[self.outputs])?;
        if !matrix.iter().chain(&constant).all(|x| x.is_finite()) {
            return Err(Error::Model("the linear part must be finite".into()));
        }
        for (output, row) in matrix.chunks_exact(features).enumerate() {
            self.matrix.write(Slot(output as u32), row.iter().copied());
        }
        constant.iter().enumerate().for_each(|(output, x)| self.constant.set(output, *x));
        Ok(())
    }
}
