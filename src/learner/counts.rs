//! What a model has seen: counters of progressive validation and of maintenance.

use crate::float::Real;
use crate::label::Label;
use crate::losses::is_misclassified;

/// What a model has seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Rows learned; rows of weight 0 are not counted.
    pub n_seen: u64,
    /// Rows that changed the model.
    pub updates: u64,
    /// Rows predicted wrongly before they were learned; 0 in regression.
    pub mistakes: u64,
    /// Rows whose label could matter: with the ramp loss those of which
    /// [`Learner::needs_label`](super::Learner::needs_label) was true when they were learned, else all.
    pub queries: u64,
    /// The sum of `|y - f|` before each row was learned; 0 in classification.
    pub absolute_error: f64,
    /// The sum of `(y - f)^2` before each row was learned; 0 in classification.
    pub squared_error: f64,
    /// Times the budget was restored.
    pub maintenances: u64,
    /// The sum of the gradient errors `|Delta w| / eta_t` of all maintenance.
    pub gradient_error: f64,
}

impl Counts {
    /// Counts a row and what was predicted for it: progressive validation.
    #[inline(always)]
    pub(super) fn observe<T: Real>(&mut self, label: Label, f: &[T], scale: f64) {
        self.n_seen += 1;
        match label {
            Label::Value(y) => {
                let error = (y - f[0].to_f64() * scale).abs();
                // That of a score that is no number is as large as can be.
                let error = if error.is_nan() { f64::INFINITY } else { error };
                self.absolute_error += error;
                self.squared_error += error * error;
            }
            label => {
                self.mistakes += u64::from(label.class().is_some_and(|class| is_misclassified(f, class)))
            }
        }
    }

    /// Counts a budget maintenance that changed the unscaled model by `|Delta|^2 = lost`, if there was one.
    #[inline(always)]
    pub(super) fn maintained(&mut self, unit: f64, lost: Option<f64>) {
        if let Some(lost) = lost {
            self.maintenances += 1;
            // A model that diverges must still be one that can be saved.
            self.gradient_error = (self.gradient_error + unit * lost.max(0.0).sqrt()).min(f64::MAX);
        }
    }
}
