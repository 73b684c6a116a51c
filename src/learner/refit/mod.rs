//! The end of a regression fit: ridge regression on the basis functions of the model, and new half widths of its
//! prediction intervals.

use super::{COVERAGES, Learner, Rows};
use crate::constants::{FAR, FEW_ROWS};
use crate::error::Result;
use crate::float::Real;
use crate::linalg::Tridiagonal;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, Slice};

/// The largest number of rows that the ridge is computed from.
pub(crate) const MAX_ROWS: usize = 20_000;

/// The penalties from which generalised cross-validation chooses are `0.1 * 3^i`; the largest is 5e4.
const PENALTIES: i32 = 13;

/// How often a degree of freedom counts, because the rows have chosen the basis functions too.
const FREEDOM_FACTOR: f64 = 1.2;

/// The number of rows whose basis functions are computed together; the first ones are kept. The largest number of basis
/// functions.
const SAMPLE: usize = 2048;

/// The number of basis functions whose products are computed together.
const TILE: usize = 128;

/// The number of steps from 0 to 1 between the shares of a change of the model whose absolute errors are compared.
const SHARES: u32 = 10;

/// The weight of squared errors where a change of the model improves them, but not absolute errors.
const SHARE_OF_SQUARES: f64 = 0.6;

/// How far errors move to the late error, on a logarithmic scale.
const SHARE_OF_WAY: f64 = 2.0 / 3.0;

/// The rows that a fit ends with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FitRows<'a, 'r, T: Real> {
    pub(crate) rows: &'a Rows<'r, T>,
    pub(crate) y: &'a [f64],
    pub(crate) weights: Option<&'a [f64]>,
    /// The rows to use, in random order.
    pub(crate) order: &'a [usize],
    /// The mean absolute error of the second half of the first pass, each row before it was learned.
    pub(crate) late_error: f64,
}

impl<T: Real> Learner<T> {
    /// Improves a regressor by ridge regression of its residuals on its basis functions, which are the inputs
    /// of the linear term and the kernel functions of the support vectors, and sets the half widths of its
    /// intervals. A model of more than 2,048 basis functions stays as it is.
    ///
    /// The ridge regression follows the mean of skewed targets, and the model their median, so only a share
    /// of the change may be added: see [`Sample::share`].
    ///
    /// Asks `go_on` between two steps whether to continue; otherwise returns false, and leaves the model as it was.
    pub(crate) fn refit(&mut self, all: FitRows<'_, '_, T>, mut go_on: impl FnMut() -> bool) -> Result<bool> {
        let theta = Array1::from(self.basis_coef());
        if theta.len() > SAMPLE {
            return Ok(true);
        }
        let mut sums = Sums::new(theta.len());
        let mut sample = None;
        let mut limit = 0.0;
        for order in all.order.chunks(SAMPLE) {
            let (values, y, weights) = self.basis_rows(all, order)?;
            let mut residuals = &y - &values.dot(&theta);
            if sample.is_none() {
                let sizes = residuals.iter().map(|r| r.abs()).collect();
                limit = FAR * median(sizes); // squares of outliers would outweigh all other rows
            }
            if limit > 0.0 {
                residuals.mapv_inplace(|r| r.clamp(-limit, limit));
            }
            sums.add(&values, &residuals, &weights);
            sample.get_or_insert(Sample { values, y, weights });
            if !go_on() {
                return Ok(false);
            }
        }
        let Some(sample) = sample else { return Ok(true) };
        let limits = all.order.iter().map(|row| all.y[*row]).fold(NO_LIMITS, extended);
        let Some((mut change, freedom)) = sums.ridge(go_on) else { return Ok(false) };
        change *= sample.share(&theta, &change, freedom, limits);
        let half_widths = self.half_widths_after(all, &sample, &(&theta + &change));
        if change.iter().any(|change| *change != 0.0) {
            *self = self.plus(&change.to_vec())?;
        }
        if let Some(half_widths) = half_widths {
            self.set_half_widths(&half_widths)?;
        }
        Ok(true)
    }

