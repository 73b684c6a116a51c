//! The saved part of the factor.

use super::Gram;
use crate::error::{Error, Result};
use crate::expansion::SupportSet;
use crate::float::Real;
use crate::linalg::{Factor, FactorState};
use crate::persist::Tensors;
use crate::slot::Slot;
use crate::state::DerivedState;

impl<T: Real> DerivedState<T> for Gram {
    fn save(&self, _: &SupportSet<T>, out: &mut Tensors) {
        let out = out.scope_mut("gram");
        debug_assert!(self.pending.is_none(), "models are saved between examples");
        let FactorState { lower, order, diag, changes } = self.factor.state();
        out.put("lower", &[lower.len()], lower);
        out.put("order", &[order.len()], order.into_iter().map(|slot| slot.0));
        out.put("diag", &[diag.len()], diag);
        out.set("changes", changes);
        out.set("capacity", self.factor.capacity());
        out.put("dependent", &[self.dependent.len()], self.dependent.iter().map(|slot| slot.0));
    }

    fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let from = from.scope("gram")?;
        let (insertion_order, slots) = (&support.order, support.panels.n_simd() * T::LANES);
        let error = |reason: &'static str| Error::Model(reason.into());
        let [members] = from.shape("order")?;
        let [dependent] = from.shape("dependent")?;
        let [entries] = from.shape("lower")?;
        let capacity = from.usize("capacity")?;
        if members + dependent != insertion_order.len() {
            return Err(error("the factor must hold the live slots"));
        }
        // The factor of a model without a maximum size grows; all other factors keep their first capacity.
        let is_valid = match self.factor.capacity() {
            0 => (members..=slots).contains(&capacity),
            fixed => capacity == fixed,
        };
        if !is_valid {
            return Err(error("the capacity of the factor differs from the capacity of the model"));
        }
        let order: Vec<u32> = from.get("order", &[members])?;
        let dependent: Vec<u32> = from.get("dependent", &[dependent])?;
        let mut seen = vec![false; slots];
        for &slot in order.iter().chain(&dependent) {
            let live = (slot as usize) < slots && insertion_order.is_live(Slot(slot));
            if !live || std::mem::replace(&mut seen[slot as usize], true) {
                return Err(error("the factor must hold each live slot once"));
            }
        }
        let state = FactorState {
            lower: from.get("lower", &[entries])?,
            order: order.into_iter().map(Slot).collect(),
            diag: from.get("diag", &[members])?,
            changes: from.usize("changes")?,
        };
        self.factor = Factor::from_state(self.ops, capacity, &state)?;
        self.dependent = dependent.into_iter().map(Slot).collect();
        if !self.dependent.is_sorted_by(|a, b| insertion_order.older(*a, *b)) {
            return Err(error("the dependent vectors outside the factor must be sorted by insertion order"));
        }
        Ok(())
    }
}
