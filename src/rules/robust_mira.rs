//! The classification rule of `online-kernel`: MIRA with a falling cap, which skips probable label noise.

use super::{Mira, RelativeWeight, RowShare, UpdateRule};
use crate::batch::{Example, Task};
use crate::constants::running_weight;
use crate::count::{MAX_COUNT, saturating_inc};
use crate::error::{Result, check_model};
use crate::expansion::Scored;
use crate::float::Real;
use crate::losses::margin;
use crate::persist::{Persist, Tensors};

/// The weight of the newest row in the running error rate of its class. With less, a model without drift
/// detection would take the rows after a change for noise for too long.
const SMOOTHING: f64 = 0.01;

/// If the recent error rate of its class is below this, a confidently wrong row is treated as label noise.
const MAX_ERROR_RATE: f64 = 0.5;

/// After a drift, mistakes are no sign of noise until the effective number of rows reaches this.
const DRIFT_ROWS: f64 = 5000.0;

/// A row is learned only if its margin is below this share of the margin that its step aims at: with two classes, and
/// with more. With many classes, rows just inside the margin cost as much as others and teach nothing; with two,
/// skipping them would spoil the ranking of a rare class by its scores.
const LEARN_BELOW: [f64; 2] = [1.0, 0.8];

/// The largest margin that a step aims at, whatever the weight of the row.
const MAX_MARGIN: f64 = 3.0;

/// A mistake with a margin below minus this is confident.
const CONFIDENT: f64 = 0.5;
/// The share of confident mistakes, relative to the error rate of guessing, above which the noise rises from 0. At twice
/// this share it is 1.
const NOISE: f64 = 0.05;
/// The cap on noisy rows.
const NOISY_CAP: f64 = 0.5;
/// The factor of the cap for rows that were learned before.
const REPEATED_FACTOR: f64 = 0.5;

/// [`Mira`] with margin 1 (PA-I for two classes) and the cap `min(C0 / sqrt(n), 0.5 / u)` with the effective number of
/// rows n. The noise u rises from 0 to 1 while the share of confident mistakes, relative to the error rate of guessing,
/// rises from 0.05 to 0.1: where classes overlap, long steps towards single rows are steps towards noise. A row that was
/// learned before has half the cap.
///
/// A row with a margin below `-noise_margin` is skipped while the recent error rate of its class is below 0.5: the label
/// is more likely wrong than the model.
///
/// After a drift, mistakes may be due to it: u is 0 and no row is skipped while the effective number of rows is below
/// 5,000. The error rate of the class alone would not show a drift of a part of the class, which would never be learned.
///
/// A row whose weight is q times the mean acts as about q rows spread over the stream ([`RowShare`]): if q < 1
/// it takes a part of the step, if q > 1 it is learned up to a larger margin, and the cap is multiplied by q. The cap
/// alone would have no effect: during the first few thousand rows `C0 / sqrt(n)` is too large to bind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RobustMira {
    /// The cap at the first row.
    c0: f64,
    /// Whether the cap falls with the effective number of rows.
    decay: bool,
    /// Rows with a margin below minus this may be skipped. `None` skips none, and noise does not lower the cap.
    noise_margin: Option<f64>,
    /// The running error rate of each class.
    class_error_rates: Vec<f64>,
    /// The number of rows of each class, each counted when it was new.
    class_counts: Vec<u64>,
    /// The largest number of rows of a class, and the number of all rows.
    largest_count: u64,
    total_count: u64,
    /// The running share of confident mistakes among these rows.
    confident_mistakes: f64,
    weights: RelativeWeight,
    /// The rule of the steps, with the margin and the cap of the present row.
    mira: Mira,
}

/// Whether the model may still be learning what a drift has changed. With `forget = rows` below [`DRIFT_ROWS`], it always
/// may after that many rows.
#[inline(always)]
fn follows_drift(example: &Example) -> bool {
    example.effective_n < DRIFT_ROWS.min(example.t as f64)
}

impl RobustMira {
    pub(crate) fn new(c0: f64, decay: bool, noise_margin: Option<f64>, task: Task) -> Self {
        let classes = task.classes();
        let (class_error_rates, class_counts) = (vec![1.0; classes], vec![0; classes]);
        Self {
            c0,
            decay,
            noise_margin,
            class_error_rates,
            class_counts,
            largest_count: 0,
            total_count: 0,
            confident_mistakes: 0.0,
            weights: RelativeWeight::default(),
            mira: Mira::new(1.0, c0),
        }
    }

    /// Counts a row of a class and its margin, and updates the error rate of the class.
    #[inline(always)]
    fn observe(&mut self, class: usize, margin: f64, repeated: bool) {
        let wrong = f64::from(u8::from(margin <= 0.0));
        let class_rate = &mut self.class_error_rates[class];
        *class_rate += (wrong - *class_rate) * SMOOTHING;
        if !repeated {
            saturating_inc(&mut self.class_counts[class]);
            saturating_inc(&mut self.total_count);
            self.largest_count = self.largest_count.max(self.class_counts[class]);
            let confident = f64::from(u8::from(margin < -CONFIDENT));
            self.confident_mistakes +=
                (confident - self.confident_mistakes) * running_weight(self.total_count);
        }
    }

