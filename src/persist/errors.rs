//! Errors of files and of their content.

use crate::Error;
use std::borrow::Cow;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The error for bytes that are not a valid model.
pub(crate) fn model_error(reason: impl Into<Cow<'static, str>>) -> Error {
    Error::Model(reason.into())
}

/// The crate's error for an error of the operating system, with the path.
pub(crate) fn io_error(path: &Path, error: &io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        kind: error.kind(),
        code: error.raw_os_error(),
        reason: error.to_string(),
    }
}

/// An error for a directory, a device or a pipe.
pub(super) fn check_regular(found: &fs::Metadata) -> io::Result<()> {
    if found.is_file() {
        Ok(())
    } else if found.is_dir() {
        Err(io::Error::new(ErrorKind::IsADirectory, "is a directory, not a file"))
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "is a device or pipe, not a file"))
    }
}
