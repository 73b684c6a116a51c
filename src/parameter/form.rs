//! The forms that the value of a parameter may have, and their text in messages.

use super::Value;
use super::spelling::is_spelling_of;

/// The maximum number of numbers in a list.
const MAX_NUMBERS: usize = 100;

/// A range of numbers. It never contains infinity or NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end.
    pub min: f64,
    /// The upper end; infinity if there is none.
    pub max: f64,
    /// Whether the range contains its ends.
    pub closed: bool,
}

impl Range {
    /// The range from `min` to `max`, both included.
    #[must_use]
    pub const fn closed(min: f64, max: f64) -> Self {
        Self { min, max, closed: true }
    }

    /// The range between `min` and `max`, both excluded.
    #[must_use]
    pub const fn open(min: f64, max: f64) -> Self {
        Self { min, max, closed: false }
    }

    /// Whether the range contains `x`.
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        let inside = if self.closed { x >= self.min && x <= self.max } else { x > self.min && x < self.max };
        inside && x.is_finite()
    }

    /// The number in the range nearest to `x`.
    #[must_use]
    pub fn clamp(self, x: f64) -> f64 {
        x.clamp(self.min, self.max)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.min == f64::NEG_INFINITY && self.max == f64::INFINITY {
            return f.write_str("a finite number");
        }
        let (min, max) = (short(self.min), short(self.max));
        match (self.closed, self.max.is_finite()) {
            (true, true) => write!(f, "a number from {min} to {max}"),
            (false, true) => write!(f, "a number between {min} and {max}"),
            (true, false) => write!(f, "a finite number >= {min}"),
            (false, false) => write!(f, "a finite number > {min}"),
        }
    }
}

/// The shorter notation of a number: 1e15, but 0.001 and 1000.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e4).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

/// One form that the value of a parameter may have.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// No value.
    None,
    /// True or false.
    Flag,
    /// This truth value only.
    Bool(bool),
    /// An integer from the first to the second, both included.
    Count(u64, u64),
    /// An integer from 0 to 2^64 - 1.
    Seed,
    /// A number in a range; integers are numbers.
    Number(Range),
    /// A list of 1 to 100 finite numbers.
    Numbers,
    /// Weights of labels, which [`LabelWeights`](crate::classes::LabelWeights) checks.
    LabelWeights,
    /// This keyword.
    Word(&'static str),
    /// One of these names.
    Choice(fn() -> Vec<&'static str>),
}

impl Form {
    /// Whether a value has this form.
    #[must_use]
    pub fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::None, Value::None)
            | (Self::Flag, Value::Bool(_))
            | (Self::Seed, Value::Int(_))
            | (Self::LabelWeights, Value::LabelWeights(_)) => true,
            (Self::Bool(expected), Value::Bool(given)) => expected == *given,
            (Self::Count(min, max), Value::Int(n)) => {
                u64::try_from(*n).is_ok_and(|n| (min..=max).contains(&n))
            }
            (Self::Number(range), Value::Float(x)) => range.contains(*x),
            (Self::Number(range), Value::Int(n)) => range.contains(*n as f64),
            (Self::Numbers, Value::Floats(list)) => {
                (1..=MAX_NUMBERS).contains(&list.len()) && list.iter().all(|x| x.is_finite())
            }
            (Self::Word(word), Value::Text(text)) => word == text,
            (Self::Choice(names), Value::Text(text)) => names().iter().any(|name| is_spelling_of(name, text)),
            (
                Self::None
                | Self::Flag
                | Self::Bool(_)
                | Self::Count(..)
                | Self::Seed
                | Self::Number(_)
                | Self::Numbers
                | Self::LabelWeights
                | Self::Word(_)
                | Self::Choice(_),
                _,
            ) => false,
        }
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Flag => f.write_str("True or False"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Count(min, max) if *max > 1 << 32 && max.is_power_of_two() => {
                write!(f, "an integer from {min} to 2^{}", max.ilog2())
            }
            Self::Count(min, max) => write!(f, "an integer from {min} to {max}"),
            Self::Seed => f.write_str("an integer from 0 to 2^64 - 1"),
            Self::Number(range) => write!(f, "{range}"),
            Self::Numbers => write!(f, "a list of 1 to {MAX_NUMBERS} finite numbers"),
            Self::LabelWeights => f.write_str("a dict of labels and finite weights >= 0"),
            Self::Word(word) => write!(f, "{word:?}"),
            Self::Choice(names) => f.write_str(&one_of(&names())),
        }
    }
}

/// One name in quotes, or "one of" several.
#[must_use]
pub(crate) fn one_of(names: &[&str]) -> String {
    let of = if names.len() == 1 { "" } else { "one of " };
    format!("{of}{}", quoted(names))
}

/// Names in quotes, separated by commas.
#[must_use]
pub(crate) fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

/// A list of alternatives: "a", "a, or b", "a, b, or c".
#[must_use]
pub(crate) fn either(forms: &[Form]) -> String {
    let words: Vec<_> = forms.iter().map(Form::to_string).collect();
    match &words[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}
