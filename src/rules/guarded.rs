//! The rule of the online kernel machine: MIRA with a cap that falls, which leaves out rows that are hopelessly wrong.

use super::{Example, Mira, UpdateRule};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::losses::margin;
use crate::persist::{Persist, Tensors};

/// How fast the recent errors forget, per row and per row of a class.
const RATES: [f64; 2] = [0.001, 0.01];

/// Recent errors below these, of all rows and of the row's class, say that the model knows better than the label. Where
/// many labels are wrong, most of those of a rare class are, and a model that is right misses them: 0.8 would learn
/// them.
const LOW: [f64; 2] = [0.4, 0.9];

/// How many times farther a margin must be below while the stream is changing.
const DRIFTING: f64 = 2.0;

/// [`Mira`] with margin 1 (of two classes: PA-I) and the cap `C0 / sqrt(t)` at example t, t being its effective_n where the past is forgotten. A row whose margin is under
/// `-ramp` changes nothing as long as few recent rows, and few of its class, were predicted wrongly: its label is more
/// likely wrong than the model. Without the guard of the class a rare one could be lost when labels change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RobustMira {
    /// The cap on the first step.
    c0: f64,
    /// Whether the cap falls.
    decay: bool,
    /// Minus the margin from which on a row is left out; none leaves out nothing.
    ramp: Option<f64>,
    /// The running mean of mistakes.
    error: f64,
    /// The same over the rows of each class.
    class_errors: Vec<f64>,
}

impl RobustMira {
    pub(crate) fn new(c0: f64, decay: bool, ramp: Option<f64>, task: Task) -> Self {
        Self { c0, decay, ramp, error: 1.0, class_errors: vec![1.0; task.classes()] }
    }

    /// Counts whether a row of a class was predicted wrongly.
    #[inline(always)]
    fn observe(&mut self, class: usize, wrong: bool) {
        let wrong = f64::from(u8::from(wrong));
        self.error += (wrong - self.error) * RATES[0];
        let of_class = &mut self.class_errors[class];
        *of_class += (wrong - *of_class) * RATES[1];
    }

    /// Whether the model is so often right that a hopeless row is left out.
    #[inline(always)]
    fn is_sure(&self, class: usize) -> bool {
        self.error < LOW[0] && self.class_errors[class] < LOW[1]
    }
}

impl UpdateRule for RobustMira {
    fn restart(&mut self) {
        self.error = 1.0;
        self.class_errors.fill(1.0);
    }

    fn add_classes(&mut self, classes: usize) {
        self.class_errors.resize(classes, 1.0);
    }

    #[inline(always)]
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        let (margin, _) = margin(example.label, f);
        if let Some(class) = example.label.class() {
            self.observe(class, margin <= T::ZERO);
            let farther = if example.drifting { DRIFTING } else { 1.0 };
            let hopeless = self.ramp.is_some_and(|ramp| margin.to_f64() < -ramp * farther);
            if hopeless && self.is_sure(class) {
                return false;
            }
        }
        let fall = if self.decay { example.effective_n.max(1.0).sqrt() } else { 1.0 };
        Mira { beta: 1.0, c: self.c0 / fall }.coefficients(example, f, row)
    }
}

impl Persist for RobustMira {
    fn save(&self, out: &mut Tensors) {
        out.set("error", self.error);
        out.put("class_errors", &[self.class_errors.len()], self.class_errors.iter().copied());
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.error = from.finite("error")?;
        self.class_errors = from.get("class_errors", &[self.class_errors.len()])?;
        let mut all = self.class_errors.iter().chain([&self.error]);
        if all.all(|error| (0.0..=1.0).contains(error)) {
            Ok(())
        } else {
            Err(Error::Model("errors must lie in [0, 1]".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Label;

    fn example(label: Label, t: u64) -> Example<f64> {
        Example::new(label, t, 1.0, 1.0)
    }

    #[test]
    fn the_cap_falls_with_the_root() {
        for (decay, expected) in [(true, 0.2), (false, 0.6)] {
            let mut rule = RobustMira::new(0.6, decay, None, Task::Classes(2));
            let mut row = [0.0];
            assert!(rule.coefficients(&example(Label::Sign(-1.0), 9), &[0.5], &mut row));
            assert!((row[0] + expected).abs() < 1e-15, "{row:?}");
        }
    }

    #[test]
    fn a_sure_model_leaves_hopeless_rows_out() {
        let mut rule = RobustMira::new(60.0, true, Some(1.25), Task::Classes(2));
        let mut row = [0.0];
        let hopeless = |rule: &mut RobustMira, row: &mut [f64]| {
            rule.coefficients(&example(Label::Sign(1.0), 5), &[-1.3], row)
        };
        assert!(hopeless(&mut rule, &mut row), "at first every row is learned");
        for t in 0..5000 {
            let y = if t % 2 == 0 { 1.0 } else { -1.0 };
            assert!(
                !rule.coefficients(&example(Label::Sign(y), 5), &[2.0 * y], &mut row),
                "a margin of 2 asks for nothing"
            );
        }
        assert!(!hopeless(&mut rule, &mut row));
        assert!(
            rule.coefficients(&example(Label::Sign(1.0), 5), &[-1.25], &mut row),
            "a margin of -1.25 does not"
        );
        // `1 - 0.99^230` is more than 0.9, and two mistakes were counted already: the class is not lost.
        let learned =
            (0..300).position(|_| hopeless(&mut rule, &mut row)).expect("the class must not be lost");
        assert_eq!(learned, 230 - 2 - 1);
        let mut never = RobustMira::new(60.0, true, None, Task::Classes(2));
        never.class_errors = vec![0.0; 2];
        never.error = 0.0;
        assert!(hopeless(&mut never, &mut row));
    }

    #[test]
    fn many_classes_have_errors_of_their_own() {
        let mut rule = RobustMira::new(60.0, true, Some(1.25), Task::Classes(3));
        let mut row = [0.0; 3];
        for _ in 0..1000 {
            rule.coefficients(&example(Label::Class(2), 5), &[0.0, 0.0, 2.0], &mut row);
        }
        assert!(!rule.coefficients(&example(Label::Class(2), 5), &[2.0, 0.0, 0.0], &mut row));
        assert!(
            rule.coefficients(&example(Label::Class(1), 5), &[2.0, 0.0, 0.0], &mut row),
            "a class it never got right"
        );
    }
}
