//! Classifier and regressor: the front door of the crate.

mod builder;
mod classifier;
mod input;
mod label;
mod methods;
mod regressor;
mod shared;
#[cfg(test)]
mod tests;

pub use builder::Builder;
pub use classifier::Classifier;
pub use input::Input;
pub use label::ClassLabel;
pub use regressor::Regressor;
pub use shared::Progress;