    /// The share of the rows of all classes except the largest: the error rate of always predicting the largest.
    #[inline(always)]
    fn guessing_error(&self) -> f64 {
        1.0 - self.largest_count as f64 / self.total_count.max(1) as f64
    }

    /// The cap of the step on a row of weight 1.
    #[inline(always)]
    fn cap(&self, example: &Example) -> f64 {
        let cap = if self.decay { self.c0 / example.effective_n.max(1.0).sqrt() } else { self.c0 };
        let usual_mistakes = NOISE * self.guessing_error();
        let excess = self.confident_mistakes - usual_mistakes;
        let follows_noise = self.noise_margin.is_some() && !follows_drift(example);
        let cap = if follows_noise && excess > 0.0 {
            let noise = (excess / usual_mistakes).min(1.0);
            cap.min(NOISY_CAP / noise)
        } else {
            cap
        };
        if example.repeated { REPEATED_FACTOR * cap } else { cap }
    }

    /// Whether a row of the class with this margin is skipped as probable label noise.
    #[inline(always)]
    fn is_probable_label_noise(&self, class: usize, margin: f64, example: &Example) -> bool {
        self.noise_margin.is_some_and(|noise_margin| margin < -noise_margin)
            && !follows_drift(example)
            && self.class_error_rates[class] < MAX_ERROR_RATE
    }
}

impl UpdateRule for RobustMira {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        let Scored { example, f, k_tt, .. } = scored;
        let (margin, _) = margin(example.label, f);
        let (q, margin) = (self.weights.observe(example.weight), margin.to_f64());
        if let Some(class) = example.label.class() {
            self.observe(class, margin, example.repeated);
            if self.is_probable_label_noise(class, margin, example) {
                return false;
            }
        }
        let (beta, k_tt) = if q == 1.0 {
            (1.0, *k_tt)
        } else {
            let share = RowShare::new(q);
            // A row that acts as q > 1 rows is learned up to the margin q. A larger `k_tt` shortens the step.
            (share.rows.min(MAX_MARGIN), T::from_f64(k_tt.to_f64() / share.step))
        };
        if margin >= LEARN_BELOW[usize::from(f.len() > 1)] * beta {
            return false;
        }
        (self.mira.beta, self.mira.c) = (beta, self.cap(example));
        self.mira.step(scored, q, k_tt.to_f64(), alpha)
    }
}

impl RobustMira {
    pub(super) fn add_classes(&mut self, classes: usize) {
        self.class_error_rates.resize(classes, 1.0);
        self.class_counts.resize(classes, 0);
    }
}

