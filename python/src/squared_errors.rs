//! Squared errors of a regression, and whether the previous target predicts much better than the model.

use budgetrs::learner::{Baselines, Counts};

/// The number of first rows that are not compared, since their errors can be huge.
pub(crate) const MIN_ROWS: usize = 500;
/// The smallest ratio of the root mean squared errors of the model and of the previous target.
const MIN_RATIO: f64 = 2.0;

/// The sums of the squared errors of the rows learned so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SquaredErrors {
    rows: u64,
    model: f64,
    previous_target: f64,
    mean_target: f64,
}

impl SquaredErrors {
    pub(crate) fn new(counts: Counts, baselines: &Baselines) -> Self {
        Self {
            rows: counts.n_new,
            model: counts.squared_error,
            previous_target: baselines.no_change,
            mean_target: baselines.constant,
        }
    }

    fn has_enough_rows(&self) -> bool {
        self.rows >= MIN_ROWS as u64
    }

    /// Compares the errors since `begin`: the number of rows, and the root mean squared errors of the model and of the
    /// previous target, if the previous target predicts much better than the model and the mean target.
    ///
    /// The comparison begins after [`MIN_ROWS`] rows or more, and again whenever the number of rows has doubled. If they
    /// came in one batch, it begins in its `middle`.
    pub(crate) fn compare(self, begin: &mut Self, middle: Option<Self>) -> Option<(u64, f64, f64)> {
        if !self.has_enough_rows() {
            return None;
        }
        if begin.rows == 0 {
            *begin = middle.filter(Self::has_enough_rows).unwrap_or(self);
        }
        if self.rows < 2 * begin.rows {
            return None;
        }
        let rows = self.rows - begin.rows;
        let rmse = |error: fn(&Self) -> f64| ((error(&self) - error(begin)) / rows as f64).sqrt();
        let (model, previous) = (rmse(|sums| sums.model), rmse(|sums| sums.previous_target));
        let mean = rmse(|sums| sums.mean_target);
        *begin = self;
        // In random order the mean target predicts better than the previous target.
        let is_better_than = |other: f64| MIN_RATIO * previous < other;
        (is_better_than(model) && is_better_than(mean)).then_some((rows, model, previous))
    }
}
