//! How often the budget is reduced: whenever it is exceeded, or with the rate of NBSGD (Le et al. 2016, Algorithm 3).

use super::{Admission, AnyStrategy, Maintain, MaintenanceContext};
use crate::error::Result;
use crate::float::Real;
use crate::persist::{Persist, Tensors};
use crate::store::{Keep, NewVector};

/// A strategy, and how often it runs.
#[derive(Debug, Clone)]
pub(crate) struct AtRate<T: Real> {
    pub(crate) strategy: AnyStrategy<T>,
    /// None is whenever it is due.
    pub(crate) rate: Option<NbsgdRate>,
}

/// Over budget, an insertion at example t has one support vector leave with probability `min(beta/t, 1)`, and always
/// above the largest size: the model grows with the stream, ever more slowly.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NbsgdRate {
    beta: f64,
    max_size: usize,
    /// One has left since the insertion; false between examples.
    reduced: bool,
}

impl NbsgdRate {
    pub(crate) fn new(beta: f64, max_size: usize) -> Self {
        Self { beta, max_size, reduced: false }
    }

    /// After an insertion, and again after the restoration: at most one leaves.
    fn exceeded<T: Real>(&mut self, model: &mut MaintenanceContext<'_, T>) -> bool {
        if std::mem::take(&mut self.reduced) || model.store.len() <= model.budget {
            return false;
        }
        let falls = model.rng.uniform() < (self.beta / model.example.t as f64).min(1.0);
        self.reduced = falls || model.store.len() > self.max_size;
        self.reduced
    }
}

impl<T: Real> Maintain<T> for AtRate<T> {
    fn requires(&self) -> Keep {
        self.strategy.requires()
    }

    fn admit(&mut self, model: MaintenanceContext<'_, T>, new: NewVector<'_, T>) -> Admission {
        self.strategy.admit(model, new)
    }

    fn exceeded(&mut self, model: &mut MaintenanceContext<'_, T>) -> bool {
        match &mut self.rate {
            None => self.strategy.exceeded(model),
            Some(rate) => rate.exceeded(model),
        }
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        self.strategy.reduce(model)
    }
}

impl<T: Real> Persist for AtRate<T> {
    fn save(&self, out: &mut Tensors) {
        self.strategy.save(out);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.strategy.load(from)
    }
}
