//! Labels of examples, by task.

/// The label of one example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Label {
    /// Two classes: -1 or +1.
    Sign(f64),
    /// One of K classes, by index.
    Class(u32),
    /// The target of regression.
    Value(f64),
}

impl Label {
    /// Class `index` of `classes` classes.
    #[must_use]
    pub fn of_class(index: usize, classes: usize) -> Self {
        if classes == 2 { Self::Sign(if index == 1 { 1.0 } else { -1.0 }) } else { Self::Class(index as u32) }
    }

    /// The index of the class; None in regression.
    #[must_use]
    pub fn class(self) -> Option<usize> {
        match self {
            Self::Sign(y) => Some(usize::from(y > 0.0)),
            Self::Class(index) => Some(index as usize),
            Self::Value(_) => None,
        }
    }

    /// The label after classes were added: with more than two classes, the sign becomes a class index.
    pub(crate) fn with_more_classes(self) -> Self {
        if let Self::Sign(y) = self { Self::Class(u32::from(y > 0.0)) } else { self }
    }

    /// `|v|^2` of the direction of an update: 1, or 2 with more than two classes, where the rival class is updated too.
    #[inline(always)]
    pub(crate) fn square(self) -> f64 {
        if let Self::Class(_) = self { 2.0 } else { 1.0 }
    }
}

/// The prediction task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Classification with this number of classes, at least 2.
    Classes(usize),
    /// Regression.
    Regression,
}

/// Classification with `classes` classes.
impl From<usize> for Task {
    fn from(classes: usize) -> Self {
        Self::Classes(classes)
    }
}

impl Task {
    /// The number of outputs, the columns of coefficients and scores: one for two classes and for regression, else one
    /// per class.
    #[must_use]
    pub fn outputs(self) -> usize {
        match self {
            Self::Classes(2) | Self::Regression => 1,
            Self::Classes(classes) => classes,
        }
    }

    /// The number of classes; 0 in regression.
    #[must_use]
    pub fn classes(self) -> usize {
        match self {
            Self::Classes(classes) => classes,
            Self::Regression => 0,
        }
    }
}
