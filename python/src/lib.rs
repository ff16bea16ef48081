//! # Selvedge for Python
//! The module `selvedge._native`: programs, and the questions that can be asked about them. It is a thin layer over the
//! library: answers go to Python as the JSON of the command line, and `selvedge/_answers.py` makes objects of them; the
//! exceptions are those of `selvedge/_errors.py`. Nothing is decided here.

mod ask;
mod command;
mod errors;
mod hear;
mod memory;
mod numbers;
mod plot;
mod program;
mod run;

/// What is compiled of the package; `selvedge` has it all.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::ask::engines;

    #[pymodule_export]
    use crate::plot::_plot;

    #[pymodule_export]
    use crate::program::{Program, load, parse};

    #[cfg(debug_assertions)]
    #[pymodule_export]
    use crate::run::_panic;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
