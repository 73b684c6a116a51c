//! What an example is labelled with: the only place where the task enters.

/// The label of one example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Label {
    /// Two classes: -1 or +1.
    Sign(f64),
    /// One of K classes, by index.
    Class(u32),
}

impl Label {
    /// Class `index` of `classes` classes.
    #[must_use]
    pub fn of_class(index: usize, classes: usize) -> Self {
        if classes == 2 { Self::Sign(if index == 1 { 1.0 } else { -1.0 }) } else { Self::Class(index as u32) }
    }

    /// The index of the class.
    #[must_use]
    pub fn class(self) -> usize {
        match self {
            Self::Sign(y) => usize::from(y > 0.0),
            Self::Class(index) => index as usize,
        }
    }
}