    /// The basis functions of some rows, their targets, and their weights relative to the mean of all rows.
    fn basis_rows(
        &self,
        all: FitRows<'_, '_, T>,
        order: &[usize],
    ) -> Result<(Array2<f64>, Array1<f64>, Array1<f64>)> {
        let values: Vec<f64> = self.basis(all.rows, order)?.into_iter().map(Real::to_f64).collect();
        let values =
            Array2::from_shape_fn((order.len(), self.n_basis()), |(i, j)| values[i * self.n_basis() + j]);
        let y = order.iter().map(|row| all.y[*row]).collect();
        let weights = match all.weights {
            Some(weights) => {
                let sum: f64 = all.order.iter().map(|row| weights[*row]).sum();
                order.iter().map(|row| weights[*row] * all.order.len() as f64 / sum).collect()
            }
            None => Array1::ones(order.len()),
        };
        Ok((values, y, weights))
    }

    /// The half widths of prediction intervals for rows that are new to a model fitted in several passes, with the
    /// coefficients `theta`.
    ///
    /// While a model learns, its half widths follow the errors of rows before they were learned. At the end
    /// of a fit these errors are too large, since the model was worse then, and the residuals of its rows are
    /// too small. So the residuals are moved two thirds of the way to the late error, on a logarithmic scale.
    /// (With half of the way 80% intervals of tables with few rows cover too little, with all of it smooth
    /// targets are covered too often.) The half widths are the quantiles of the result over the expected
    /// errors. With fewer than 32 rows they stay as they are.
    fn half_widths_after(
        &self,
        all: FitRows<'_, '_, T>,
        sample: &Sample,
        theta: &Array1<f64>,
    ) -> Option<Vec<f64>> {
        let n = sample.y.len();
        if n < FEW_ROWS as usize {
            return None;
        }
        let limits = sample.y.iter().copied().fold(NO_LIMITS, extended);
        let mut errors =
            (&sample.y - &sample.values.dot(theta).mapv(|f| f.clamp(limits.0, limits.1))).mapv(f64::abs);
        let mean_error = errors.sum() / n as f64;
        if mean_error > 0.0 && mean_error < all.late_error {
            errors *= (all.late_error / mean_error).powf(SHARE_OF_WAY);
        }
        let expected = self.expected_errors(all.rows, &all.order[..n]);
        let score = |(error, expected): (&f64, &f64)| if *expected > 0.0 { error / expected } else { 0.0 };
        let mut scores: Vec<f64> = errors.iter().zip(&expected).map(score).collect();
        scores.sort_unstable_by(f64::total_cmp);
        let rank = |coverage: f64| ((n + 1) as f64 * coverage).ceil() as usize - 1;
        Some(COVERAGES.iter().map(|coverage| scores[rank(*coverage).min(n - 1)]).collect())
    }
}

/// A range without numbers.
const NO_LIMITS: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn extended((min, max): (f64, f64), x: f64) -> (f64, f64) {
    (min.min(x), max.max(x))
}

