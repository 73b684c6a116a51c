//! The two float types that models and arrays come in.

use crate::error::Error;
use crate::float::Real;
use crate::learner::Learner;
use crate::model::AnyLearner;

/// A float type of both worlds.
pub(super) trait Native: Real + numpy::Element {
    /// The learner, if it is of this type.
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>>;
    /// The same, to change it.
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>>;
    fn wrap(learner: Learner<Self>) -> AnyLearner;
}

impl Native for f32 {
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F32(learner)
    }
}

impl Native for f64 {
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F64(learner)
    }
}

/// What a call is told whose input was converted for a model that had no type yet, and then got another one.
pub(super) fn other_type() -> Error {
    Error::State("another call has fixed another float type for this model meanwhile; try again".into())
}
