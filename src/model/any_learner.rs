//! Learners of both float types as one type, and the float type of a learner.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::Learner;
use crate::params::CheckedSpec;
use crate::persist::Tensors;

/// A learner of one of the float types.
#[derive(Debug, Clone)]
pub enum AnyLearner {
    /// In single precision.
    F32(Learner<f32>),
    /// In double precision.
    F64(Learner<f64>),
}

/// Evaluates an expression that is generic over the learner's float type.
macro_rules! with_learner {
    ($any:expr, $learner:ident => $op:expr) => {
        match $any {
            $crate::model::AnyLearner::F32($learner) => $op,
            $crate::model::AnyLearner::F64($learner) => $op,
        }
    };
}
pub(crate) use with_learner;

impl AnyLearner {
    /// Number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        with_learner!(self, learner => learner.n_classes())
    }

    /// The name of the float type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::F32(_) => f32::NAME,
            Self::F64(_) => f64::NAME,
        }
    }

    pub(super) fn load(spec: &CheckedSpec, dtype: &str, from: &Tensors) -> Result<Self> {
        match dtype {
            name if name == f32::NAME => Ok(Self::F32(Learner::load(spec, from)?)),
            name if name == f64::NAME => Ok(Self::F64(Learner::load(spec, from)?)),
            other => Err(Error::Model(format!("unknown dtype {other:?}").into())),
        }
    }
}

/// A float type of learners.
pub trait LearnerFloat: Real {
    /// The learner, if it has this type.
    #[must_use]
    fn get(learner: &AnyLearner) -> Option<&Learner<Self>>;
    /// The learner, mutable, if it has this type.
    #[must_use]
    fn get_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>>;
    /// Wraps a learner of this type.
    #[must_use]
    fn wrap(learner: Learner<Self>) -> AnyLearner;
}

macro_rules! learner_float {
    ($type:ty, $variant:ident) => {
        impl LearnerFloat for $type {
            fn get(learner: &AnyLearner) -> Option<&Learner<Self>> {
                if let AnyLearner::$variant(learner) = learner { Some(learner) } else { None }
            }
            fn get_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
                if let AnyLearner::$variant(learner) = learner { Some(learner) } else { None }
            }
            fn wrap(learner: Learner<Self>) -> AnyLearner {
                AnyLearner::$variant(learner)
            }
        }
    };
}

learner_float!(f32, F32);
learner_float!(f64, F64);

/// The learner of type `T`, or an error that rows have another type than the model.
pub(crate) fn of_type<T: LearnerFloat>(learner: &AnyLearner) -> Result<&Learner<T>> {
    T::get(learner).ok_or_else(|| other_type::<T>(learner))
}

fn other_type<T: LearnerFloat>(learner: &AnyLearner) -> Error {
    let (own, came) = (learner.type_name(), T::NAME);
    Error::State(format!("the model has learned {own} rows, got {came} rows; try again").into())
}

/// The learner of type `T`, mutable, or an error that rows have another type than the model.
pub(crate) fn of_type_mut<T: LearnerFloat>(learner: &mut AnyLearner) -> Result<&mut Learner<T>> {
    if T::get(learner).is_none() {
        return Err(other_type::<T>(learner));
    }
    T::get_mut(learner).ok_or_else(|| Error::State("a learner of another type".into()))
}
