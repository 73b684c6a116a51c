//! What an example is labelled with: the only place where the task enters.

/// The label of one example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Label {
    /// Two classes: -1 or +1.
    Sign(f64),
    /// One of K classes, by index.
    Class(u32),
    /// A number to be predicted.
    Value(f64),
}

impl Label {
    /// Class `index` of `classes` classes.
    #[must_use]
    pub fn of_class(index: usize, classes: usize) -> Self {
        if classes == 2 { Self::Sign(if index == 1 { 1.0 } else { -1.0 }) } else { Self::Class(index as u32) }
    }

    /// The index of the class; none where the label is a number.
    #[must_use]
    pub fn class(self) -> Option<usize> {
        match self {
            Self::Sign(y) => Some(usize::from(y > 0.0)),
            Self::Class(index) => Some(index as usize),
            Self::Value(_) => None,
        }
    }

    /// The same class among more than two.
    pub(crate) fn of_many(self) -> Self {
        if let Self::Sign(y) = self { Self::Class(u32::from(y > 0.0)) } else { self }
    }

    /// `|v|^2` of the direction of an update: 1, and 2 of many classes, where a rival moves too.
    #[inline(always)]
    pub(crate) fn square(self) -> f64 {
        if let Self::Class(_) = self { 2.0 } else { 1.0 }
    }
}

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// One of so many classes, at least 2.
    Classes(usize),
    /// A number.
    Regression,
}

/// So many classes.
impl From<usize> for Task {
    fn from(classes: usize) -> Self {
        Self::Classes(classes)
    }
}

impl Task {
    /// Columns of coefficients and scores: one for two classes and for regression, else one to the class.
    #[must_use]
    pub fn outputs(self) -> usize {
        match self {
            Self::Classes(2) | Self::Regression => 1,
            Self::Classes(classes) => classes,
        }
    }

    /// Classes; none in regression.
    #[must_use]
    pub fn classes(self) -> usize {
        match self {
            Self::Classes(classes) => classes,
            Self::Regression => 0,
        }
    }
}
