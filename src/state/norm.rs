//! `|w|^2`, updated incrementally, and inner products with the expansion.

use super::DerivedState;
use crate::added_outputs::AddedOutputs;
use crate::batch::Row;
use crate::error::{Error, Result};
use crate::expansion::{Edit, MergedPair, NormChange, OnEdit, SupportSet};
use crate::float::Real;
use crate::ops::SimdBuffer;
use crate::persist::Tensors;
use crate::slot::Slot;

/// Changes, per support vector, after which `|w|^2` is computed from scratch.
const REFRESH: u64 = 8;

/// `|sum_j alpha_j phi_j|^2`: the unscaled squared norm.
#[derive(Debug, Clone)]
pub(crate) struct Norm<T: Real> {
    value: f64,
    /// Changes since the norm was last computed from scratch.
    changes: u64,
    /// The change of the norm by the present edit, if it is known.
    pending: Option<f64>,
    products: Products<T>,
}

/// Inner products with the expansion; its buffers are never saved.
#[derive(Debug, Clone)]
pub(crate) struct Products<T: Real> {
    x: Vec<T>,
    alpha: Vec<T>,
    f: Vec<T>,
    k: SimdBuffer<T>,
}

impl<T: Real> Products<T> {
    pub(crate) fn new(outputs: usize) -> Self {
        let zeros = || vec![T::ZERO; outputs];
        Self { x: Vec::new(), alpha: zeros(), f: zeros(), k: SimdBuffer::default() }
    }

    /// The inner product of the expansion with the term of a support vector, `sum_c alpha_jc f_c(x_j)`, without
    /// the scale.
    pub(crate) fn inner_product(&mut self, support: &SupportSet<T>, slot: Slot) -> f64 {
        support.coefficients.read(slot, &mut self.alpha);
        self.inner_product_with_alpha(support, slot)
    }

    /// The inner product of the expansion with `sum_c alpha_c phi(x_j) e_c`, for the coefficients in the buffer.
    fn inner_product_with_alpha(&mut self, support: &SupportSet<T>, slot: Slot) -> f64 {
        let mut x = std::mem::take(&mut self.x);
        x.resize(support.panels.features(), T::ZERO);
        support.read(slot, &mut x);
        let alpha = std::mem::take(&mut self.alpha);
        let product = self.inner(support, &x, &alpha);
        (self.x, self.alpha) = (x, alpha);
        product
    }

    /// `<w, sum_c alpha_c phi(x) e_c>`
    fn inner(&mut self, support: &SupportSet<T>, x: &[T], alpha: &[T]) -> f64 {
        self.k.grow(support.panels.n_simd());
        let (x, coefficients) = (Row::Dense(x), support.coefficients.view());
        let x = (x, support.kernel.row_stat(x));
        support.ops.scores(support.kernel, support.stored(), coefficients, x, &mut self.k, &mut self.f);
        alpha.iter().zip(&self.f).map(|(a, f)| a.to_f64() * f.to_f64()).sum()
    }
}

impl<T: Real> Norm<T> {
    pub(crate) fn new(outputs: usize) -> Self {
        Self { value: 0.0, changes: 0, pending: None, products: Products::new(outputs) }
    }

    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// The inner product of the expansion with the vector of `slot`, weighted by the coefficients of `alpha_slot`.
    fn inner_product_with_alpha_of(&mut self, support: &SupportSet<T>, slot: Slot, alpha_slot: Slot) -> f64 {
        support.coefficients.read(alpha_slot, &mut self.products.alpha);
        self.products.inner_product_with_alpha(support, slot)
    }

    /// Adds to the norm. After many additions it is computed from scratch, so that rounding errors cannot accumulate.
    fn change(&mut self, by: f64, support: &SupportSet<T>) {
        self.value += by;
        self.changes += 1;
        if self.changes >= REFRESH * support.len() as u64 {
            self.refresh(support);
        }
    }
}

