//! Averages of many models, each with its weight (Le et al. 2016, Algorithms 1 and 2).

use super::coefficients::{Coefficients, place, with_classes};
use super::edit::{Edit, MergedPair};
use super::linear_term::LinearTerm;
use super::support_set::SupportSet;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::{CoefficientView, SimdBuffer};
use crate::output_expansion::OutputExpansion;
use crate::persist::Tensors;
use crate::slot::Slot;

/// The size from which on a mean is written anew, so that it does not leave the range of the type.
const RENORM_ABOVE: f64 = 1e6;

/// A mean `m <- (1 - rho) m + rho w` of models `w = scale alpha`, kept as what it differs from the last one by:
/// `m = current alpha + residual / inv_residual`.
///
/// A row that changes nothing costs two numbers, `current <- (1 - rho) current + rho scale` and `inv_residual <- inv_residual / (1 - rho)`; a
/// step g of a coefficient moves its residual by `-g current inv_residual`, so that the mean stays what it was.
#[derive(Debug, Clone, PartialEq)]
struct Mean<T: Real> {
    /// Weight of the current model.
    current: f64,
    /// The inverse of the weight of the residual.
    inv_residual: f64,
    residual: SimdBuffer<T>,
}

/// The means, by number. What is spread or merged takes its means along, what is removed loses them. Invariant: those
/// of slots that are not live are zero. The same u of the linear part, its past, lies beside that part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Means<T: Real> {
    outputs: usize,
    all: Vec<Mean<T>>,
}

/// Their names in a model file.
const NAMES: [&str; 2] = ["first", "second"];

/// A number of the type, also where a model diverges.
#[inline(always)]
fn finite<T: Real>(x: f64) -> T {
    T::from_f64(x.clamp(T::MIN.to_f64(), -T::MIN.to_f64())).flush_to_zero()
}

impl<T: Real> Mean<T> {
    /// Another model, with its share of the mean; and what u must be multiplied with, if it must.
    #[inline(always)]
    fn observe(&mut self, share: f64, scale: f64) -> Option<T> {
        if share >= 1.0 {
            return Some(self.restart(scale));
        }
        self.current += share * (scale - self.current);
        self.inv_residual /= 1.0 - share;
        (self.inv_residual > RENORM_ABOVE)
            .then(|| T::from_f64(1.0 / std::mem::replace(&mut self.inv_residual, 1.0)))
    }

    /// The last model alone; and what u must be multiplied with.
    fn restart(&mut self, scale: f64) -> T {
        (self.current, self.inv_residual) = (scale, 1.0);
        T::ZERO
    }

    /// What a step of 1 moves u by.
    #[inline(always)]
    fn back(&self) -> f64 {
        -self.current * self.inv_residual
    }

    /// The coefficient of a slot has moved by `step`, which is no part of the past.
    #[inline(always)]
    fn step(&mut self, place: usize, step: T) {
        let moved = self.residual.get(place).to_f64() + step.to_f64() * self.back();
        self.residual.set(place, finite(moved));
    }

    /// Adds so many times the past of one slot to that of another.
    #[inline(always)]
    fn add(&mut self, [to, from]: [usize; 2], factor: f64) {
        let sum = self.residual.get(to).to_f64() + factor * self.residual.get(from).to_f64();
        self.residual.set(to, finite(sum));
    }
}

impl<T: Real> Means<T> {
    /// So many means of an empty store, at most two.
    pub(crate) fn new(outputs: usize, means: usize) -> Self {
        let mean = Mean { current: 0.0, inv_residual: 1.0, residual: SimdBuffer::default() };
        Self { outputs, all: vec![mean; means] }
    }

    /// The model of now is counted with these shares, one to the mean.
    #[inline(always)]
    pub(crate) fn observe(&mut self, support: &mut SupportSet<T>, shares: &[f64]) {
        for (number, &share) in shares.iter().enumerate().take(self.all.len()) {
            if let Some(factor) = self.all[number].observe(share, support.scale) {
                self.multiply(number, support, factor);
            }
        }
    }

    /// All become the last model.
    pub(crate) fn restart(&mut self, support: &mut SupportSet<T>) {
        for number in 0..self.all.len() {
            let factor = self.all[number].restart(support.scale);
            self.multiply(number, support, factor);
        }
    }

    /// Multiplies the past of a mean.
    #[inline(never)]
    fn multiply(&mut self, number: usize, support: &mut SupportSet<T>, factor: T) {
        support.ops.scale_buffer(&mut self.all[number].residual, factor);
        if let Some(linear) = support.expansion.linear_mut() {
            linear.scale_residual(number, factor);
        }
    }

