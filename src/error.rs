//! The one error type of the crate: every refusal names what is wrong, what was expected and what came.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Short form used throughout the crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call was refused. A refused call changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its legal values.
    #[error("{name} must be {expected}, got {got}{}", question(near.as_deref()))]
    Parameter {
        /// The parameter's public name.
        name: &'static str,
        /// Its legal values.
        expected: Cow<'static, str>,
        /// What came.
        got: String,
        /// The legal name that may have been meant.
        near: Option<String>,
    },
    /// There is no parameter of that name.
    #[error("unknown parameter {name:?}; the parameters that apply are {known}{}", question(near.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The parameters that apply.
        known: String,
        /// The parameter that may have been meant.
        near: Option<String>,
    },
    /// A parameter that does not apply with the other choices.
    #[error(
        "{name} does not apply to {with}: it is for {applies_with}; the parameters that apply are {known}"
    )]
    Inapplicable {
        /// The parameter.
        name: &'static str,
        /// The choices with which it does not apply.
        with: String,
        /// What it applies with.
        applies_with: String,
        /// The parameters that apply.
        known: String,
    },
    /// Two parameters are legal each, but not together.
    #[error("{name} = {got} does not go with {with}; legal are: {legal}")]
    Combination {
        /// The parameter to change.
        name: &'static str,
        /// Its value.
        got: String,
        /// The other parameter and its value.
        with: String,
        /// The values of `name` that go with it.
        legal: String,
    },
    /// An array has another shape or type than the model needs.
    #[error("{name} must have {expected}, got {got}")]
    Shape {
        /// Which array.
        name: &'static str,
        /// The shape that was expected.
        expected: String,
        /// The shape that came.
        got: String,
    },
    /// One entry of an array lies outside its legal values.
    #[error("{name} must be {expected}, got {got} at row {row}")]
    Entry {
        /// Which array.
        name: &'static str,
        /// Its legal values.
        expected: Cow<'static, str>,
        /// What came.
        got: String,
        /// Zero-based row.
        row: usize,
    },
    /// A number that is not finite, or not representable in the model's type.
    #[error("{name} contains {got} at row {row}, column {}; all values must be finite{}", which(*column, named.as_ref()), after(*instead))]
    NotFinite {
        /// Which array.
        name: &'static str,
        /// Zero-based row.
        row: usize,
        /// Zero-based column.
        column: usize,
        /// The name of the column, if it has one.
        named: Option<String>,
        /// The value: `NaN`, `infinity`, or one that overflows the model's type.
        got: String,
        /// What would take it.
        instead: Option<&'static str>,
    },
    /// A row whose norm or kernel value overflows the model's float type.
    #[error("X is too large at row {row}: expected {expected}, got {got}; scale the features")]
    TooLarge {
        /// Zero-based row.
        row: usize,
        /// What the products may be.
        expected: String,
        /// What they are.
        got: String,
    },
    /// A label that the model does not know.
    #[error("y contains {got} at row {row}; the classes are {classes}")]
    Label {
        /// Zero-based row.
        row: usize,
        /// The label.
        got: String,
        /// The known labels.
        classes: String,
    },
    /// The call needs a model that has learned, or one that has not.
    #[error("{0}")]
    State(Cow<'static, str>),
    /// The bytes are not a model of this library, or they are damaged.
    #[error("not a valid model: {0}")]
    Model(Cow<'static, str>),
    /// A file that was read is not a model of this library, or it is damaged.
    #[error("{}: not a valid model: {reason}", path.display())]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: Cow<'static, str>,
    },
    /// Reading or writing a file failed.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What kind of failure it was.
        kind: ErrorKind,
        /// The operating system's error code, if it reported one.
        code: Option<i32>,
        /// What the operating system said.
        reason: String,
    },
}

/// How a message calls a column.
fn which(column: usize, named: Option<&String>) -> String {
    named.map_or_else(|| column.to_string(), |name| format!("{name:?}"))
}

