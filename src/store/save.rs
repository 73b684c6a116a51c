//! What of the store is saved: slots with their holes, coefficients, order of birth, order of the free slots, the scale
//! and what is kept by increments. Norms and weights are rebuilt.

use super::edits::REFRESH;
use super::{Norm2, Slot, Store};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::{Label, Task};
use crate::persist::Tensors;
use crate::row::Row;

impl<T: Real> Store<T> {
    pub(crate) fn save(&self, out: &mut Tensors) {
        let (features, outputs) = (self.features(), self.outputs());
        let slots = || (0..self.high).map(|i| Slot(i as u32));
        let vectors = slots().flat_map(|slot| (0..features).map(move |j| (slot, j)));
        out.put("vectors", &[self.high, features], vectors.map(|(slot, j)| self.panels.get(slot, j)));
        let rows = slots().flat_map(|slot| (0..outputs).map(move |c| (slot, c)));
        out.put("coefficients", &[self.high, outputs], rows.map(|(slot, c)| self.expansion.get(slot, c)));
        // A number to be predicted is of no use once it is learned.
        let labels = self.labels[..self.high].iter();
        out.put("labels", &[self.high], labels.map(|label| label.class().unwrap_or(0) as u32));
        out.put("ring", &[self.len()], self.age.iter().map(|slot| slot.0));
        out.put("free", &[self.free.len()], self.free.iter().map(|slot| slot.0));
        out.set("scale", self.scale);
        if let Some(norm2) = self.norm2 {
            out.set("norm2", norm2.value);
            out.set("norm2_changes", norm2.changes);
        }
        if let Some(gram) = &self.gram {
            gram.save(out.scope_mut("gram"));
        }
        if let Some(margins) = &self.margins {
            margins.save(self.high, |slot| self.age.is_live(slot), out.scope_mut("margins"));
        }
        if let Some(averages) = &self.averages {
            averages.save(self.high, out.scope_mut("averages"));
        }
    }

    /// Restores into a fresh store of the same shape.
    pub(crate) fn load(&mut self, from: &Tensors, kernel: AnyKernel, task: Task) -> Result<()> {
        let refused = |reason: &'static str| Error::Model(reason.into());
        let (features, outputs) = (self.features(), self.outputs());
        let [high] = from.shape("labels")?;
        let [live] = from.shape("ring")?;
        let [free] = from.shape("free")?;
        if live + free != high || self.capacity.is_some_and(|capacity| high > capacity) {
            return Err(refused("the numbers of slots do not fit together"));
        }
        let vectors: Vec<T> = from.get("vectors", &[high, features])?;
        let rows: Vec<T> = from.get("coefficients", &[high, outputs])?;
        let labels: Vec<u32> = from.get("labels", &[high])?;
        let ring: Vec<u32> = from.get("ring", &[live])?;
        let free: Vec<u32> = from.get("free", &[free])?;
        let mut seen = vec![false; high];
        for &slot in ring.iter().chain(&free) {
            match seen.get_mut(slot as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(refused("ring and free must hold each slot once")),
            }
        }
        if !vectors.iter().chain(&rows).all(|x| x.is_finite()) {
            return Err(refused("support vectors and coefficients must be finite"));
        }
        if labels.iter().any(|&label| label as usize >= task.classes().max(1)) {
            return Err(refused("labels must be classes"));
        }
        let vector = |slot: usize| &vectors[slot * features..(slot + 1) * features];
        let row = |slot: usize| &rows[slot * outputs..(slot + 1) * outputs];
        for &slot in &free {
            let numbers = vector(slot as usize).iter().chain(row(slot as usize));
            if !numbers.copied().all(|x| x == T::ZERO) {
                return Err(refused("free slots must be zero"));
            }
        }
        while self.vectors() * T::LANES < high {
            self.grow();
        }
        self.high = high;
        self.free.extend(free.iter().map(|&slot| Slot(slot)));
        for (slot, &label) in labels.iter().enumerate() {
            self.labels[slot] = match task {
                Task::Classes(classes) => Label::of_class(label as usize, classes),
                Task::Regression => Label::Value(0.0),
            };
        }
        for &slot in &ring {
            let (slot, x) = (Slot(slot), Row::Dense(vector(slot as usize)));
            let norm = kernel.norm(x);
            self.panels.write_row(slot, x);
            self.norms.set(slot.index(), norm);
            self.expansion.write(slot, row(slot.index()), kernel.diag(norm));
            self.age.push(slot);
        }
        self.scale = from.finite("scale")?;
        if self.scale <= 0.0 {
            return Err(refused("the scale must be > 0"));
        }
        if self.norm2.is_some() {
            let norm2 = Norm2 { value: from.finite("norm2")?, changes: from.u64("norm2_changes")? };
            if norm2.changes > 0 && norm2.changes >= REFRESH * self.len() as u64 {
                return Err(refused("the norm has seen more changes than it can have"));
            }
            self.norm2 = Some(norm2);
        }
        if let Some(gram) = &mut self.gram {
            gram.load(from.scope("gram")?, &self.age, self.panels.vectors() * T::LANES)?;
        }
        if let Some(margins) = &mut self.margins {
            margins.load(from.scope("margins")?, high)?;
        }
        if let Some(averages) = &mut self.averages {
            averages.load(from.scope("averages")?, high, &self.age)?;
        }
        Ok(())
    }
}
