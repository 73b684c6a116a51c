//! A batch as the user passes it.

use crate::classes::Labels;
use crate::error::Result;
use crate::params::ClassWeight;
use std::borrow::Cow;

/// The targets of a batch as the user passes them.
#[derive(Debug, Clone, Copy)]
pub enum RawTargets<'a> {
    /// Class labels.
    Labels {
        /// The label of each row.
        y: &'a Labels,
        /// All classes, if this is the first batch; without them the class set is open.
        classes: Option<&'a Labels>,
    },
    /// Numbers, for regression.
    Values(&'a [f64]),
}

/// The targets, weights and order of the rows of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The target of each row.
    pub targets: RawTargets<'a>,
    /// The weight of each row; without them 1.
    pub weights: Option<&'a [f64]>,
    /// The order in which rows are learned, as row numbers; without it their order in the batch.
    pub order: Option<&'a [usize]>,
    /// Whether the rows were learned before; see [`LearnSession::repeated`](crate::learner::LearnSession::repeated).
    pub repeated: bool,
    /// Whether columns that the model does not have become features, which are zero in the rows learned so far.
    pub add_features: bool,
}

impl<'a> Batch<'a> {
    /// A batch of class labels, with an open class set.
    #[must_use]
    pub fn labels(y: &'a Labels) -> Self {
        Self::of(RawTargets::Labels { y, classes: None })
    }

    /// A batch of numbers.
    #[must_use]
    pub fn values(y: &'a [f64]) -> Self {
        Self::of(RawTargets::Values(y))
    }

    /// The weight of each row, times the weight of its label if labels have weights.
    ///
    /// # Errors
    /// If a product is more than 1e9.
    pub fn row_weights(&self, class_weight: &ClassWeight) -> Result<Option<Cow<'a, [f64]>>> {
        match (class_weight, self.targets) {
            (ClassWeight::ByLabel(by_label), RawTargets::Labels { y, .. }) => {
                by_label.row_weights(y, self.weights).map(|weights| Some(Cow::Owned(weights)))
            }
            (ClassWeight::None | ClassWeight::Balanced | ClassWeight::ByLabel(_), _) => {
                Ok(self.weights.map(Cow::Borrowed))
            }
        }
    }

    fn of(targets: RawTargets<'a>) -> Self {
        Self { targets, weights: None, order: None, repeated: false, add_features: false }
    }
}
