//! The two float types of learners.

use super::AnyLearner;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::Learner;

/// A float type of learners.
pub trait Typed: Real {
    /// The learner, if it is of this type.
    #[must_use]
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>>;
    /// The same, to change it.
    #[must_use]
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>>;
    /// A learner of this type as one of either.
    #[must_use]
    fn any(learner: Learner<Self>) -> AnyLearner;
}

impl Typed for f32 {
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn any(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F32(learner)
    }
}

impl Typed for f64 {
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn any(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F64(learner)
    }
}

/// The learner of a type, or the error of rows of another type than the model's.
pub(crate) fn of_type<T: Typed>(learner: &AnyLearner) -> Result<&Learner<T>> {
    T::of(learner).ok_or_else(|| other_type::<T>(learner))
}

fn other_type<T: Typed>(learner: &AnyLearner) -> Error {
    let (own, came) = (learner.type_name(), T::NAME);
    Error::State(format!("the model has learned rows of {own}, and these are of {came}; try again").into())
}

/// The same, to change it.
pub(super) fn of_type_mut<T: Typed>(learner: &mut AnyLearner) -> Result<&mut Learner<T>> {
    if T::of(learner).is_none() {
        return Err(other_type::<T>(learner));
    }
    T::of_mut(learner).ok_or_else(|| Error::State("a learner of another type".into()))
}