    /// What the past of each mean moves by when a number of the last model moves.
    #[inline(always)]
    pub(crate) fn residual_steps(&self) -> impl Iterator<Item = impl Fn(T) -> T> {
        self.all.iter().map(|mean| {
            let back = mean.back();
            move |step: T| finite(step.to_f64() * back)
        })
    }

    /// The scores of a row by a mean, from its kernel row, its values by the linear part and its scores by the last
    /// model.
    #[inline(always)]
    pub(crate) fn scores(
        &self,
        number: usize,
        support: &SupportSet<T>,
        (k, values, last): (&SimdBuffer<T>, &SimdBuffer<T>, &[T]),
        f: &mut [T],
    ) {
        let mean = &self.all[number];
        let u = CoefficientView { data: mean.residual.as_slice(), outputs: self.outputs };
        support.ops.dot_kernel_row(u, k, support.used(), f);
        if let Some(linear) = support.expansion.linear() {
            linear.add_residual(number, values, f);
        }
        let (unit, part) = (T::from_f64(mean.current), T::from_f64(1.0 / mean.inv_residual));
        f.iter_mut().zip(last).for_each(|(f, last)| *f = unit * *last + *f * part);
    }

    /// The second mean becomes the first.
    pub(crate) fn advance(&mut self, support: &mut SupportSet<T>) {
        self.all.swap(0, 1);
        if let Some(linear) = support.expansion.linear_mut() {
            linear.swap_residuals();
        }
    }

    /// Writes the coefficients of a mean, without the scale of now, into `expansion`, which has those of the last
    /// model.
    pub(crate) fn write(&self, number: usize, support: &SupportSet<T>, expansion: &mut Coefficients<T>) {
        let mean = &self.all[number];
        for slot in support.order.iter() {
            for output in 0..self.outputs {
                let u = mean.residual.get(self.place(slot, output)).to_f64();
                // In this order a vector that is new has none of it, exactly.
                let a = expansion.get(slot, output).to_f64() * mean.current + u / mean.inv_residual;
                expansion.set(slot, output, T::from_f64(a / support.scale));
            }
        }
        if let Some(linear) = expansion.linear_mut() {
            let (now, part) = (mean.current / support.scale, 1.0 / (mean.inv_residual * support.scale));
            *linear = linear.mean(number, T::from_f64(now), T::from_f64(part));
        }
    }

    #[inline(always)]
    fn place(&self, slot: Slot, output: usize) -> usize {
        place::<T>(self.outputs, slot, output)
    }

    fn each_output(&mut self, mut change: impl FnMut(&mut Mean<T>, usize)) {
        for mean in &mut self.all {
            (0..self.outputs).for_each(|output| change(mean, output));
        }
    }

    /// A slot that is gone.
    fn clear(&mut self, slot: Slot) {
        let outputs = self.outputs;
        self.each_output(|mean, output| mean.residual.set(place::<T>(outputs, slot, output), T::ZERO));
    }

    /// Each slot but `p` itself gets its share of `p`'s past.
    fn spread(&mut self, p: Slot, on: &[Slot], d: &[f64]) {
        let outputs = self.outputs;
        for (&slot, &d) in on.iter().zip(d).filter(|(slot, _)| **slot != p) {
            let at = |output| [slot, p].map(|slot| place::<T>(outputs, slot, output));
            self.each_output(|mean, output| mean.add(at(output), d));
        }
    }

    /// `m` is about to be merged into `n`, whose coefficients become `u alpha_m + v alpha_n`.
    fn merge(&mut self, m: Slot, n: Slot, u: f64, v: f64) {
        let outputs = self.outputs;
        self.each_output(|mean, output| {
            let [to, from] = [n, m].map(|slot| place::<T>(outputs, slot, output));
            mean.residual.set(to, finite(v * mean.residual.get(to).to_f64()));
            mean.add([to, from], u);
        });
    }

    /// The coefficients of a slot move by these steps.
    fn step(&mut self, slot: Slot, step: impl Fn(usize) -> T) {
        let outputs = self.outputs;
        self.each_output(|mean, output| mean.step(place::<T>(outputs, slot, output), step(output)));
    }

