//! Class labels of any type.

use crate::classes::{Classes, Labels};
use ndarray::Array1;
use std::fmt;

/// The label of a class. It compares with a `&str`, an integer or a bool.
///
/// ```
/// use budgetrs::ClassLabel;
///
/// assert!(ClassLabel::from("spam") == "spam" && ClassLabel::from(3) == 3 && ClassLabel::from(true) == true);
/// assert_eq!(ClassLabel::from("spam").to_string(), "spam");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ClassLabel {
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(String),
}

impl ClassLabel {
    /// The label of a class index.
    pub(super) fn of(classes: &Classes, index: usize) -> Self {
        match classes {
            Classes::Bool => Self::Bool(index == 1),
            Classes::Int(labels) => Self::Int(labels[index]),
            Classes::Float(labels) => Self::Float(labels[index]),
            Classes::Text(labels) => Self::Text(labels[index].clone()),
        }
    }

    /// The class index of this label, if it is known.
    pub(super) fn index(&self, classes: &Classes) -> Option<usize> {
        match (classes, self) {
            (Classes::Bool, Self::Bool(label)) => Some(usize::from(*label)),
            (Classes::Int(labels), Self::Int(label)) => labels.iter().position(|known| known == label),
            (Classes::Float(labels), Self::Float(label)) => labels.iter().position(|known| known == label),
            (Classes::Text(labels), Self::Text(label)) => labels.iter().position(|known| known == label),
            _ => None,
        }
    }
}

impl fmt::Display for ClassLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(label) => label.fmt(f),
            Self::Int(label) => label.fmt(f),
            Self::Float(label) => label.fmt(f),
            Self::Text(label) => label.fmt(f),
        }
    }
}

/// Labels of a type, from one label or from many.
macro_rules! label_types {
    ($(for<$($life:lifetime)?> $type:ty: $label:ident => $variant:ident($value:expr, $raw:expr, $same:expr);)*) => { $(
        impl<$($life)?> From<$type> for ClassLabel {
            fn from($label: $type) -> Self {
                Self::$variant($value)
            }
        }

        impl<$($life)?> PartialEq<$type> for ClassLabel {
            fn eq(&self, $label: &$type) -> bool {
                matches!(self, Self::$variant(own) if own == $same)
            }
        }

        impl<$($life)?> From<&[$type]> for Labels {
            fn from(labels: &[$type]) -> Self {
                Self::$variant(labels.iter().map(|$label| $raw).collect())
            }
        }

        impl<$($life,)? const N: usize> From<[$type; N]> for Labels {
            fn from(labels: [$type; N]) -> Self {
                Self::from(&labels[..])
            }
        }

        impl<$($life,)? const N: usize> From<&[$type; N]> for Labels {
            fn from(labels: &[$type; N]) -> Self {
                Self::from(&labels[..])
            }
        }

        impl<$($life)?> From<Vec<$type>> for Labels {
            fn from(labels: Vec<$type>) -> Self {
                Self::from(&labels[..])
            }
        }

        impl<$($life)?> From<&Vec<$type>> for Labels {
            fn from(labels: &Vec<$type>) -> Self {
                Self::from(&labels[..])
            }
        }

        impl<$($life)?> From<&Array1<$type>> for Labels {
            fn from(labels: &Array1<$type>) -> Self {
                Self::$variant(labels.iter().map(|$label| $raw).collect())
            }
        }
    )* };
}

label_types! {
    for<> bool: label => Bool(label, i64::from(*label), label);
    for<> i64: label => Int(label, *label, label);
    for<> i32: label => Int(i64::from(label), i64::from(*label), &i64::from(*label));
    for<> u32: label => Int(i64::from(label), i64::from(*label), &i64::from(*label));
    for<> u8: label => Int(i64::from(label), i64::from(*label), &i64::from(*label));
    for<> f64: label => Float(label, *label, label);
    for<'a> &'a str: label => Text(label.to_owned(), (*label).to_owned(), label);
    for<> String: label => Text(label, label.clone(), label);
}

impl From<ClassLabel> for Labels {
    fn from(label: ClassLabel) -> Self {
        match label {
            ClassLabel::Bool(label) => Self::from([label]),
            ClassLabel::Int(label) => Self::from([label]),
            ClassLabel::Float(label) => Self::from([label]),
            ClassLabel::Text(label) => Self::Text(vec![label]),
        }
    }
}
