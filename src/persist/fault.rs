//! What is wrong with a path, and the error that says so.

use crate::Error;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

pub(super) fn check_regular(found: &fs::Metadata) -> io::Result<()> {
    if found.is_file() {
        Ok(())
    } else if found.is_dir() {
        Err(io::Error::new(ErrorKind::IsADirectory, "is a directory, not a file"))
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "is a device or pipe, not a file"))
    }
}

pub(crate) fn failed(path: &Path, error: &io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        kind: error.kind(),
        code: error.raw_os_error(),
        reason: error.to_string(),
    }
}