    /// All coefficients but those of a slot are about to be multiplied.
    fn rescale(&mut self, factor: f64, but: Option<Slot>, support: &SupportSet<T>) {
        let SupportSet { expansion, order, .. } = support;
        let more = T::from_f64(factor) - T::ONE;
        for slot in order.iter().filter(|slot| Some(*slot) != but) {
            self.step(slot, |output| more * expansion.get(slot, output));
        }
    }

    /// The linear part is about to be multiplied.
    pub(crate) fn rescale_linear(&self, linear: &mut LinearTerm<T>, factor: f64) {
        let more = T::from_f64(factor) - T::ONE;
        for (number, mean) in self.all.iter().enumerate() {
            linear.add_to_residual(number, T::from_f64(more.to_f64() * mean.back()));
        }
    }
}

impl<T: Real> Means<T> {
    /// The model is about to change: what is spread or merged takes its averaged coefficient along.
    pub(super) fn before(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        let expansion = &support.expansion;
        match *edit {
            Edit::Merge { merger: MergedPair { m, n, u, v, .. }, .. } => self.merge(m, n, u, v),
            Edit::Project { p, on, d, .. } => self.spread(p, on, d),
            Edit::Give { from, to, share } => self.spread(from, &[to], &[share.to_f64()]),
            Edit::Redirect { slot, length } => self.step(slot, |output| {
                let a = expansion.get(slot, output);
                if a == T::ZERO { a } else { length.copysign(a) - a }
            }),
            Edit::Absorb { on, d, share, alpha } => {
                for (&slot, &d) in on.iter().zip(d) {
                    let d = T::from_f64(share * d);
                    self.step(slot, |output| d * alpha[output]);
                }
            }
            Edit::Rescale { factor } => self.rescale(factor, None, support),
            Edit::RescaleOthers { slot, factor, .. } => self.rescale(factor, Some(slot), support),
            Edit::Insert { .. } | Edit::Remove { .. } | Edit::StepLinear { .. } | Edit::CommitInsert => {}
        }
    }

    /// The model has changed.
    pub(super) fn after(&mut self, edit: &Edit<'_, T>) {
        match *edit {
            Edit::Insert { slot, new } => self.step(slot, |output| new.alpha[output]),
            Edit::Remove { slot, .. }
            | Edit::Merge { merger: MergedPair { m: slot, .. }, .. }
            | Edit::Project { p: slot, .. } => self.clear(slot),
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::Rescale { .. }
            | Edit::RescaleOthers { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => {}
        }
    }

    pub(super) fn grow(&mut self, vectors: usize) {
        for mean in &mut self.all {
            mean.residual.grow(vectors * self.outputs);
        }
    }

    pub(super) fn add_classes(&mut self, growth: OutputExpansion) {
        self.outputs = growth.after();
        for mean in &mut self.all {
            mean.residual = with_classes(&mean.residual, growth);
        }
    }

    /// Writes the averages.
    pub(super) fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        let slots = (0..support.high).map(|i| Slot(i as u32));
        let places: Vec<_> =
            slots.flat_map(|slot| (0..self.outputs).map(move |output| (slot, output))).collect();
        for (name, mean) in NAMES.into_iter().zip(&self.all) {
            let out = out.scope_mut(name);
            out.set("unit", mean.current);
            out.set("size", mean.inv_residual);
            let past = places.iter().map(|&(slot, output)| mean.residual.get(self.place(slot, output)));
            out.put("past", &[support.high, self.outputs], past);
        }
    }

    /// Reads what [`Means::save`] wrote.
    pub(super) fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let refused = |reason: &'static str| Error::Model(reason.into());
        let outputs = self.outputs;
        for (name, mean) in NAMES.into_iter().zip(&mut self.all) {
            let from = from.scope(name)?;
            (mean.current, mean.inv_residual) = (from.finite("unit")?, from.finite("size")?);
            if mean.current < 0.0 || !(1.0..=RENORM_ABOVE).contains(&mean.inv_residual) {
                return Err(refused("the weights of a mean must be those of a run"));
            }
            let past: Vec<T> = from.get("past", &[support.high, outputs])?;
            for (slot, row) in past.chunks_exact(outputs).enumerate() {
                let slot = Slot(slot as u32);
                let live = support.order.is_live(slot);
                if !row.iter().all(|u| u.is_finite() && (live || *u == T::ZERO)) {
                    return Err(refused("a mean must be finite, and zero in free slots"));
                }
                let places = row.iter().enumerate();
                places.for_each(|(output, u)| mean.residual.set(place::<T>(outputs, slot, output), *u));
            }
        }
        Ok(())
    }
}
