//! The saved state of an expansion: all slots including free ones, coefficients, insertion order, the order of the free
//! slots, the scale, the linear term and the means. Norms and weights are computed after loading.

use super::{KernelExpansion, Slot};
use crate::added_outputs::AddedOutputs;
use crate::batch::Row;
use crate::batch::{Label, Task};
use crate::component::{Component, Loading};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::persist::Tensors;

/// Whether x is a power of two that has an inverse.
fn is_power_of_two(x: f64) -> bool {
    x > 0.0
        && x.is_normal()
        && (1.0 / x).is_normal()
        && x.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1
}

impl<T: Real> Component<T> for KernelExpansion<T> {
    fn add_features(&mut self, features: usize) {
        self.append_features(features);
    }

    fn add_outputs(&mut self, added: AddedOutputs, _: Task) {
        self.append_outputs(added);
    }

    fn save(&self, out: &mut Tensors) {
        if let Some(gamma) = self.kernel().gamma() {
            out.set("gamma", gamma);
        }
        if let Some(step) = self.linear_step() {
            step.save(out.scope_mut("linear_step"));
        }
        self.write(out.scope_mut("expansion"));
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        if let Some(step) = &mut self.linear_step {
            step.load(from.scope("linear_step")?)?;
        }
        self.read_from(from.scope("expansion")?, head.task)
    }
}

impl<T: Real> KernelExpansion<T> {
    /// Writes support vectors, coefficients, the linear term and the means.
    pub(crate) fn write(&self, out: &mut Tensors) {
        let (features, outputs) = (self.features(), self.outputs());
        let slots = || (0..self.support.high).map(|i| Slot(i as u32));
        let vectors = slots().flat_map(|slot| (0..features).map(move |j| (slot, j)));
        out.put(
            "vectors",
            &[self.support.high, features],
            vectors.map(|(slot, j)| self.support.panels.get(slot, j)),
        );
        let alpha = slots().flat_map(|slot| (0..outputs).map(move |c| (slot, c)));
        out.put(
            "coefficients",
            &[self.support.high, outputs],
            alpha.map(|(slot, c)| self.support.coefficients.get(slot, c)),
        );
        // Nothing uses the target of a support vector after the insertion.
        let labels = self.support.labels[..self.support.high].iter();
        out.put("labels", &[self.support.high], labels.map(|label| label.class().unwrap_or(0) as u32));
        out.put("order", &[self.len()], self.support.order.iter().map(|slot| slot.0));
        out.put("free", &[self.support.free.len()], self.support.free.iter().map(|slot| slot.0));
        out.set("scale", self.support.scale);
        if self.support.unit != 1.0 {
            out.set("unit", self.support.unit);
        }
        if let Some(base) = self.support.base.get() {
            out.put("base_row", &[features], base.iter().copied());
        }
        if let Some(linear) = self.support.coefficients.linear() {
            linear.save(out.scope_mut("linear"));
        }
        if let Some(means) = &self.means {
            means.save(&self.support, out.scope_mut("means"));
        }
        if let Some(errors) = &self.local_errors {
            errors.save(&self.support, out.scope_mut("errors"));
        }
    }

    /// Restores the state written by [`KernelExpansion::write`] into an empty expansion of equal shape.
    pub(crate) fn read_from(&mut self, from: &Tensors, task: Task) -> Result<()> {
        let kernel = self.kernel();
        let error = |reason: &'static str| Error::Model(reason.into());
        let (features, outputs) = (self.features(), self.outputs());
        let [high] = from.shape("labels")?;
        let [live] = from.shape("order")?;
        let [free] = from.shape("free")?;
        if live + free != high || self.support.capacity.is_some_and(|capacity| high > capacity) {
            return Err(error("the numbers of live, free and used slots are inconsistent"));
        }
        let vectors: Vec<T> = from.get("vectors", &[high, features])?;
        let alpha: Vec<T> = from.get("coefficients", &[high, outputs])?;
        let labels: Vec<u32> = from.get("labels", &[high])?;
        let order: Vec<u32> = from.get("order", &[live])?;
        let free: Vec<u32> = from.get("free", &[free])?;
        let mut seen = vec![false; high];
        for &slot in order.iter().chain(&free) {
            match seen.get_mut(slot as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(error("order and free must hold each slot once")),
            }
        }
        if !vectors.iter().chain(&alpha).all(|x| x.is_finite()) {
            return Err(error("support vectors and coefficients must be finite"));
        }
        if labels.iter().any(|&label| label as usize >= task.classes().max(1)) {
            return Err(error("labels must be classes"));
        }
        let vector = |slot: usize| &vectors[slot * features..(slot + 1) * features];
        let alpha = |slot: usize| &alpha[slot * outputs..(slot + 1) * outputs];
        for &slot in &free {
            let mut values = vector(slot as usize).iter().chain(alpha(slot as usize));
            if !values.all(|x| *x == T::ZERO) {
                return Err(error("free slots must be zero"));
            }
        }
        while self.n_simd() * T::LANES < high {
            self.add_panel();
        }
        self.support.high = high;
        self.support.free.extend(free.iter().map(|&slot| Slot(slot)));
        for (slot, &label) in labels.iter().enumerate() {
            self.support.labels[slot] = match task {
                Task::Classes(classes) => Label::of_class(label as usize, classes),
                Task::Regression => Label::Value(0.0),
            };
        }
        for &slot in &order {
            let (slot, x) = (Slot(slot), Row::Dense(vector(slot as usize)));
            let row_stat = kernel.row_stat(x);
            let diag = kernel.diag(row_stat);
            // The bound of the row check, with an allowance for rounding.
            let max = T::from_f64(2.0 * T::MAX_SQ_NORM);
            if !(diag <= max && (kernel.translation_invariant() || row_stat <= max)) {
                return Err(error("support vectors must not be too long"));
            }
            self.support.panels.write_row(slot, x);
            self.support.row_stats.set(slot.index(), row_stat);
            self.support.coefficients.write(slot, alpha(slot.index()), diag);
            self.support.order.push(slot);
        }
        self.support.scale = from.finite("scale")?;
        if self.support.scale <= 0.0 {
            return Err(error("the scale must be > 0"));
        }
        if from.contains("unit") {
            self.support.unit = from.finite("unit")?;
            if !is_power_of_two(self.support.unit) {
                return Err(error("the unit must be a power of two"));
            }
        }
        if from.contains("base_row") {
            let base: Vec<T> = from.get("base_row", &[features])?;
            let is_short = Row::Dense(&base).squared_norm() <= T::from_f64(T::MAX_SQ_NORM);
            if !is_short {
                return Err(error("the base row must not be too long"));
            }
            self.support.set_base_row(Some(&base));
        }
        if let Some(linear) = self.support.coefficients.linear_mut() {
            linear.load(from.scope("linear")?)?;
        }
        if let Some(means) = &mut self.means {
            means.load(from.scope("means")?, &self.support)?;
        }
        match &mut self.local_errors {
            Some(errors) => errors.load(from.scope("errors")?, &self.support),
            None => Ok(()),
        }
    }
}
