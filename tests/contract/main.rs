//! The guarantees of the public interface, for combinations of rule, strategy, kernel, number of classes and float
//! type.

mod combinations;
mod dense;
mod files;
mod growing;
mod hashed;
#[path = "../../src/testing/kernels.rs"]
mod kernels;
mod memory;
mod refusals;
mod regression;
mod sparse;
mod stream;

use budgetrs::kernel::AnyKernel;
