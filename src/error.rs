//! The error type of the crate: each error says which parameter or array is wrong, what was expected and what was
//! given.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A result with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call failed. A failed call changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has an invalid value.
    #[error("{name} must be {expected}, got {got}{}", suggestion(near.as_deref()))]
    Parameter {
        /// The public name of the parameter.
        name: &'static str,
        /// The valid values.
        expected: Cow<'static, str>,
        /// The given value.
        got: String,
        /// The most similar valid name.
        near: Option<String>,
    },
    /// There is no parameter with that name.
    #[error("unknown parameter {name:?}{}", near.as_ref().map_or_else(|| format!("; the parameters that apply are {known}"), |near| format!("; did you mean {near:?}?")))]
    Unknown {
        /// The name.
        name: String,
        /// The parameters that apply.
        known: String,
        /// The most similar name of a parameter, or its name here.
        near: Option<String>,
    },
    /// A parameter does not apply to the other choices.
    #[error("{name} does not apply to {with}; {name} applies to {applies_with}")]
    Inapplicable {
        /// The parameter.
        name: &'static str,
        /// The choices that the parameter does not apply to.
        with: String,
        /// The choices that the parameter applies to.
        applies_with: String,
    },
    /// Two parameters, each with a valid value, cannot be combined.
    #[error("{name} = {got} cannot be combined with {with}; valid: {valid}")]
    Combination {
        /// The parameter to change.
        name: &'static str,
        /// The value of the parameter.
        got: String,
        /// The other parameter and its value.
        with: String,
        /// The values of `name` that can be combined with `with`.
        valid: String,
    },
    /// An array has the wrong shape or type.
    #[error("{name} must have {expected}, got {got}")]
    Shape {
        /// The name of the array.
        name: &'static str,
        /// The expected shape.
        expected: String,
        /// The given shape.
        got: String,
    },
    /// A table has other columns than the rows learned before.
    #[error("X must have the columns of the rows learned before, in any order, got {got}")]
    Columns {
        /// The absent and the new columns.
        got: String,
        /// Whether columns are absent.
        lacks: bool,
    },
    /// An entry of an array has an invalid value.
    #[error("{name} must be {expected}, got {got} at row {row}")]
    Entry {
        /// The name of the array.
        name: &'static str,
        /// The valid values.
        expected: Cow<'static, str>,
        /// The given value.
        got: String,
        /// The row, from 0.
        row: usize,
    },
    /// A number is not finite, or overflows the float type of the model.
    #[error("{name} contains {got} at row {row}, column {}; all values must be finite{}", column_name(*column, named.as_ref()), remedy(*instead))]
    NotFinite {
        /// The name of the array.
        name: &'static str,
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The name of the column, if it has one.
        named: Option<String>,
        /// The given value: `NaN`, `infinity`, or a number that overflows the float type of the model.
        got: String,
        /// Settings that accept the value.
        instead: Option<&'static str>,
    },
    /// The norm or a kernel value of a row overflows the float type of the model.
    #[error("X is too large at row {row}: expected {expected}, got {got}; scale the features")]
    TooLarge {
        /// The row, from 0.
        row: usize,
        /// The bound.
        expected: String,
        /// The value.
        got: String,
    },
    /// The model does not know a label.
    #[error("y contains {got} at row {row}; the classes are {classes}")]
    Label {
        /// The row, from 0.
        row: usize,
        /// The label.
        got: String,
        /// The known labels.
        classes: String,
    },
    /// The model is in the wrong state for the call, for example not trained.
    #[error("{0}")]
    State(Cow<'static, str>),
    /// The bytes are not a model of this library, or are damaged.
    #[error("not a valid model: {0}")]
    Model(Cow<'static, str>),
    /// A file is not a model of this library, or is damaged.
    #[error("{}: not a valid model: {reason}", path.display())]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: Cow<'static, str>,
    },
    /// Reading or writing a file failed.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The kind of failure.
        kind: ErrorKind,
        /// The operating system's error code, if it reported one.
        code: Option<i32>,
        /// The message of the operating system.
        reason: String,
    },
}

/// The name of a column in messages: its own, or its number.
fn column_name(column: usize, named: Option<&String>) -> String {
    named.map_or_else(|| column.to_string(), |name| format!("{name:?}"))
}

/// The end of a message about NaN, which says what accepts it.
fn remedy(instead: Option<&str>) -> String {
    instead.map_or_else(String::new, |instead| format!("; {instead}"))
}

