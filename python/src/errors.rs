//! # Exceptions
//! What is wrong, as Python says such things. The classes are in `selvedge/_errors.py`.

use std::fs::{self, File};
use std::path::PathBuf;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyTimeoutError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use selvedge::{Blame, DiagnosticReport, Failure, Stop};

mod classes {
    pyo3::import_exception!(selvedge._errors, InputError);
    pyo3::import_exception!(selvedge._errors, InternalError);
    pyo3::import_exception!(selvedge._errors, OptionError);
}

/// Where a text comes from.
pub enum Site {
    /// A file.
    File(PathBuf),
    /// A string.
    Text,
}

/// The exception for a failure.
pub fn raise(py: Python<'_>, site: &Site, failure: &Failure) -> PyErr {
    // A limit was reached before there was anything to be told.
    match failure {
        Failure::Stopped(Stop::Timeout) => return PyTimeoutError::new_err(failure.to_string()),
        Failure::Stopped(Stop::Memory) => return PyMemoryError::new_err(failure.to_string()),
        _ => {}
    }
    match failure.blame() {
        Blame::Options => option(&failure.to_string()),
        Blame::File => unreadable(site, &failure.to_string()),
        Blame::Bug => classes::InternalError::new_err(failure.to_string()),
        Blame::Input | Blame::System => {
            let places = match failure {
                Failure::Diagnostics(found) => selvedge::places(found),
                Failure::Message(..) | Failure::Stopped(_) => Vec::new(),
            };
            match diagnostics(py, places) {
                Ok(places) => classes::InputError::new_err((failure.to_string(), places.unbind())),
                Err(error) => error,
            }
        }
    }
}

/// An option is wrong.
pub fn option(message: &str) -> PyErr {
    classes::OptionError::new_err(message.to_owned())
}

/// Selvedge is wrong.
pub fn bug(message: &str) -> PyErr {
    classes::InternalError::new_err(Failure::bug(message).to_string())
}

/// A file cannot be read. `OSError` with a number is `FileNotFoundError`, or whatever the number stands for.
fn unreadable(site: &Site, message: &str) -> PyErr {
    // A pipe, which one might wait for, is not opened again.
    let open = |path| match fs::metadata(path)?.is_file() {
        true => File::open(path).map(drop),
        false => Ok(()),
    };
    if let Site::File(path) = site
        && let Err(reason) = open(path)
        && let Some(number) = reason.raw_os_error()
    {
        return PyOSError::new_err((number, message.to_owned(), path.clone().into_os_string()));
    }
    PyOSError::new_err(message.to_owned())
}

/// Mistakes and warnings, as a list of `Diagnostic`.
pub fn diagnostics(py: Python<'_>, found: Vec<DiagnosticReport>) -> PyResult<Bound<'_, PyList>> {
    let class = py.import("selvedge._answers")?.getattr("Diagnostic")?;
    let list = PyList::empty(py);
    for it in found {
        list.append(class.call1((
            it.file,
            it.line,
            it.column,
            it.severity,
            it.message,
            it.hint,
        ))?)?;
    }
    Ok(list)
}