impl<T: Real> Norm<T> {
    /// Prepares the change by a new vector, `sum_c 2 b_c f_c + b_c^2 k_tt`, from its scores `f` in the expansion
    /// before the insertion.
    pub(crate) fn expect_insertion(&mut self, alpha: &[T], k_tt: f64, f: impl Fn(usize) -> f64) {
        let change = |(output, b): (usize, &T)| {
            let b = b.to_f64();
            2.0 * b * f(output) + b * b * k_tt
        };
        self.pending = Some(alpha.iter().enumerate().map(change).sum());
    }

    /// The inner product of the expansion with the term of a support vector.
    pub(crate) fn inner_product(&mut self, support: &SupportSet<T>, slot: Slot) -> f64 {
        self.products.inner_product(support, slot)
    }
}

impl<T: Real> OnEdit<T> for Norm<T> {
    fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        let weight = |slot: Slot| support.coefficients.weights().get(slot.index()).to_f64();
        self.pending = match *edit {
            Edit::Remove { slot, inner_product } => {
                let inner_product =
                    inner_product.unwrap_or_else(|| self.products.inner_product(support, slot));
                Some(weight(slot) - 2.0 * inner_product)
            }
            Edit::Merge { merger: MergedPair { m, n, degradation, .. }, merged, alpha } => {
                let mut change = degradation;
                for slot in [m, n] {
                    change -= 2.0 * self.products.inner_product(support, slot);
                }
                Some(change + 2.0 * self.products.inner(support, merged, alpha))
            }
            Edit::Project { p, receivers, d, change } => match change {
                NormChange::Known(change) => Some(change),
                NormChange::Residual(residual) => {
                    // 2 <w, D> + |D|^2 with D = alpha_p (sum d_i phi_i - phi_p).
                    let shares = receivers.iter().zip(d).chain([(&p, &-1.0)]);
                    let inner_product = shares.fold(0.0, |sum, (&slot, d)| {
                        sum + d * self.inner_product_with_alpha_of(support, slot, p)
                    });
                    Some(2.0 * inner_product + residual)
                }
                NormChange::Unknown => None,
            },
            Edit::MultiplyOthers { slot, factor, inner_product } => {
                let others = self.value - 2.0 * inner_product - weight(slot);
                Some((factor * factor - 1.0) * others + 2.0 * (factor - 1.0) * inner_product)
            }
            Edit::Insert { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::MultiplyAll { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => None,
        }
    }

    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match edit {
            Edit::CommitInsert => return,
            Edit::MultiplyAll { factor } => {
                self.value *= factor * factor;
                return;
            }
            Edit::Insert { slot, new } => {
                if self.pending.is_none() {
                    let k_tt = support.coefficients.diags().get(slot.index()).to_f64();
                    self.expect_insertion(new.alpha, k_tt, |output| new.f[output].to_f64());
                }
            }
            Edit::Remove { .. }
            | Edit::Merge { .. }
            | Edit::Project { .. }
            | Edit::MultiplyOthers { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::StepLinear { .. } => {}
        }
        match self.pending.take() {
            Some(change) => self.change(change, support),
            None => self.refresh(support),
        }
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        let slots = support.order.iter();
        self.value = slots.fold(0.0, |sum, slot| sum + self.products.inner_product(support, slot));
        self.changes = 0;
    }
}

impl<T: Real> DerivedState<T> for Norm<T> {
    fn add_outputs(&mut self, added: AddedOutputs) {
        self.value *= added.squared_norm_factor();
        self.products.alpha.resize(added.n_after(), T::ZERO);
        self.products.f.resize(added.n_after(), T::ZERO);
    }

    fn save(&self, _: &SupportSet<T>, out: &mut Tensors) {
        out.set("squared_norm", self.value);
        out.set("changes", self.changes);
    }

    fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        (self.value, self.changes) = (from.finite("squared_norm")?, from.count("changes")?);
        if self.changes > 0 && self.changes >= REFRESH * support.len() as u64 {
            return Err(Error::Model("the norm has more changes than fit between two computations".into()));
        }
        Ok(())
    }
}