/// The upper median of at least one number.
fn median(mut numbers: Vec<f64>) -> f64 {
    let middle = numbers.len() / 2;
    *numbers.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The basis functions of some rows, with their targets and weights.
struct Sample {
    values: Array2<f64>,
    y: Array1<f64>,
    weights: Array1<f64>,
}

impl Sample {
    /// Which share of a change with these degrees of freedom per row to add to the coefficients `theta`: all
    /// of it unless absolute errors rise.
    ///
    /// The share is three fifths of the way from that with the smallest mean absolute error to 1. The error
    /// is divided by the share of the rows that are not used up, as in generalised cross-validation.
    fn share(&self, theta: &Array1<f64>, change: &Array1<f64>, freedom: f64, limits: (f64, f64)) -> f64 {
        let (before, moved) = (self.values.dot(theta), self.values.dot(change));
        let error = |share: f64| {
            let predicted = (&before + &(share * &moved)).mapv(|f| f.clamp(limits.0, limits.1));
            self.weights.dot(&(&self.y - &predicted).mapv(f64::abs)) / unused(share * freedom)
        };
        let shares = (0..=SHARES).map(|i| f64::from(i) / f64::from(SHARES));
        let best = shares.map(|share| (error(share), share)).reduce(smaller).map_or(0.0, |(_, share)| share);
        best + SHARE_OF_SQUARES * (1.0 - best)
    }
}

/// The share of the rows that these degrees of freedom per row leave.
fn unused(freedom: f64) -> f64 {
    (1.0 - FREEDOM_FACTOR * freedom).max(1e-3)
}

/// The first of two candidates unless the second has a smaller error.
fn smaller<C>(a: (f64, C), b: (f64, C)) -> (f64, C) {
    if b.0 < a.0 { b } else { a }
}

/// The sums `P'P`, `P'r` and `r'r` of basis functions P and residuals r.
struct Sums {
    n: usize,
    gram: Array2<f64>,
    products: Array1<f64>,
    square: f64,
}

impl Sums {
    fn new(m: usize) -> Self {
        Self { n: 0, gram: Array2::zeros((m, m)), products: Array1::zeros(m), square: 0.0 }
    }

    /// Adds rows; of the Gram matrix only the tiles on and above the diagonal.
    fn add(&mut self, values: &Array2<f64>, residuals: &Array1<f64>, weights: &Array1<f64>) {
        let roots = weights.mapv(f64::sqrt);
        let values = values * &roots.view().insert_axis(Axis(1));
        let residuals = residuals * &roots;
        self.n += residuals.len();
        for from in (0..self.gram.nrows()).step_by(TILE) {
            let to = self.gram.nrows().min(from + TILE);
            let left = values.slice_axis(Axis(1), Slice::from(from..to));
            let right = values.slice_axis(Axis(1), Slice::from(from..));
            let (_, mut tiles) = self.gram.view_mut().split_at(Axis(1), from);
            let mut tiles = tiles.slice_axis_mut(Axis(0), Slice::from(from..to));
            general_mat_mul(1.0, &left.t(), &right, 1.0, &mut tiles);
        }
        self.products += &values.t().dot(&residuals);
        self.square += residuals.dot(&residuals);
    }

    /// The ridge solution and its degrees of freedom per row. None where `go_on` returns false.
    ///
    /// The penalty has the smallest error of generalised cross-validation (Golub, Heath and Wahba 1979), in which each
    /// degree of freedom counts 1.2 times.
    fn ridge(&self, go_on: impl FnMut() -> bool) -> Option<(Array1<f64>, f64)> {
        let (m, n) = (self.products.len(), self.n as f64);
        let symmetric = Array2::from_shape_fn((m, m), |(i, j)| self.gram[(i.min(j), i.max(j))]);
        let gram = Tridiagonal::new(symmetric.into_raw_vec_and_offset().0, m, go_on)?;
        let products = gram.rotate(self.products.to_vec());
        let solve = |i: i32| {
            let penalty = 0.1 * 3f64.powi(i) + 1e-6 * n;
            let (u, trace) = gram.solve(penalty, &products);
            let explained: f64 = products.iter().zip(&u).map(|(c, u)| c * u).sum();
            let rss = self.square - 2.0 * explained + gram.quadratic_form(&u);
            let freedom = (m as f64 - penalty * trace) / n;
            (rss.max(0.0) / unused(freedom).powi(2), (u, freedom))
        };
        let (_, (u, freedom)) = (1..PENALTIES).map(solve).fold(solve(0), smaller);
        Some((Array1::from(gram.rotate_back(u)), freedom))
    }
}

#[cfg(test)]
mod tests;
