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

/// How often a degree of freedom counts in the errors of new rows: by 1 + 4f they are larger than residuals, with f
/// degrees of freedom per row. For basis functions given beforehand it would be about 1 + f, the root of
/// `(1 + f) / (1 - f)`, but here the rows have also chosen the metric and the support vectors, including those removed.
const OPTIMISM: f64 = 4.0;

/// The penalties per row among which there is the penalty of a ridge with given residuals.
const ANY_PENALTY: (f64, f64) = (1e-6, 1e6);

/// How often their range is halved.
const HALVINGS: u32 = 30;

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
        let (mut limit, mut center) = (0.0, 0.0);
        for order in all.order.chunks(SAMPLE) {
            let (values, y, weights) = self.basis_rows(all, order)?;
            let predicted = values.dot(&theta);
            let mut residuals = &y - &predicted;
            if sample.is_none() {
                center = median(y.to_vec());
                let sizes = residuals.iter().map(|r| r.abs()).collect();
                limit = FAR * median(sizes); // squares of outliers would outweigh all other rows
            }
            if limit > 0.0 {
                residuals.mapv_inplace(|r| r.clamp(-limit, limit));
            }
            sums.add(&values, &residuals, &(predicted - center), &weights);
            sample.get_or_insert(Sample { values, y, weights });
            if !go_on() {
                return Ok(false);
            }
        }
        let Some(sample) = sample else { return Ok(true) };
        let limits = all.order.iter().map(|row| all.y[*row]).fold(NO_LIMITS, extended);
        let Some(gram) = sums.tridiagonal(go_on) else { return Ok(false) };
        let (mut change, freedom) = sums.ridge(&gram);
        change *= sample.share(&theta, &change, freedom, limits);
        let optimism = OPTIMISM * sums.freedom_after(&gram, &change);
        let half_widths = self.half_widths_after(all, &sample, &(&theta + &change), optimism);
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
    /// too small. So the residuals are enlarged by `1 + optimism`, but their mean at most to the late error. The half
    /// widths are the quantiles of the result over the expected errors. With fewer than 32 rows they stay as they are.
    fn half_widths_after(
        &self,
        all: FitRows<'_, '_, T>,
        sample: &Sample,
        theta: &Array1<f64>,
        optimism: f64,
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
            errors *= (all.late_error / mean_error).min(1.0 + optimism);
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

/// The sums `P'P` of basis functions P, and the sums with residuals and with targets.
struct Sums {
    n: usize,
    gram: Array2<f64>,
    residuals: Products,
    /// The targets less a center, without outliers.
    targets: Products,
}

/// The sums `P'y` and `y'y` of basis functions P and one number y of each row.
struct Products {
    products: Array1<f64>,
    square: f64,
}

impl Products {
    fn new(m: usize) -> Self {
        Self { products: Array1::zeros(m), square: 0.0 }
    }

    fn add(&mut self, values: &Array2<f64>, y: &Array1<f64>) {
        // By rows, which lie in memory one after the other: `values.t().dot(y)` would jump.
        let mut products = Array1::zeros(values.ncols());
        values.outer_iter().zip(y).for_each(|(values, y)| products.scaled_add(*y, &values));
        self.products += &products;
        self.square += y.dot(y);
    }

    /// The squared error of the coefficients u, in the coordinates of `gram`, as are the products c.
    fn error(&self, gram: &Tridiagonal, c: &[f64], u: &[f64]) -> f64 {
        let explained: f64 = c.iter().zip(u).map(|(c, u)| c * u).sum();
        (self.square - 2.0 * explained + gram.quadratic_form(u)).max(0.0)
    }
}

impl Sums {
    fn new(m: usize) -> Self {
        Self { n: 0, gram: Array2::zeros((m, m)), residuals: Products::new(m), targets: Products::new(m) }
    }

    /// Adds rows with their residuals and predictions; of the Gram matrix only the tiles on and above the diagonal.
    fn add(
        &mut self,
        values: &Array2<f64>,
        residuals: &Array1<f64>,
        predicted: &Array1<f64>,
        weights: &Array1<f64>,
    ) {
        let roots = weights.mapv(f64::sqrt);
        let values = values * &roots.view().insert_axis(Axis(1));
        self.n += residuals.len();
        for from in (0..self.gram.nrows()).step_by(TILE) {
            let to = self.gram.nrows().min(from + TILE);
            let left = values.slice_axis(Axis(1), Slice::from(from..to));
            let right = values.slice_axis(Axis(1), Slice::from(from..));
            let (_, mut tiles) = self.gram.view_mut().split_at(Axis(1), from);
            let mut tiles = tiles.slice_axis_mut(Axis(0), Slice::from(from..to));
            general_mat_mul(1.0, &left.t(), &right, 1.0, &mut tiles);
        }
        self.residuals.add(&values, &(residuals * &roots));
        self.targets.add(&values, &((predicted + residuals) * &roots));
    }

    /// The tridiagonal form of the Gram matrix. None where `go_on` returns false.
    fn tridiagonal(&self, go_on: impl FnMut() -> bool) -> Option<Tridiagonal> {
        let m = self.gram.nrows();
        let symmetric = Array2::from_shape_fn((m, m), |(i, j)| self.gram[(i.min(j), i.max(j))]);
        Tridiagonal::new(symmetric.into_raw_vec_and_offset().0, m, go_on)
    }

    /// The ridge solution for some products with this penalty, its squared error, and its degrees of freedom per row.
    fn solve(&self, gram: &Tridiagonal, of: &Products, c: &[f64], penalty: f64) -> (Vec<f64>, f64, f64) {
        let (u, trace) = gram.solve(penalty, c);
        let error = of.error(gram, c, &u);
        (u, error, (c.len() as f64 - penalty * trace) / self.n as f64)
    }

    /// The ridge solution and its degrees of freedom per row.
    ///
    /// The penalty has the smallest error of generalised cross-validation (Golub, Heath and Wahba 1979), in which each
    /// degree of freedom counts 1.2 times.
    fn ridge(&self, gram: &Tridiagonal) -> (Array1<f64>, f64) {
        let c = gram.rotate(self.residuals.products.to_vec());
        let solve = |i: i32| {
            let penalty = 0.1 * 3f64.powi(i) + 1e-6 * self.n as f64;
            let (u, rss, freedom) = self.solve(gram, &self.residuals, &c, penalty);
            (rss / unused(freedom).powi(2), (u, freedom))
        };
        let (_, (u, freedom)) = (1..PENALTIES).map(solve).fold(solve(0), smaller);
        (Array1::from(gram.rotate_back(u)), freedom)
    }

    /// The degrees of freedom per row of the model after a change of its coefficients, as of the ridge regression of
    /// the targets that leaves residuals of the same size.
    ///
    /// (The degrees of freedom of the change itself do not count what the passes have fitted.)
    fn freedom_after(&self, gram: &Tridiagonal, change: &Array1<f64>) -> f64 {
        let [c, change] = [&self.residuals.products, change].map(|each| gram.rotate(each.to_vec()));
        let error = self.residuals.error(gram, &c, &change);
        let c = gram.rotate(self.targets.products.to_vec());
        let solve = |log: f64| {
            let (_, rss, freedom) = self.solve(gram, &self.targets, &c, log.exp() * self.n as f64);
            (rss, freedom)
        };
        let (mut low, mut high) = (ANY_PENALTY.0.ln(), ANY_PENALTY.1.ln());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let side = if solve(middle).0 < error { &mut low } else { &mut high };
            *side = middle;
        }
        solve(low).1
    }
}

#[cfg(test)]
mod tests;
