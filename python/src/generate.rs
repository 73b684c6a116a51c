//! Generated streams as NumPy arrays.

use crate::error::{catch_panic, to_python};
use budgetrs::Error;
use budgetrs::generate::{self, Stream};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// The largest number of rows of one call, so that a mistaken number does not reserve all memory.
const MAX_ROWS: usize = 1_000_000_000;

type Arrays<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<i64>>);

/// Draw points of a 4 x 4 checkerboard, each coordinate with mean 0 and standard deviation 1.
///
/// Parameters
/// ----------
/// n : int
///     The number of rows, at most 1,000,000,000.
/// noise : float, default=0.0
///     The probability that a label is flipped, 0 to 1.
/// seed : int, default=0
///     Equal seeds produce equal rows.
///
/// Returns
/// -------
/// X : ndarray of float32, shape (n, 2)
///     Uniform on the square from -sqrt(3) to sqrt(3).
/// y : ndarray of int64, shape (n,)
///     The parity of the cell: 0 or 1.
///
/// Raises
/// ------
/// ValueError
///     If `n` or `noise` is outside its range.
///
/// Examples
/// --------
/// >>> from budgetrs._core import checkerboard
/// >>> X, y = checkerboard(1000, seed=1)
/// >>> X.shape, sorted(set(y.tolist()))
/// ((1000, 2), [0, 1])
#[pyfunction]
#[pyo3(signature = (n, noise = 0.0, seed = 0))]
pub(crate) fn checkerboard(py: Python<'_>, n: usize, noise: f64, seed: u64) -> PyResult<Arrays<'_>> {
    if !(0.0..=1.0).contains(&noise) {
        return Err(to_python(Error::parameter("noise", "a probability from 0 to 1", noise)));
    }
    arrays(py, n, || generate::checkerboard(n, noise, seed))
}

/// Draw rows of Breiman's waveform data, each feature with about mean 0 and standard deviation 1.
///
/// Parameters
/// ----------
/// n : int
///     The number of rows, at most 1,000,000,000.
/// seed : int, default=0
///     Equal seeds produce equal rows.
///
/// Returns
/// -------
/// X : ndarray of float32, shape (n, 21)
///     Mixtures of two of three triangular waves, with normal noise.
/// y : ndarray of int64, shape (n,)
///     The class: 0, 1 or 2.
///
/// Raises
/// ------
/// ValueError
///     If `n` is outside its range.
///
/// Examples
/// --------
/// >>> from budgetrs._core import waveform
/// >>> waveform(10)[0].shape
/// (10, 21)
#[pyfunction]
#[pyo3(signature = (n, seed = 0))]
pub(crate) fn waveform(py: Python<'_>, n: usize, seed: u64) -> PyResult<Arrays<'_>> {
    arrays(py, n, || generate::waveform(n, seed))
}

fn arrays(py: Python<'_>, n: usize, draw: impl FnOnce() -> Stream + Send) -> PyResult<Arrays<'_>> {
    if n > MAX_ROWS {
        return Err(to_python(Error::parameter("n", format!("an integer from 0 to {MAX_ROWS}"), n)));
    }
    let (stream, y) = py.detach(|| {
        catch_panic(|| {
            let stream = draw();
            let y: Vec<i64> = stream.classes.iter().copied().map(i64::from).collect();
            Ok((stream, y))
        })
    })?;
    let x = PyArray1::from_vec(py, stream.rows).reshape([n, stream.n_features])?;
    Ok((x, PyArray1::from_vec(py, y)))
}