impl Persist for RobustMira {
    fn save(&self, out: &mut Tensors) {
        out.put("class_error_rates", &[self.class_error_rates.len()], self.class_error_rates.iter().copied());
        let counts = self.class_counts.iter().map(|count| *count as f64);
        out.put("class_counts", &[self.class_counts.len()], counts);
        out.set("confident_mistakes", self.confident_mistakes);
        self.weights.save(out);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.class_error_rates = from.get("class_error_rates", &[self.class_error_rates.len()])?;
        let counts: Vec<f64> = from.get("class_counts", &[self.class_counts.len()])?;
        self.weights.load(from)?;
        self.confident_mistakes = from.finite("confident_mistakes")?;
        self.class_counts = counts.iter().map(|count| *count as u64).collect();
        self.largest_count = self.class_counts.iter().copied().max().unwrap_or(0);
        self.total_count =
            self.class_counts.iter().fold(0, |sum: u64, n| sum.saturating_add(*n).min(MAX_COUNT));
        let are_counts = counts.iter().all(|n| n.fract() == 0.0 && (0.0..=MAX_COUNT as f64).contains(n));
        let mut all = self.class_error_rates.iter().chain([&self.confident_mistakes]);
        check_model(
            are_counts && all.all(|rate| (0.0..=1.0).contains(rate)),
            "the error rates or the rows per class are out of range",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Label;
    use crate::rules::tests;

    fn example(label: Label, t: u64) -> Example {
        Example::new(label, t, 1.0)
    }

    fn learn(rule: &mut RobustMira, example: Example, f: &[f64], alpha: &mut [f64]) -> bool {
        tests::learn(rule, example, 1.0, f, alpha)
    }

    #[test]
    fn the_cap_falls_with_the_square_root_of_rows() {
        for (decay, expected) in [(true, 0.2), (false, 0.6)] {
            let mut rule = RobustMira::new(0.6, decay, None, Task::Classes(2));
            let mut alpha = [0.0];
            assert!(learn(&mut rule, example(Label::Sign(-1.0), 9), &[0.5], &mut alpha));
            assert!((alpha[0] + expected).abs() < 1e-15, "{alpha:?}");
        }
    }

    #[test]
    fn rows_just_inside_the_margin_are_learned_with_two_classes_only() {
        for (margin, learned) in [(0.79, true), (0.81, false)] {
            let mut rule = RobustMira::new(60.0, true, None, Task::Classes(3));
            let mut alpha = [0.0; 3];
            let f = [margin, 0.0, -1.0];
            assert_eq!(learn(&mut rule, example(Label::Class(0), 1), &f, &mut alpha), learned);
            // The step aims at a margin of 1.
            assert!(!learned || (alpha[0] - alpha[1] - (1.0 - margin)).abs() < 1e-12, "{alpha:?}");
            let mut rule = RobustMira::new(60.0, true, None, Task::Classes(2));
            assert!(learn(&mut rule, example(Label::Sign(1.0), 1), &[margin], &mut [0.0]));
        }
    }

    #[test]
    fn confident_mistakes_lower_the_cap() {
        let mut rule = RobustMira::new(60.0, true, Some(1.25), Task::Classes(2));
        for t in 0..1000 {
            let y = if t % 2 == 0 { 1.0 } else { -1.0 };
            let f = if t % 20 == 0 { -0.6 } else { 2.0 } * y;
            learn(&mut rule, example(Label::Sign(y), 9), &[f], &mut [0.0]);
        }
        // 5% are confident mistakes; guessing is wrong on 50%.
        assert!((rule.confident_mistakes - 0.05).abs() < 1e-12);
        let new = example(Label::Sign(1.0), 9);
        let repeated = Example { repeated: true, ..new };
        assert!(
            (rule.cap(&new) - NOISY_CAP).abs() < 1e-9 && (rule.cap(&repeated) - NOISY_CAP / 2.0).abs() < 1e-9
        );
        assert_eq!(rule.cap(&Example { effective_n: 4.0, ..new }), 30.0, "mistakes after drift are no noise");
        rule.confident_mistakes = 0.035;
        assert!((rule.cap(&new) - NOISY_CAP / 0.4).abs() < 1e-9);
        rule.confident_mistakes = 0.025;
        assert_eq!(rule.cap(&new), 20.0);
        learn(&mut rule, repeated, &[-3.0], &mut [0.0]);
        assert_eq!(rule.confident_mistakes, 0.025, "only new rows tell about noise");
    }

    #[test]
    fn an_accurate_model_skips_label_noise() {
        let mut rule = RobustMira::new(60.0, true, Some(1.25), Task::Classes(2));
        let mut alpha = [0.0];
        let learn_noise = |rule: &mut RobustMira, alpha: &mut [f64]| {
            learn(rule, example(Label::Sign(1.0), 5), &[-1.3], alpha)
        };
        assert!(learn_noise(&mut rule, &mut alpha), "a new model learns every row");
        for t in 0..5000 {
            let y = if t % 2 == 0 { 1.0 } else { -1.0 };
            assert!(
                !learn(&mut rule, example(Label::Sign(y), 5), &[2.0 * y], &mut alpha),
                "a margin of 2 needs no update"
            );
        }
        assert!(!learn_noise(&mut rule, &mut alpha));
        assert!(
            learn(&mut rule, example(Label::Sign(1.0), 5), &[-1.25], &mut alpha),
            "a margin of exactly -noise_margin is learned"
        );
        // `1 - 0.99^69` is more than 0.5, and two mistakes were counted before: the class is learned again.
        let learned = (0..300)
            .position(|_| learn_noise(&mut rule, &mut alpha))
            .expect("the class must be learned again");
        assert_eq!(learned, 69 - 2 - 1);
        let mut never = RobustMira::new(60.0, true, None, Task::Classes(2));
        never.class_error_rates = vec![0.0; 2];
        assert!(learn_noise(&mut never, &mut alpha));
    }

    #[test]
    fn rows_are_skipped_only_if_their_class_is_known_and_a_drift_is_long_ago() {
        let mut rule = RobustMira::new(60.0, true, Some(1.25), Task::Classes(2));
        let new = example(Label::Sign(1.0), 9000);
        for (rate, effective_n, is_noise) in
            [(0.49, 9000.0, true), (0.51, 9000.0, false), (0.49, 4999.0, false), (0.49, 5000.0, true)]
        {
            rule.class_error_rates[1] = rate;
            let example = Example { effective_n, ..new };
            assert_eq!(rule.is_probable_label_noise(1, -1.5, &example), is_noise, "{rate} {effective_n}");
        }
    }

    #[test]
    fn each_class_has_an_error_rate() {
        let mut rule = RobustMira::new(60.0, true, Some(1.25), Task::Classes(3));
        let mut alpha = [0.0; 3];
        for _ in 0..1000 {
            learn(&mut rule, example(Label::Class(2), 5), &[0.0, 0.0, 2.0], &mut alpha);
        }
        assert!(!learn(&mut rule, example(Label::Class(2), 5), &[2.0, 0.0, 0.0], &mut alpha));
        assert!(
            learn(&mut rule, example(Label::Class(1), 5), &[2.0, 0.0, 0.0], &mut alpha),
            "a class that was never predicted correctly"
        );
    }
}
