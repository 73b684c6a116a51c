//! What every legal combination of maintenance, kernel, width, number of classes, projection on the ball and float type
//! promises, through the public interface.

mod combinations;
mod dense;
mod files;
mod growing;
mod hashed;
mod memory;
mod refusals;
mod regression;
mod sparse;
mod stream;
