//! Streaming parsers of LIBSVM text and CSV.
//!
//! The command line of budgetrs reads training data with them. They are push parsers: feed a [`Parser`] bytes in pieces
//! of any size, as a file, a pipe or a decompressor yields them, and take the complete rows.
//!
//! - The rows and the errors do not depend on how the bytes are cut into pieces.
//! - Memory is bounded by the rows of the bytes fed since the last [`Parser::take`], [`MAX_LINE`] and [`MAX_LABELS`].
//! - A line ends with `\n` or `\r\n`; the last line may lack its line end. Blank lines and a UTF-8 byte order mark at
//!   the start are skipped.
//! - Numbers are rounded correctly to `f64`, then to the value type `T`. A number that overflows `T` is an error.
//! - An error names the file, line and column ([`TextError`]). Invalid input never panics.
//!
//! | what | where |
//! |---|---|
//! | feeding bytes, taking rows | [`Parser`] |
//! | the formats and their options | [`Libsvm`], [`Csv`], invalid options: [`OptionError`] |
//! | the task, which says what the labels are | [`Task`], [`Label`], [`ParsedTargets`] |
//! | batches of rows | [`SparseRows`], [`DenseRows`] |
//! | a format of your own | [`Format`] |
//!
//! ```
//! use budgetrs_readers::{Libsvm, ParsedTargets, Parser, Task};
//!
//! let mut parser = Parser::new("train.txt", Task::Classification, Libsvm::<f32>::new());
//! parser.feed(b"+1 1:0.5 3:2\n-1 2:")?;
//! parser.feed(b"1e-1\n")?;
//! parser.finish()?;
//! let rows = parser.take();
//! assert_eq!(rows.row(1), (&[1][..], &[0.1][..]));
//! assert_eq!((rows.n_rows(), rows.n_columns), (2, 3));
//! assert_eq!(rows.targets, ParsedTargets::Classes(vec![0, 1]));
//!
//! let error = parser.feed(b"+1 0:2\n").unwrap_err();
//! assert!(error.to_string().starts_with("train.txt:3:4: expected an index from 1 on"));
//! # Ok::<(), budgetrs_readers::TextError>(())
//! ```
#![forbid(unsafe_code)]

mod csv;
mod digits8;
mod error;
mod fields;
mod float;
mod format;
mod label_cache;
mod labels;
mod libsvm;
mod missing;
mod number;
mod parse_error;
mod parser;
mod rounding;
mod rows;
mod scan;
mod targets;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use csv::Csv;
pub use error::{OptionError, TextError};
pub use float::Float;
pub use format::{DEFAULT_MAX_FEATURES, Format, MAX_LINE};
pub use labels::{Label, MAX_LABEL_BYTES, MAX_LABELS};
pub use libsvm::{Libsvm, MAX_FEATURES};
pub use parse_error::{ParseError, ParseResult, quote};
pub use parser::Parser;
pub use rows::{DenseRows, SparseRows};
pub use targets::{ParsedTargets, TargetReader, Task};
