//! The errors of two predictions that need no model, for comparison with the progressive error.

use crate::added_outputs::AddedOutputs;
use crate::batch::{Label, MAX_TARGET, Task};
use crate::component::Component;
use crate::error::{Result, check_model};
use crate::float::Real;
use crate::persist::Tensors;

/// The sums of the errors of two baselines over the rows that [`Counts::n_new`](super::Counts::n_new) counts: mistakes
/// in classification, squared errors in regression. The very first row counts as no error.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// The errors of the label or target of the previous row.
    pub no_change: f64,
    /// The errors of the most frequent class so far, of several the class that reached its count first; in
    /// regression of the mean of the targets so far.
    pub constant: f64,
    past: Past,
}

/// The labels of the rows before.
#[derive(Debug, Clone, PartialEq)]
enum Past {
    Classes {
        /// The number of rows of each class.
        counts: Vec<u64>,
        most_frequent: usize,
        previous: usize,
    },
    Values {
        sum: f64,
        previous: f64,
    },
}

impl Baselines {
    /// The baselines before the first row.
    pub(crate) fn new(task: Task) -> Self {
        let past = match task {
            Task::Classes(classes) => {
                Past::Classes { counts: vec![0; classes], most_frequent: 0, previous: 0 }
            }
            Task::Regression => Past::Values { sum: 0.0, previous: 0.0 },
        };
        Self { no_change: 0.0, constant: 0.0, past }
    }

    /// Adds the errors for a row that is learned for the first time, after `rows` such rows.
    #[inline(always)]
    pub(crate) fn observe(&mut self, label: Label, rows: u64) {
        let (no_change, constant) = match (&mut self.past, label.class(), label) {
            (Past::Classes { counts, most_frequent, previous }, Some(class), _) => {
                let errors = (f64::from(*previous != class), f64::from(*most_frequent != class));
                counts[class] += 1;
                if counts[class] > counts[*most_frequent] {
                    *most_frequent = class;
                }
                *previous = class;
                errors
            }
            (Past::Values { sum, previous }, _, Label::Value(y)) => {
                let errors = (y - *previous, y - *sum / rows as f64);
                *sum += y;
                *previous = y;
                (errors.0 * errors.0, errors.1 * errors.1)
            }
            _ => return,
        };
        if rows > 0 {
            self.no_change += no_change;
            self.constant += constant;
        }
    }

    /// The number of rows whose label differs from the label before, and the mean of this number over all orders of the
    /// rows: `n (1 - sum_k (c_k / n)^2)` for n rows, `c_k` of them of class k. None in regression, and before the first
    /// row.
    #[must_use]
    pub fn label_changes(&self) -> Option<(f64, f64)> {
        let Past::Classes { counts, .. } = &self.past else { return None };
        let rows = counts.iter().sum::<u64>() as f64;
        let squares: f64 = counts.iter().map(|count| (*count as f64 / rows).powi(2)).sum();
        (rows > 0.0).then_some((self.no_change, rows * (1.0 - squares)))
    }

    /// Writes all state.
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("no_change", self.no_change);
        out.set("constant", self.constant);
        match &self.past {
            Past::Classes { counts, most_frequent, previous } => {
                out.put("counts", &[counts.len()], counts.iter().map(|count| *count as f64));
                out.set("most_frequent", *most_frequent);
                out.set("previous", *previous);
            }
            Past::Values { sum, previous } => {
                out.set("sum", *sum);
                out.set("previous", *previous);
            }
        }
    }

    /// Replaces saved baselines by the baselines after `rows` rows of the first class.
    #[cfg(test)]
    pub(crate) fn set_rows(saved: &mut Tensors, rows: u64) {
        if let Ok([classes]) = saved.shape("counts") {
            let mut counts = vec![0.0; classes];
            counts[0] = rows as f64;
            saved.replace("counts", &[classes], counts);
            saved.reset("most_frequent", 0u64);
            saved.reset("previous", 0u64);
        }
    }

    /// Reads the state after `rows` rows that were new, and checks that it is consistent.
    pub(crate) fn load(&mut self, from: &Tensors, rows: u64) -> Result<()> {
        (self.no_change, self.constant) = (from.finite("no_change")?, from.finite("constant")?);
        let is_consistent = match &mut self.past {
            Past::Classes { counts, most_frequent, previous } => {
                let saved: Vec<f64> = from.get("counts", &[counts.len()])?;
                let are_counts = saved.iter().all(|count| is_count(*count, rows));
                *counts = saved.iter().map(|count| *count as u64).collect();
                (*most_frequent, *previous) = (from.usize("most_frequent")?, from.usize("previous")?);
                let largest = counts.iter().copied().max().unwrap_or(0);
                let is_seen = |class: usize| counts.get(class).is_some_and(|count| *count > 0 || rows == 0);
                are_counts
                    && counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count)) == Some(rows)
                    && counts.get(*most_frequent) == Some(&largest)
                    && is_seen(*previous)
                    && [self.no_change, self.constant].iter().all(|errors| is_count(*errors, rows))
            }
            Past::Values { sum, previous } => {
                (*sum, *previous) = (from.finite("sum")?, from.finite("previous")?);
                let largest = rows.min(1) as f64 * MAX_TARGET;
                previous.abs() <= largest
                    // The sum of so many targets is rounded.
                    && sum.abs() <= 2.0 * rows as f64 * MAX_TARGET
                    && [self.no_change, self.constant].iter().all(|errors| *errors >= 0.0)
            }
        };
        check_model(is_consistent, "the baselines do not fit the rows learned")
    }
}