impl Error {
    /// The name of the parameter or array that the error is about, if any.
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
            Self::Columns { .. } | Self::TooLarge { .. } => Some("X"),
            Self::Label { .. } => Some("y"),
            _ => None,
        }
    }

    /// The row, from 0, that the error is about, if any.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Entry { row, .. }
            | Self::NotFinite { row, .. }
            | Self::TooLarge { row, .. }
            | Self::Label { row, .. } => Some(*row),
            _ => None,
        }
    }

    /// Maps the row that the error is about, for rows that were selected from a larger batch.
    #[must_use]
    pub(crate) fn map_row(mut self, number: impl Fn(usize) -> usize) -> Self {
        if let Self::Entry { row, .. }
        | Self::NotFinite { row, .. }
        | Self::TooLarge { row, .. }
        | Self::Label { row, .. } = &mut self
        {
            *row = number(*row);
        }
        self
    }

    /// An error about the content of a file, with the path of the file.
    #[must_use]
    pub(crate) fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Model(reason) => Self::ModelFile { path: path.to_owned(), reason },
            other => other,
        }
    }

    /// An invalid value of a parameter.
    pub fn parameter(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: impl std::fmt::Display,
    ) -> Self {
        Self::Parameter { name, expected: expected.into(), got: got.to_string(), near: None }
    }

    /// An unknown name, with the most similar valid name.
    pub fn name<'a>(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: &str,
        valid: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let near = nearest(got, valid).map(str::to_owned);
        Self::Parameter { name, expected: expected.into(), got: format!("{got:?}"), near }
    }

    /// An unknown parameter, with the parameters that apply.
    #[must_use]
    pub fn unknown(name: &str, known: &[&str]) -> Self {
        let near = nearest(name, known.iter().copied()).map(str::to_owned);
        Self::Unknown { name: name.to_owned(), known: known.join(", "), near }
    }

    /// An invalid entry of an array.
    pub fn entry(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: impl std::fmt::Display,
        row: usize,
    ) -> Self {
        Self::Entry { name, expected: expected.into(), got: got.to_string(), row }
    }

    /// A wrong shape of an array.
    pub fn shape(name: &'static str, expected: impl std::fmt::Display, got: impl std::fmt::Display) -> Self {
        Self::Shape { name, expected: expected.to_string(), got: got.to_string() }
    }
}

/// What papers and other libraries call a parameter or a value, and its name here.
const SYNONYMS: &[(&str, &str)] = &[
    ("random_state", "seed"),
    ("seed", "random_state"),
    ("scale", "scaling"),
    ("standardize", "scaling"),
    ("metric", "metric_learning"),
    ("lambda", "alpha"),
    ("lambda_", "alpha"),
    ("n_support", "budget"),
    ("n_support_vectors", "budget"),
    ("max_sv", "budget"),
    ("max_support_vectors", "budget"),
    ("n_components", "budget"),
    ("epochs", "max_iter"),
    ("n_epochs", "max_iter"),
    ("n_iter", "max_iter"),
    ("passes", "max_iter"),
    ("logistic", "log_loss"),
    ("log", "log_loss"),
    ("cross_entropy", "log_loss"),
    ("mse", "squared_error"),
    ("mae", "absolute_error"),
    ("gaussian", "rbf"),
    ("polynomial", "poly"),
    ("merging", "merge"),
    ("projection", "project"),
    ("removal", "smallest"),
    ("svm", "online-kernel"),
    ("svc", "online-kernel"),
    ("svr", "online-kernel"),
    ("bsgd", "bsgd-merge"),
];

/// The valid name that `name` is a synonym of, or else the valid name most similar to it by insertions, deletions,
/// replacements and transpositions, ignoring case; `None` if more than 0.4 of the letters differ.
///
/// ```
/// use budgetrs::error::nearest;
///
/// assert_eq!(nearest("lapacian", ["rbf", "laplacian"]), Some("laplacian"));
/// assert_eq!(nearest("c0", ["C", "C0"]), Some("C0"));
/// assert_eq!(nearest("gaussian", ["rbf", "laplacian"]), Some("rbf"));
/// assert_eq!(nearest("cubic", ["rbf", "laplacian"]), None);
/// ```
pub fn nearest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer than any name; comparing a very long string would be slow.
    if name.len() > 64 {
        return None;
    }
    let (name, valid) = (name.to_lowercase(), valid.into_iter().collect::<Vec<_>>());
    let synonyms = SYNONYMS.iter().filter(|(other, _)| *other == name);
    if let Some((_, found)) = synonyms.into_iter().find(|(_, here)| valid.contains(here)) {
        return Some(found);
    }
    let similarity = |other: &str| strsim::normalized_damerau_levenshtein(&name, &other.to_lowercase());
    let found = valid.into_iter().map(|other| (similarity(other), other));
    // Of two equally similar names, the first.
    let found = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
    found.filter(|(similarity, _)| *similarity >= 0.6).map(|(_, other)| other)
}

/// The error of a model file whose entries contradict one another, unless they are valid.
pub(crate) fn check_model(is_valid: bool, reason: &'static str) -> Result<()> {
    if is_valid { Ok(()) } else { Err(Error::Model(reason.into())) }
}

/// The end of a message that suggests a name.
fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}
