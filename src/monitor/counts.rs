//! Counters of learned rows, prediction errors and budget maintenance.

use crate::batch::Label;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::losses::is_misclassified;
use crate::persist::Tensors;

/// Counters of learned rows, prediction errors and budget maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Rows learned; rows of weight 0 are not counted.
    pub n_seen: u64,
    /// Rows learned for the first time, whose prediction errors are counted.
    pub n_new: u64,
    /// Rows that were inserted as support vectors, or absorbed into the coefficients of support vectors.
    pub updates: u64,
    /// Rows predicted wrongly before they were learned for the first time; 0 in regression.
    pub mistakes: u64,
    /// Rows whose label can change the model. With the ramp loss, rows for which
    /// [`Learner::needs_label`](crate::Learner::needs_label) was true when they were learned; else all rows.
    pub queries: u64,
    /// The sum of `|y - f|`, each before the row was learned for the first time; 0 in classification.
    pub absolute_error: f64,
    /// The sum of `(y - f)^2`, each before the row was learned for the first time; 0 in classification.
    pub squared_error: f64,
    /// Steps of budget maintenance.
    pub maintenances: u64,
    /// The sum of the gradient errors `|Delta w| / eta_t` of all maintenance steps.
    pub gradient_error: f64,
}

impl Counts {
    /// Counts a row that was learned before, without its prediction error.
    #[inline(always)]
    pub(super) fn observe_repeated(&mut self) {
        self.n_seen += 1;
    }

    /// Counts a row and its prediction error.
    #[inline(always)]
    pub(super) fn observe<T: Real>(&mut self, label: Label, f: &[T], scale: f64) {
        self.n_seen += 1;
        self.n_new += 1;
        match label {
            Label::Value(y) => {
                let error = (y - f[0].to_f64() * scale).abs();
                // A NaN score counts as an infinite error.
                let error = if error.is_nan() { f64::INFINITY } else { error };
                self.absolute_error += error;
                self.squared_error += error * error;
            }
            label => {
                self.mistakes += u64::from(label.class().is_some_and(|class| is_misclassified(f, class)));
            }
        }
    }

    /// Counts a maintenance step that changed the unscaled model by `|Delta|^2 = sq_change`; None is no step.
    #[inline(always)]
    pub(crate) fn maintained(&mut self, inv_step_size: f64, sq_change: Option<f64>) {
        if let Some(sq_change) = sq_change {
            self.maintenances += 1;
            // A diverging model can be saved, so the sum must stay finite.
            self.gradient_error =
                (self.gradient_error + inv_step_size * sq_change.max(0.0).sqrt()).min(f64::MAX);
        }
    }

    /// Writes all counters.
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("seen", self.n_seen);
        out.set("new", self.n_new);
        out.set("updates", self.updates);
        out.set("mistakes", self.mistakes);
        out.set("maintenances", self.maintenances);
        out.set("queries", self.queries);
        out.set("absolute_error", self.absolute_error);
        out.set("squared_error", self.squared_error);
        out.set("gradient_error", self.gradient_error);
    }

    /// Reads the counters and checks that they are consistent.
    pub(crate) fn load(from: &Tensors) -> Result<Self> {
        let counts = Self {
            n_seen: from.count("seen")?,
            n_new: from.count("new")?,
            updates: from.count("updates")?,
            mistakes: from.count("mistakes")?,
            maintenances: from.count("maintenances")?,
            queries: from.count("queries")?,
            absolute_error: from.f64("absolute_error")?,
            squared_error: from.f64("squared_error")?,
            gradient_error: from.finite("gradient_error")?,
        };
        // Combined models may remove more support vectors than they inserted themselves.
        let Self { n_seen, n_new, updates, mistakes, queries, .. } = counts;
        let consistent = [n_new, updates, queries].iter().all(|count| *count <= n_seen) && mistakes <= n_new;
        let errors = [counts.gradient_error, counts.absolute_error, counts.squared_error];
        if !consistent || !errors.iter().all(|error| *error >= 0.0) {
            return Err(Error::Model("the counts do not fit together".into()));
        }
        Ok(counts)
    }
}
