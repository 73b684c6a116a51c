//! The two float types of learners.

use super::any_learner::AnyLearner;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::Learner;

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

impl LearnerFloat for f32 {
    fn get(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn get_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F32(learner)
    }
}

impl LearnerFloat for f64 {
    fn get(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn get_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F64(learner)
    }
}

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
