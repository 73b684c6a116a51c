//! Streaming readers of LIBSVM text and CSV.
//!
//! The command line of budgetrs reads training data with them. Feed a [`Reader`] bytes in pieces of any size, as a file,
//! a pipe or a decompressor yields them, and take the complete rows.
//!
//! - The rows and the errors do not depend on how the bytes are cut into pieces.
//! - Memory is bounded by the rows of the bytes fed since the last [`Reader::take`] and by [`MAX_LINE`].
//! - A line ends with `\n` or `\r\n`; the last line may lack its line end. Blank lines and a UTF-8 byte order mark at
//!   the start are skipped.
//! - Numbers are rounded correctly to `f64`, then to the float type of the rows. A missing number is NaN.
//! - [`Rows::lines`] has the line of each row, so that later errors can name it.
//! - An error is data: its line, its column and the expected content ([`TextError`]). Invalid input never panics.
//!
//! [`Csv`] takes the kind of each field. [`sample`] looks at the first lines of a file to choose the kinds.
//!
//! ```
//! use budgetrs_readers::{Libsvm, Reader, Rows, Task, Target};
//!
//! let mut reader = Reader::new(Libsvm::default(), Rows::new(Task::Regression, true));
//! reader.feed(b"0.5 1:0.5 3:2\n-1 2:")?;
//! reader.feed(b"1e-1\n")?;
//! let rows = reader.take();
//! assert_eq!((rows.indptr, rows.indices), (vec![0, 2, 3], vec![0, 2, 1]));
//! assert_eq!((rows.target, rows.lines), (Target::Numbers(vec![0.5, -1.0]), vec![1, 2]));
//!
//! let error = reader.feed(b"1 0:2\n").unwrap_err();
//! assert_eq!(error.to_string(), "3:3: expected an index from 1 on, got `0:2`");
//! # Ok::<(), budgetrs_readers::TextError>(())
//! ```
#![forbid(unsafe_code)]

mod csv;
mod error;
mod field;
mod libsvm;
mod number;
mod reader;
mod rows;
mod sample;
#[cfg(test)]
mod tests;

pub use csv::{Csv, Kind};
pub use error::{Expected, MAX_LINE, TextError};
pub use field::Delimiter;
pub use libsvm::{Libsvm, MAX_FEATURES, width};
pub use number::MISSING;
pub use reader::{Format, Reader};
pub use rows::{Categories, Floats, Rows, Target, Task};
pub use sample::{FieldKind, Sample, sample};