/// The end of a message that says what would be taken.
fn after(instead: Option<&str>) -> String {
    instead.map_or_else(String::new, |instead| format!("; {instead}"))
}

impl Error {
    /// The parameter or array that the error concerns, if any.
    #[must_use]
    pub fn parameter_name(&self) -> Option<&str> {
        match self {
            Self::Unknown { name, .. } => Some(name),
            Self::Parameter { name, .. }
            | Self::Inapplicable { name, .. }
            | Self::Combination { name, .. }
            | Self::Shape { name, .. }
            | Self::Entry { name, .. }
            | Self::NotFinite { name, .. } => Some(name),
            Self::TooLarge { .. } => Some("X"),
            Self::Label { .. } => Some("y"),
            Self::State(_) | Self::Model(_) | Self::ModelFile { .. } | Self::Io { .. } => None,
        }
    }

    /// The zero-based index of the row that the error concerns, if any.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Entry { row, .. }
            | Self::NotFinite { row, .. }
            | Self::TooLarge { row, .. }
            | Self::Label { row, .. } => Some(*row),
            Self::Parameter { .. }
            | Self::Unknown { .. }
            | Self::Inapplicable { .. }
            | Self::Combination { .. }
            | Self::Shape { .. }
            | Self::State(_)
            | Self::Model(_)
            | Self::ModelFile { .. }
            | Self::Io { .. } => None,
        }
    }

    /// The same error of another row: rows that were taken out of a batch have other numbers there.
    #[must_use]
    pub(crate) fn at_row_of(mut self, number: impl Fn(usize) -> usize) -> Self {
        if let Self::Entry { row, .. }
        | Self::NotFinite { row, .. }
        | Self::TooLarge { row, .. }
        | Self::Label { row, .. } = &mut self
        {
            *row = number(*row);
        }
        self
    }

    /// A parameter outside its legal values.
    pub fn parameter(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: impl std::fmt::Display,
    ) -> Self {
        Self::Parameter { name, expected: expected.into(), got: got.to_string(), near: None }
    }

    /// A name that is none of the legal ones.
    pub fn name<'a>(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: &str,
        legal: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let near = nearest(got, legal).map(str::to_owned);
        Self::Parameter { name, expected: expected.into(), got: format!("{got:?}"), near }
    }

    /// A parameter that does not exist, beside those that apply.
    #[must_use]
    pub fn unknown(name: &str, known: &[&str]) -> Self {
        let near = nearest(name, known.iter().copied()).map(str::to_owned);
        Self::Unknown { name: name.to_owned(), known: known.join(", "), near }
    }

    /// An entry of an array outside its legal values.
    pub fn entry(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: impl std::fmt::Display,
        row: usize,
    ) -> Self {
        Self::Entry { name, expected: expected.into(), got: got.to_string(), row }
    }

    /// An array of the wrong shape.
    pub fn shape(name: &'static str, expected: impl std::fmt::Display, got: impl std::fmt::Display) -> Self {
        Self::Shape { name, expected: expected.to_string(), got: got.to_string() }
    }
}

/// The legal name that may have been meant: the nearest by insertions, deletions, replacements and transpositions,
/// whatever the case of its letters; `None` where more than 0.4 of the letters differ.
///
/// ```
/// use budgetrs::error::nearest;
///
/// assert_eq!(nearest("lapacian", ["rbf", "laplacian"]), Some("laplacian"));
/// assert_eq!(nearest("c0", ["C", "C0"]), Some("C0"));
/// assert_eq!(nearest("cubic", ["rbf", "laplacian"]), None);
/// ```
pub fn nearest<'a>(name: &str, legal: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // What is longer than any name need not be compared, however long it is.
    if name.len() > 64 {
        return None;
    }
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(&name, &other.to_lowercase());
    let found = legal.into_iter().map(|other| (likeness(other), other));
    // Of two that are as near, the first.
    let found = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
    found.filter(|(likeness, _)| *likeness >= 0.6).map(|(_, other)| other)
}

/// The end of a message that asks whether a name was meant.
fn question(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}
