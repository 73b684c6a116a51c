//! `|w|^2`, kept by increments, and inner products with the model.

use super::DerivedState;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::growth::OutputExpansion;
use crate::kernel::AnyKernel;
use crate::ops::SimdBuffer;
use crate::persist::Tensors;
use crate::row::Row;
use crate::slot::Slot;
use crate::store::edits::{Edit, MergedPair};
use crate::store::support::SupportSet;

/// Changes, per support vector, after which `|w|^2` is computed from scratch.
const REFRESH: u64 = 8;

/// `|sum_j alpha_j phi_j|^2`, without the scale.
#[derive(Debug, Clone)]
pub(crate) struct Norm<T: Real> {
    value: f64,
    /// Changes since it was last computed from scratch.
    changes: u64,
    /// What the edit that is being made adds, where that is known.
    coming: Option<f64>,
    products: Products<T>,
}

/// Inner products with the model; its buffers are never saved.
#[derive(Debug, Clone)]
pub(crate) struct Products<T: Real> {
    x: Vec<T>,
    row: Vec<T>,
    f: Vec<T>,
    k: SimdBuffer<T>,
}

impl<T: Real> Products<T> {
    pub(crate) fn new(outputs: usize) -> Self {
        let zeros = || vec![T::ZERO; outputs];
        Self { x: Vec::new(), row: zeros(), f: zeros(), k: SimdBuffer::default() }
    }

    /// The inner product of the model with the part of a support vector, `sum_c alpha_jc f_c(x_j)`, without the scale.
    pub(crate) fn along(&mut self, kernel: AnyKernel, support: &SupportSet<T>, slot: Slot) -> f64 {
        support.expansion.read(slot, &mut self.row);
        self.along_row(kernel, support, slot)
    }

    /// The same with the coefficients in the scratch.
    fn along_row(&mut self, kernel: AnyKernel, support: &SupportSet<T>, slot: Slot) -> f64 {
        let mut x = std::mem::take(&mut self.x);
        x.resize(support.panels.features(), T::ZERO);
        support.read(slot, &mut x);
        let row = std::mem::take(&mut self.row);
        let product = self.inner(kernel, support, &x, &row);
        (self.x, self.row) = (x, row);
        product
    }

    /// `<w, sum_c row_c phi(x) e_c>`
    fn inner(&mut self, kernel: AnyKernel, support: &SupportSet<T>, x: &[T], row: &[T]) -> f64 {
        self.k.grow(support.panels.n_simd());
        let (x, alpha) = (Row::Dense(x), support.expansion.coefficients());
        let x = (x, kernel.row_stat(x));
        support.ops.scores(kernel, support.stored(), alpha, x, &mut self.k, &mut self.f);
        row.iter().zip(&self.f).map(|(a, f)| a.to_f64() * f.to_f64()).sum()
    }
}

impl<T: Real> Norm<T> {
    pub(crate) fn new(outputs: usize) -> Self {
        Self { value: 0.0, changes: 0, coming: None, products: Products::new(outputs) }
    }

    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// The inner product of the model with the vector in a slot, weighted by the coefficients of another.
    pub(crate) fn along_row_of(
        &mut self,
        kernel: AnyKernel,
        support: &SupportSet<T>,
        slot: Slot,
        coefficients: Slot,
    ) -> f64 {
        support.expansion.read(coefficients, &mut self.products.row);
        self.products.along_row(kernel, support, slot)
    }

    /// Adds to the norm, and recomputes it from scratch after many additions, so that rounding cannot pile up.
    fn change(&mut self, kernel: AnyKernel, by: f64, support: &SupportSet<T>) {
        self.value += by;
        self.changes += 1;
        if self.changes >= REFRESH * support.len() as u64 {
            self.refresh(kernel, support);
        }
    }
}

impl<T: Real> Norm<T> {
    /// What a newcomer adds, `sum_c 2 b_c f_c + b_c^2 k_tt`, from its scores in the model without it.
    pub(crate) fn expect_newcomer(&mut self, row: &[T], k_tt: f64, f: impl Fn(usize) -> f64) {
        let change = |(output, b): (usize, &T)| {
            let b = b.to_f64();
            2.0 * b * f(output) + b * b * k_tt
        };
        self.coming = Some(row.iter().enumerate().map(change).sum());
    }

    /// The inner product of the model with the part of a support vector.
    pub(crate) fn along(&mut self, kernel: AnyKernel, support: &SupportSet<T>, slot: Slot) -> f64 {
        self.products.along(kernel, support, slot)
    }
}

impl<T: Real> DerivedState<T> for Norm<T> {
    fn before(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        let weight = |slot: Slot| support.expansion.weights().get(slot.index()).to_f64();
        self.coming = match *edit {
            Edit::Remove { slot, along } => {
                let along = along.unwrap_or_else(|| self.products.along(kernel, support, slot));
                Some(weight(slot) - 2.0 * along)
            }
            Edit::Merge { merger: MergedPair { m, n, degradation, .. }, z, row } => {
                let mut change = degradation;
                for slot in [m, n] {
                    change -= 2.0 * self.products.along(kernel, support, slot);
                }
                Some(change + 2.0 * self.products.inner(kernel, support, z, row))
            }
            Edit::Project { change, .. } => change,
            Edit::RescaleOthers { slot, factor, along } => {
                let others = self.value - 2.0 * along - weight(slot);
                Some((factor * factor - 1.0) * others + 2.0 * (factor - 1.0) * along)
            }
            Edit::Insert { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::Rescale { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => None,
        }
    }

    fn after(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match edit {
            Edit::CommitInsert => return,
            Edit::Rescale { factor } => {
                self.value *= factor * factor;
                return;
            }
            Edit::Insert { slot, new } => {
                if self.coming.is_none() {
                    let k_tt = support.expansion.diags().get(slot.index()).to_f64();
                    self.expect_newcomer(new.row, k_tt, |output| new.f[output].to_f64());
                }
            }
            Edit::Remove { .. }
            | Edit::Merge { .. }
            | Edit::Project { .. }
            | Edit::RescaleOthers { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::StepLinear { .. } => {}
        }
        match self.coming.take() {
            Some(change) => self.change(kernel, change, support),
            None => self.refresh(kernel, support),
        }
    }

    fn add_classes(&mut self, growth: OutputExpansion) {
        self.value *= growth.squares();
        self.products.row.resize(growth.after(), T::ZERO);
        self.products.f.resize(growth.after(), T::ZERO);
    }

    fn refresh(&mut self, kernel: AnyKernel, support: &SupportSet<T>) {
        let slots = support.age.iter();
        self.value = slots.fold(0.0, |sum, slot| sum + self.products.along(kernel, support, slot));
        self.changes = 0;
    }

    fn save(&self, _: &SupportSet<T>, out: &mut Tensors) {
        out.set("norm2", self.value);
        out.set("norm2_changes", self.changes);
    }

    fn load(&mut self, _: AnyKernel, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        (self.value, self.changes) = (from.finite("norm2")?, from.count("norm2_changes")?);
        if self.changes > 0 && self.changes >= REFRESH * support.len() as u64 {
            return Err(Error::Model("the norm has seen more changes than it can have".into()));
        }
        Ok(())
    }
}
