//! What a model file keeps of a factor, and the way back.

use super::{Factor, Slot};
use crate::ops::Solver;
use crate::{Error, Result};

/// A factor as plain numbers: together with its capacity, all that decides what it does next, bit for bit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FactorState {
    /// The rows of `L`, each up to its pivot: `n (n + 1) / 2` numbers.
    pub(crate) lower: Vec<f64>,
    /// The member of each row.
    pub(crate) order: Vec<Slot>,
    /// `diag(A)`.
    pub(crate) diag: Vec<f64>,
    /// Changes since the diagonal was last computed from the factor.
    pub(crate) changes: usize,
}

impl Factor {
    /// The most members it has had room for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The state to save.
    pub(crate) fn state(&self) -> FactorState {
        FactorState {
            lower: (0..self.len()).flat_map(|i| self.lower.row(i)).collect(),
            order: self.order.clone(),
            diag: self.diag().to_vec(),
            changes: self.changes,
        }
    }

    /// The factor that a state was taken from, when it had this capacity.
    ///
    /// # Errors
    /// [`Error::Model`] if the numbers cannot belong to a factor.
    pub(crate) fn from_state(ops: Solver, capacity: usize, state: &FactorState) -> Result<Self> {
        state.check(capacity)?;
        let mut factor = Self::with_capacity(ops, capacity);
        factor.lower.reserve(state.order.len());
        let mut rest = state.lower.as_slice();
        for i in 0..state.order.len() {
            let (row, next) = rest.split_at(i + 1);
            factor.lower.push(row[..i].iter().copied(), row[i]);
            rest = next;
        }
        factor.order.extend(&state.order);
        factor.diagonal.values.extend(&state.diag);
        factor.changes = state.changes;
        Ok(factor)
    }
}

/// Numbers of a factor are smaller, and pivots larger than its inverse: their squares are finite and positive.
const MAX_ENTRY: f64 = 1e150;

impl FactorState {
    fn check(&self, capacity: usize) -> Result<()> {
        let n = self.order.len();
        let wrong = |what| Err(Error::Model(std::borrow::Cow::Borrowed(what)));
        if n > capacity || self.diag.len() != n || self.lower.len() != n * (n + 1) / 2 {
            return wrong("the factor's tensors do not fit each other");
        }
        if self.changes >= capacity.max(1) {
            return wrong("the factor's counter is beyond its capacity");
        }
        let mut members = self.order.clone();
        members.sort_unstable();
        if members.windows(2).any(|pair| pair[0] == pair[1]) {
            return wrong("the factor names a slot twice");
        }
        let pivots = (0..n).map(|i| self.lower[i * (i + 3) / 2]);
        if !self.lower.iter().all(|x| x.abs() < MAX_ENTRY) || !pivots.into_iter().all(|x| x > 1.0 / MAX_ENTRY)
        {
            return wrong("the factor has a number that is too large, or a pivot that is not positive");
        }
        if !self.diag.iter().all(|x| x.is_finite() && *x > 0.0) {
            return wrong("the diagonal of the inverse must be positive and finite");
        }
        Ok(())
    }
}
