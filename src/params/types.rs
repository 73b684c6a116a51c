//! The types of parameters that are no plain numbers.

use crate::classes::LabelWeights;
use crate::constants::MAX_PAIRED_FEATURES;
use crate::parameter::{ParameterType, Value, named};

/// The model used for prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Average {
    /// The last model.
    Last,
    /// Suffix averaging: the mean of the models of the last share of the rows, from 0.001 to 1. The share is exact
    /// after `stream_length` rows, and larger before and after.
    Suffix(f64),
    /// Polynomial-decay averaging: the mean of all models, with the weight `t (t + 1) ... (t + 8)` of model t, so that
    /// the last tenth of the stream dominates.
    Polynomial,
    /// A random model of the last half of all models.
    Random,
}

impl ParameterType for Average {
    fn to_value(&self) -> Value {
        match self {
            Self::Last => Value::Bool(false),
            Self::Suffix(gamma) => Value::Float(*gamma),
            Self::Polynomial => Value::Text("polynomial".into()),
            Self::Random => Value::Text("random".into()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Last),
            Value::Bool(true) => Some(Self::Suffix(0.5)),
            Value::Text(name) if name == "polynomial" => Some(Self::Polynomial),
            Value::Text(name) if name == "random" => Some(Self::Random),
            _ => f64::from_value(value).map(Self::Suffix),
        }
    }
}

/// The weighting of classes.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeight {
    /// Rows have equal weight.
    #[default]
    None,
    /// Classes have about equal weight: the weight of a row is divided by the frequency of its class so far.
    Balanced,
    /// The weight of a row is multiplied by the weight of its label. A [`Model`](crate::model::Model) does this; a
    /// [`Learner`](crate::Learner) has no labels, and takes rows with their final weights.
    ByLabel(LabelWeights),
}

impl ParameterType for ClassWeight {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Balanced => Value::Text("balanced".into()),
            Self::ByLabel(weights) => Value::LabelWeights(weights.clone()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "balanced" => Some(Self::Balanced),
            Value::LabelWeights(weights) if weights.is_empty() => Some(Self::None),
            Value::LabelWeights(weights) => Some(Self::ByLabel(weights.clone())),
            _ => None,
        }
    }
}

/// How the model forgets the past of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forget {
    /// The model never forgets: the stream has no drift.
    #[default]
    None,
    /// Drift is detected, and the part of the model that it made useless is discarded.
    Auto,
    /// The model weights about this many of the last rows.
    Rows(u64),
}

impl ParameterType for Forget {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Auto => Value::Text("auto".into()),
            Self::Rows(rows) => rows.to_value(),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            other => u64::from_value(other).map(Self::Rows),
        }
    }
}

/// The form of the metric that the kernel measures distances with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricLearning {
    /// No learned metric.
    #[default]
    None,
    /// A learned scale for each feature.
    Diagonal,
    /// A learned matrix.
    Full,
    /// A matrix for up to 64 features, otherwise a scale for each. Of features that are added later, those from the
    /// 65th on have a scale.
    Auto,
}

impl MetricLearning {
    /// Maximum number of features in the full matrix, also after features are added, for a model that starts with
    /// `features`; `None` without metric learning.
    pub(crate) fn max_matrix_features(self, features: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Diagonal => Some(0),
            Self::Full => Some(usize::MAX),
            Self::Auto => Some(if features <= MAX_PAIRED_FEATURES { MAX_PAIRED_FEATURES } else { 0 }),
        }
    }
}

named!(MetricLearning { None = "none", Diagonal = "diagonal", Full = "full", Auto = "auto" });

/// The treatment of NaN in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// NaN raises an error.
    #[default]
    Error,
    /// NaN is replaced by the mean of its feature over the rows so far; the mean does not change.
    Mean,
}

named!(Missing { Error = "error", Mean = "mean" });

/// Numbers that are missing values, distinct.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MissingValues(Vec<f64>);

impl MissingValues {
    /// The numbers.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.0
    }
}

impl FromIterator<f64> for MissingValues {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut distinct = Vec::new();
        for x in numbers {
            if !distinct.contains(&x) {
                // Zero has no sign.
                distinct.push(x + 0.0);
            }
        }
        Self(distinct)
    }
}

impl ParameterType for MissingValues {
    fn to_value(&self) -> Value {
        match self.0[..] {
            [] => Value::None,
            [x] => Value::Float(x),
            _ => Value::Floats(self.0.clone()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::default()),
            Value::Floats(list) => Some(list.iter().copied().collect()),
            Value::Float(_) | Value::Int(_) | Value::Bool(_) | Value::Text(_) | Value::LabelWeights(_) => {
                f64::from_value(value).map(|x| [x].into_iter().collect())
            }
        }
    }
}

/// The rate of maintenance: over budget, it runs at example t with probability `min(beta/t, 1)` (Le et al. 2016,
/// Algorithm 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The paper's choice: beta = 0.6 times the number of rows.
    Auto,
    /// beta, > 0.
    Value(f64),
}

impl ParameterType for Rate {
    fn to_value(&self) -> Value {
        match self {
            Self::Auto => Value::Text("auto".into()),
            Self::Value(beta) => Value::Float(*beta),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            _ => f64::from_value(value).map(Self::Value),
        }
    }
}

/// The scaling of features before the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// No scaling, unless fixed means and deviations are set.
    #[default]
    None,
    /// Standardisation of each feature by its mean and standard deviation over the rows learned so far, clipped at 3
    /// deviations. After n rows mean and deviation are updated with the value clipped at `2 sqrt(n)` deviations from
    /// the mean.
    Online,
}

named!(Scaling { None = "none", Online = "online" });
