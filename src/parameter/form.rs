//! The forms that a value may have, and their words.

use super::Value;

/// The numbers that a parameter may have. Infinity and NaN never belong to a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end.
    pub least: f64,
    /// The upper end; infinity where there is none.
    pub most: f64,
    /// Whether the ends belong to it.
    pub closed: bool,
}

impl Range {
    /// From one number to another, both legal.
    #[must_use]
    pub const fn closed(least: f64, most: f64) -> Self {
        Self { least, most, closed: true }
    }

    /// Between two numbers, neither legal.
    #[must_use]
    pub const fn open(least: f64, most: f64) -> Self {
        Self { least, most, closed: false }
    }

    /// Whether `x` is in the range.
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        let inside =
            if self.closed { x >= self.least && x <= self.most } else { x > self.least && x < self.most };
        inside && x.is_finite()
    }

    /// The number of the range that is nearest to `x`.
    #[must_use]
    pub fn clamp(self, x: f64) -> f64 {
        x.clamp(self.least, self.most)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (least, most) = (plain(self.least), plain(self.most));
        match (self.closed, self.most.is_finite()) {
            (true, true) => write!(f, "a number from {least} to {most}"),
            (false, true) => write!(f, "a number between {least} and {most}"),
            (true, false) => write!(f, "a finite number >= {least}"),
            (false, false) => write!(f, "a finite number > {least}"),
        }
    }
}

/// A number as short as it can be: 1e15, but 0.001 and 1000.
fn plain(x: f64) -> String {
    if x == 0.0 || (1e-3..1e4).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

/// One form that the value of a parameter may have.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// No value.
    None,
    /// True or false.
    Flag,
    /// One of the two alone.
    Bool(bool),
    /// An integer, from the first to the second.
    Count(u64, u64),
    /// Any 64 bits, written as an integer from 0 on.
    Seed,
    /// A number; integers are numbers.
    Number(Range),
    /// A word.
    Word(&'static str),
    /// One of some names.
    Choice(fn() -> Vec<&'static str>),
}

impl Form {
    /// Whether a value has this form.
    #[must_use]
    pub fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Self::None, Value::None) | (Self::Flag, Value::Bool(_)) | (Self::Seed, Value::Int(_)) => true,
            (Self::Bool(legal), Value::Bool(given)) => legal == *given,
            (Self::Count(least, most), Value::Int(n)) => {
                u64::try_from(*n).is_ok_and(|n| (least..=most).contains(&n))
            }
            (Self::Number(range), Value::Float(x)) => range.contains(*x),
            (Self::Number(range), Value::Int(n)) => range.contains(*n as f64),
            (Self::Word(word), Value::Text(text)) => word == text,
            (Self::Choice(names), Value::Text(text)) => names().contains(&text.as_str()),
            (
                Self::None
                | Self::Flag
                | Self::Bool(_)
                | Self::Count(..)
                | Self::Seed
                | Self::Number(_)
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
            Self::Count(least, most) if *most > 1 << 32 && most.is_power_of_two() => {
                write!(f, "an integer from {least} to 2^{}", most.ilog2())
            }
            Self::Count(least, most) => write!(f, "an integer from {least} to {most}"),
            Self::Seed => f.write_str("an integer from 0 to 2^64 - 1"),
            Self::Number(range) => write!(f, "{range}"),
            Self::Word(word) => write!(f, "{word:?}"),
            Self::Choice(names) => match &names()[..] {
                [name] => write!(f, "{name:?}"),
                names => write!(f, "one of {}", quoted(names)),
            },
        }
    }
}

/// Names in quotes, with commas between.
#[must_use]
pub(crate) fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

/// Alternatives in words: "a", "a, or b", "a, b, or c".
#[must_use]
pub(crate) fn either(forms: &[Form]) -> String {
    let words: Vec<_> = forms.iter().map(Form::to_string).collect();
    match &words[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}