/// Whether a saved number is a count of some of `rows` rows.
fn is_count(number: f64, rows: u64) -> bool {
    number.fract() == 0.0 && (0.0..=rows as f64).contains(&number)
}

impl<T: Real> Component<T> for Baselines {
    fn add_outputs(&mut self, _: AddedOutputs, task: Task) {
        if let Past::Classes { counts, .. } = &mut self.past {
            counts.resize(task.classes(), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const ROWS: usize = 200;

    fn saved(baselines: &Baselines) -> Tensors {
        let mut out = Tensors::new();
        baselines.save(&mut out);
        out
    }

    fn loaded(task: Task, from: &Tensors, rows: u64) -> Result<Baselines> {
        let mut baselines = Baselines::new(task);
        baselines.load(from, rows).map(|()| baselines)
    }

    fn label(task: Task, rng: &mut Rng) -> Label {
        match task {
            Task::Classes(classes) => Label::of_class(rng.index(classes), classes),
            Task::Regression => Label::Value(rng.uniform() - 0.3),
        }
    }

    fn labels(task: Task) -> Vec<Label> {
        let mut rng = Rng::new(3);
        (0..ROWS).map(|_| label(task, &mut rng)).collect()
    }

    fn observed(task: Task, labels: &[Label]) -> Baselines {
        let mut baselines = Baselines::new(task);
        labels.iter().zip(0..).for_each(|(label, rows)| baselines.observe(*label, rows));
        baselines
    }

    /// Of several most frequent classes, the class whose last row is the earliest has reached the count first.
    #[test]
    fn classes_equal_a_search_through_all_rows_before() {
        for task in [Task::Classes(2), Task::Classes(4)] {
            let labels = labels(task);
            let (mut no_change, mut constant) = (0.0, 0.0);
            for row in 1..ROWS {
                let past: Vec<usize> = labels[..row].iter().filter_map(|label| label.class()).collect();
                let count = |class: usize| past.iter().filter(|other| **other == class).count();
                let last = |class: usize| past.iter().rposition(|other| *other == class);
                let all = (0..task.classes()).filter(|class| count(*class) > 0);
                let best = all.max_by_key(|class| (count(*class), std::cmp::Reverse(last(*class))));
                no_change += f64::from(past.last().copied() != labels[row].class());
                constant += f64::from(best != labels[row].class());
            }
            let found = observed(task, &labels);
            assert_eq!((found.no_change, found.constant), (no_change, constant));
        }
    }

    #[test]
    fn label_changes_by_hand() {
        let labels = |classes: [usize; 4]| classes.map(|class| Label::of_class(class, 2));
        assert_eq!(observed(2.into(), &labels([0, 0, 0, 1])).label_changes(), Some((1.0, 1.5)));
        assert_eq!(observed(2.into(), &labels([0, 1, 0, 1])).label_changes(), Some((3.0, 2.0)));
        assert_eq!(observed(2.into(), &[]).label_changes(), None);
        assert_eq!(observed(Task::Regression, &[Label::Value(1.0)]).label_changes(), None);
    }

    #[test]
    fn units_of_the_target_that_are_powers_of_two_change_no_digit() {
        let labels = labels(Task::Regression);
        let own = observed(Task::Regression, &labels);
        for exponent in [-200, -1, 1, 40] {
            let unit = f64::powi(2.0, exponent);
            let scaled: Vec<Label> = labels
                .iter()
                .map(|label| if let Label::Value(y) = label { Label::Value(y * unit) } else { *label })
                .collect();
            let found = observed(Task::Regression, &scaled);
            assert_eq!(found.no_change, own.no_change * unit * unit);
            assert_eq!(found.constant, own.constant * unit * unit);
        }
    }

    /// Classes that appear later continue the counts, and a saved state continues as the state itself.
    #[test]
    fn a_loaded_state_with_new_classes_continues() {
        let (two, four) = (Task::Classes(2), Task::Classes(4));
        let mut first = observed(two, &labels(two));
        let mut second = loaded(two, &saved(&first), ROWS as u64).unwrap();
        for baselines in [&mut first, &mut second] {
            Component::<f64>::add_outputs(baselines, AddedOutputs::new(two, four), four);
            labels(four).iter().zip(ROWS as u64..).for_each(|(label, rows)| baselines.observe(*label, rows));
        }
        assert_eq!(first, second);
        assert_eq!(saved(&loaded(four, &saved(&first), 2 * ROWS as u64).unwrap()), saved(&first));
    }

    /// A damaged file raises an error, or the loaded state can continue.
    #[test]
    fn damage_raises_or_is_harmless() {
        let mut rng = Rng::new(7);
        for task in [Task::Classes(2), Task::Classes(4), Task::Regression] {
            let good = saved(&observed(task, &labels(task)));
            let rows = ROWS as u64;
            assert!(loaded(task, &good, rows + 1).is_err() || task == Task::Regression);
            for _ in 0..2000 {
                let mut damaged = good.clone();
                damaged.damage(&mut rng);
                let Ok(mut baselines) = loaded(task, &damaged, rows) else { continue };
                (rows..rows + 20).for_each(|rows| baselines.observe(label(task, &mut rng), rows));
                assert!(baselines.no_change >= 0.0 && baselines.constant >= 0.0);
                assert!(loaded(task, &saved(&baselines), rows + 20).is_ok());
            }
        }
    }
}
