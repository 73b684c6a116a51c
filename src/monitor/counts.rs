//! Counters of learned rows, prediction errors and budget maintenance.

use crate::batch::{Label, Task};
use crate::constants::running_weight;
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
    /// The recent error: 0 or 1 for each mistake in classification, `|y - f|` in regression, each before the row was
    /// learned for the first time. It is the mean over the first 1,000 rows; then each row has a weight of 1/1,000.
    pub recent_error: f64,
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

    /// Counts a row and its prediction error; `factor` times `f` are the scores.
    #[inline(always)]
    pub(super) fn observe<T: Real>(&mut self, label: Label, f: &[T], factor: f64) {
        self.n_seen += 1;
        self.n_new += 1;
        let error = match label {
            Label::Value(y) => {
                let error = (y - f[0].to_f64() * factor).abs();
                // A NaN score counts as an infinite error.
                let error = if error.is_nan() { f64::INFINITY } else { error };
                self.absolute_error += error;
                self.squared_error += error * error;
                error
            }
            label => {
                let is_mistake = label.class().is_some_and(|class| is_misclassified(f, class));
                self.mistakes += u64::from(is_mistake);
                f64::from(is_mistake)
            }
        };
        self.observe_recent(error);
    }

    /// Adds the error of the row that was counted last.
    #[inline(always)]
    fn observe_recent(&mut self, error: f64) {
        // A diverging model can be saved, so the mean must stay finite.
        let error = error.min(f64::MAX);
        self.recent_error += (error - self.recent_error) * running_weight(self.n_new);
    }

    /// Counts no mistakes in the rows since `before`.
    pub(crate) fn undo_mistakes(&mut self, before: &Self) {
        (self.mistakes, self.recent_error) = (before.mistakes, before.recent_error);
    }

    /// Counts whether the only row since `before`, which was learned for the first time, is a mistake.
    pub(crate) fn recount_mistake(&mut self, before: &Self, is_mistake: bool) {
        self.undo_mistakes(before);
        self.mistakes += u64::from(is_mistake);
        self.observe_recent(f64::from(is_mistake));
    }

    /// Counts a maintenance step that changed the unscaled model by `|Delta|^2 = sq_change`; None: no step.
    #[inline(always)]
    pub(crate) fn maintained(&mut self, error_factor: f64, sq_change: Option<f64>) {
        if let Some(sq_change) = sq_change {
            self.maintenances += 1;
            // A diverging model can be saved, so the sum must stay finite.
            self.gradient_error =
                (self.gradient_error + error_factor * sq_change.max(0.0).sqrt()).min(f64::MAX);
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
        out.set("recent_error", self.recent_error);
        out.set("gradient_error", self.gradient_error);
    }

    /// Reads the counters and checks that they are consistent.
    pub(crate) fn load(from: &Tensors, task: Task) -> Result<Self> {
        let counts = Self {
            n_seen: from.count("seen")?,
            n_new: from.count("new")?,
            updates: from.count("updates")?,
            mistakes: from.count("mistakes")?,
            maintenances: from.count("maintenances")?,
            queries: from.count("queries")?,
            absolute_error: from.f64("absolute_error")?,
            squared_error: from.f64("squared_error")?,
            recent_error: from.finite("recent_error")?,
            gradient_error: from.finite("gradient_error")?,
        };
        // Combined models may remove more support vectors than they inserted themselves.
        let Self { n_seen, n_new, updates, mistakes, queries, .. } = counts;
        let consistent = [n_new, updates, queries].iter().all(|count| *count <= n_seen) && mistakes <= n_new;
        let errors = [counts.gradient_error, counts.absolute_error, counts.squared_error];
        let largest_error = if task == Task::Regression { f64::MAX } else { 1.0 };
        if !consistent
            || !errors.iter().all(|error| *error >= 0.0)
            || !(0.0..=largest_error).contains(&counts.recent_error)
        {
            return Err(Error::Model("the counts do not fit together".into()));
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved_and_loaded(counts: &Counts, task: Task) -> Result<Counts> {
        let mut out = Tensors::new();
        counts.save(&mut out);
        Counts::load(&out, task)
    }

    #[test]
    fn the_recent_error_of_a_diverging_model_stays_finite() {
        let mut counts = Counts::default();
        for f in [f64::NAN, f64::MAX, 1.0, f64::INFINITY, -f64::MAX] {
            counts.observe(Label::Value(0.0), &[f], 1.0);
            assert!((1.0..=f64::MAX).contains(&counts.recent_error), "{}", counts.recent_error);
            assert_eq!(saved_and_loaded(&counts, Task::Regression).unwrap(), counts);
        }
        assert_eq!(counts.absolute_error, f64::INFINITY);
    }

    #[test]
    fn an_error_rate_above_1_is_invalid() {
        let counts = Counts { recent_error: 1.5, ..Counts::default() };
        assert!(saved_and_loaded(&counts, Task::Regression).is_ok());
        assert!(saved_and_loaded(&counts, Task::Classes(2)).is_err());
        for recent_error in [-0.5, f64::NAN, f64::INFINITY] {
            let counts = Counts { recent_error, ..counts };
            assert!(saved_and_loaded(&counts, Task::Regression).is_err());
        }
    }
}
