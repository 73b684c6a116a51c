//! The end of a fit against its definition: sums over rows, and systems solved by elimination.

use super::{COVERAGES, FitRows, Learner, SAMPLE};
use crate::batch::Task;
use crate::constants::FEW_ROWS;
use crate::learner::{Rows, Targets};
use crate::params::Spec;
use crate::rng::Rng;
use ndarray::{Array2, ArrayView2, Axis, Slice};

/// A row with its basis functions.
#[derive(Clone)]
struct Row {
    basis: Vec<f64>,
    y: f64,
    weight: f64,
}

/// What the end of a fit gives, and what it has chosen.
struct Expected {
    coef: Vec<f64>,
    half_widths: Vec<f64>,
    penalty: i32,
    share: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, x)).collect()
}

/// The inverse of a matrix, by Gauss-Jordan elimination.
fn inverse(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for (i, row) in a.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for i in 0..n {
        let best = (i..n).max_by(|&j, &k| a[j][i].abs().total_cmp(&a[k][i].abs())).unwrap();
        a.swap(i, best);
        let pivot: Vec<f64> = a[i].iter().map(|entry| entry / a[i][i]).collect();
        for (j, row) in a.iter_mut().enumerate() {
            let factor = row[i];
            for (entry, pivot) in row.iter_mut().zip(&pivot) {
                *entry = if i == j { *pivot } else { *entry - factor * pivot };
            }
        }
    }
    a.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// The ridge solution of residuals and its degrees of freedom per row, by its hat matrix; and the error of generalised
/// cross-validation.
fn ridge(rows: &[Row], residuals: &[f64], penalty: f64) -> (f64, Vec<f64>, f64) {
    let m = rows[0].basis.len();
    let mut normal = vec![vec![0.0; m]; m];
    let mut products = vec![0.0; m];
    for (row, residual) in rows.iter().zip(residuals) {
        for (j, b) in row.basis.iter().enumerate() {
            products[j] += row.weight * b * residual;
            (0..m).for_each(|k| normal[j][k] += row.weight * b * row.basis[k]);
        }
    }
    (0..m).for_each(|j| normal[j][j] += penalty);
    let inverse = inverse(normal);
    let change = times(&inverse, &products);
    let leverage = |row: &Row| row.weight * dot(&row.basis, &times(&inverse, &row.basis));
    let freedom = rows.iter().map(leverage).sum::<f64>() / rows.len() as f64;
    let square = |(row, residual): (&Row, &f64)| row.weight * (residual - dot(&row.basis, &change)).powi(2);
    let rss: f64 = rows.iter().zip(residuals).map(square).sum();
    (rss / (1.0 - 1.2 * freedom).max(1e-3).powi(2), change, freedom)
}

/// The smallest and the largest target.
fn range(rows: &[Row]) -> (f64, f64) {
    let y = || rows.iter().map(|row| row.y);
    (y().reduce(f64::min).unwrap(), y().reduce(f64::max).unwrap())
}

fn by_definition(learner: &Learner<f64>, rows: &[Row], late_error: f64) -> Expected {
    let theta = learner.basis_coef();
    let sample = &rows[..rows.len().min(2048)];

    // Outliers count less: beyond 30 times the median size of the residuals in the sample.
    let residual = |row: &Row| row.y - dot(&row.basis, &theta);
    let mut sizes: Vec<f64> = sample.iter().map(|row| residual(row).abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let limit = 30.0 * sizes[sizes.len() / 2];
    let residuals: Vec<f64> = rows.iter().map(|row| residual(row).max(-limit).min(limit)).collect();

    let n = rows.len() as f64;
    let solutions = (0..13).map(|i| (i, ridge(rows, &residuals, 0.1 * 3f64.powi(i) + 1e-6 * n)));
    let best = solutions.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0)).unwrap();
    let (penalty, (_, change, freedom)) = best;

    let after =
        |share: f64| -> Vec<f64> { theta.iter().zip(&change).map(|(theta, c)| theta + share * c).collect() };
    let absolute_error = |share: f64| {
        let (coef, (min, max)) = (after(share), range(rows));
        let error = |row: &Row| row.weight * (row.y - dot(&row.basis, &coef).clamp(min, max)).abs();
        sample.iter().map(error).sum::<f64>() / (1.0 - 1.2 * share * freedom).max(1e-3)
    };
    let shares = (0..11).map(|i| f64::from(i) * 0.1);
    let best = shares.min_by(|a, b| absolute_error(*a).total_cmp(&absolute_error(*b))).unwrap();
    let share = 0.4 * best + 0.6;
    let coef = after(share);

    // The degrees of freedom of the ridge regression of the targets that leaves residuals of the same size.
    let mut middle: Vec<f64> = sample.iter().map(|row| row.y).collect();
    middle.sort_by(f64::total_cmp);
    let middle = middle[middle.len() / 2];
    let target = |(row, residual): (&Row, &f64)| dot(&row.basis, &theta) + residual - middle;
    let targets: Vec<f64> = rows.iter().zip(&residuals).map(target).collect();
    let left = |row: &Row, y: f64, coef: &[f64]| row.weight * (y - dot(&row.basis, coef)).powi(2);
    let rss = |y: &[f64], coef: &[f64]| rows.iter().zip(y).map(|(row, y)| left(row, *y, coef)).sum::<f64>();
    let scaled: Vec<f64> = change.iter().map(|c| share * c).collect();
    let size = rss(&residuals, &scaled);
    let (mut low, mut high) = ((1e-6 * n).ln(), (1e6 * n).ln());
    for _ in 0..28 {
        let middle = 0.5 * (low + high);
        let smaller = rss(&targets, &ridge(rows, &targets, middle.exp()).1) < size;
        (low, high) = if smaller { (middle, high) } else { (low, middle) };
    }
    let freedom = ridge(rows, &targets, low.exp()).2;

    // The errors of the sample, enlarged up to the late error, over the expected errors.
    let (min, max) = range(sample);
    let errors: Vec<f64> =
        sample.iter().map(|row| (row.y - dot(&row.basis, &coef).clamp(min, max)).abs()).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let factor = (1.0 + 4.0 * freedom).min(late_error / mean).max(1.0);
    let expansion = &learner.expansion;
    let near: Vec<f64> = expansion.order().iter().map(|slot| expansion.error_near(slot).unwrap()).collect();
    let expected_error = |row: &Row| {
        let kernels = &row.basis[row.basis.len() - near.len()..];
        let (mut sum, mut weights) = (0.05 * expansion.mean_error(), 0.05);
        for (k, error) in kernels.iter().zip(&near) {
            sum += k * k * error;
            weights += k * k;
        }
        sum / weights
    };
    let mut scores: Vec<f64> =
        errors.iter().zip(sample).map(|(error, row)| factor * error / expected_error(row)).collect();
    scores.sort_by(f64::total_cmp);
    let covering = |coverage: f64| {
        let rows = ((scores.len() + 1) as f64 * coverage).ceil() as usize;
        scores[rows.min(scores.len()) - 1]
    };
    Expected { coef, half_widths: COVERAGES.map(covering).to_vec(), penalty, share }
}

/// A learner of some rows, and more rows, on which its fit ends.
struct Case {
    learner: Learner<f64>,
    x: Array2<f64>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    order: Vec<usize>,
}

impl Case {
    /// A model of the first rows with this budget, and `n` rows with noise of which `skew` is the skewed part.
    fn new(n: usize, budget: usize, (noise, skew): (f64, f64)) -> Self {
        let mut rng = Rng::new(n as u64);
        let x = Array2::from_shape_simple_fn((n, 4), || rng.normal());
        let skewed = |z: f64| skew * (1.2 * z).exp() + (1.0 - skew) * z;
        let target = |x: ndarray::ArrayView1<'_, f64>| x[0] * x[1] + x[2] + noise * skewed(rng.normal());
        let y: Vec<f64> = x.outer_iter().map(target).collect();
        let mut spec = Spec::named_regression("online-kernel").unwrap();
        spec.budget = Some(budget);
        let mut learner: Learner<f64> = spec.check().unwrap().build(4, Task::Regression).unwrap();
        let first = n.min(400);
        let rows = Rows::Dense(x.slice_axis(Axis(0), Slice::from(..first)));
        learner.learn_batch(&rows, Targets::Values(&y[..first]), None).unwrap();
        let mut order: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut order);
        Self { learner, x, y, weights: None, order }
    }

    fn rows(&self) -> Rows<'_, f64> {
        Rows::Dense(self.x.view())
    }

    /// The rows with their basis functions and relative weights.
    fn basis_rows(&self) -> Vec<Row> {
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |weights| weights[row]);
        let mean = self.order.iter().map(|row| weight(*row)).sum::<f64>() / self.order.len() as f64;
        let values = self.learner.basis(&self.rows(), &self.order).unwrap();
        let basis = values.chunks(self.learner.n_basis());
        let row = |(basis, row): (&[f64], &usize)| Row {
            basis: basis.to_vec(),
            y: self.y[*row],
            weight: weight(*row) / mean,
        };
        basis.zip(&self.order).map(row).collect()
    }

    fn refitted(&self, late_error: f64) -> Learner<f64> {
        let (rows, mut learner) = (self.rows(), self.learner.clone());
        let (y, weights, order) = (&self.y[..], self.weights.as_deref(), &self.order[..]);
        let end = FitRows { rows: &rows, y, weights, order, late_error };
        for steps in [0, 1, 3] {
            let mut calls = 0;
            let go_on = || {
                calls += 1;
                calls <= steps
            };
            assert!(!learner.refit(end, go_on).unwrap());
            assert_eq!(learner.basis_coef(), self.learner.basis_coef());
        }
        assert!(learner.refit(end, || true).unwrap());
        learner
    }

    /// Compares the end of the fit with its definition. Returns the chosen penalty and share.
    fn agrees(&self, late_error: f64) -> (i32, f64) {
        let expected = by_definition(&self.learner, &self.basis_rows(), late_error);
        let refitted = self.refitted(late_error);
        assert_close(&refitted.basis_coef(), &expected.coef);
        assert_close(&half_widths(&refitted), &expected.half_widths);
        (expected.penalty, expected.share)
    }
}

fn half_widths(learner: &Learner<f64>) -> Vec<f64> {
    let intervals = learner.monitors.intervals().unwrap();
    COVERAGES.iter().map(|coverage| intervals.at(*coverage)).collect()
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().map(|x| x.abs()).fold(0.0, f64::max);
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-7 * size, "{i}: {found} instead of {expected}");
    }
}

#[test]
fn a_fit_ends_as_defined() {
    let mut chosen = Vec::new();
    for (n, budget) in [(60, 30), (300, 150), (3000, 30)] {
        for noise in [(0.1, 0.0), (3.0, 0.0), (3.0, 1.0)] {
            let mut case = Case::new(n, budget, noise);
            chosen.push(case.agrees(0.0));
            case.agrees(10.0);
            case.weights = Some((0..n).map(|row| f64::from(row as u32 % 5) / 4.0 + 0.1).collect());
            chosen.push(case.agrees(0.0));
            case.y[7] += 1e6;
            chosen.push(case.agrees(0.0));
        }
    }
    // Several penalties and shares were right.
    let mut penalties: Vec<i32> = chosen.iter().map(|(penalty, _)| *penalty).collect();
    penalties.sort_unstable();
    penalties.dedup();
    assert!(penalties.len() >= 4, "{penalties:?}");
    assert!(chosen.iter().any(|(_, share)| *share == 1.0));
    assert!(chosen.iter().any(|(_, share)| *share < 0.9));
}

#[test]
fn rows_that_the_order_leaves_out_do_not_count() {
    let mut case = Case::new(300, 30, (1.0, 0.0));
    case.order.retain(|row| *row >= 100);
    case.agrees(0.0);
    let before = case.refitted(0.0).basis_coef();
    (0..100).for_each(|row| case.y[row] = 1e9);
    assert_eq!(case.refitted(0.0).basis_coef(), before);
}

#[test]
fn predictions_change_by_the_basis_functions() {
    let case = Case::new(500, 30, (1.0, 0.0));
    let coef = case.refitted(0.0).basis_coef();
    let predicted = case.refitted(0.0).decision_function(&case.rows()).unwrap();
    let values = case.learner.basis(&case.rows(), &(0..500).collect::<Vec<_>>()).unwrap();
    let (min, max) = range(&case.basis_rows());
    let mut inside = 0;
    for (basis, predicted) in values.chunks(coef.len()).zip(predicted) {
        let expected = dot(basis, &coef);
        // Predictions stay in the range of the targets learned.
        if expected > 0.8 * min && expected < 0.8 * max {
            assert!((predicted - expected).abs() < 1e-9, "{predicted} instead of {expected}");
            inside += 1;
        }
    }
    assert!(inside > 400, "{inside}");
}

#[test]
fn intervals_of_a_smooth_target_cover_half_of_new_rows() {
    let mut rng = Rng::new(1);
    let x = Array2::from_shape_simple_fn((4000, 2), || rng.normal());
    let y: Vec<f64> = x.outer_iter().map(|x| (2.0 * x[0]).sin() * x[1]).collect();
    let [known, new] = [0..2000, 2000..4000].map(|rows| Rows::Dense(x.slice_axis(Axis(0), rows.into())));
    let spec = Spec::named_regression("online-kernel").unwrap();
    let mut learner: Learner<f64> = spec.check().unwrap().build(2, Task::Regression).unwrap();
    learner.learn_batch(&known, Targets::Values(&y[..2000]), None).unwrap();
    let late_error = learner.counts().absolute_error / 2000.0;
    let order: Vec<usize> = (0..2000).collect();
    let end = FitRows { rows: &known, y: &y[..2000], weights: None, order: &order, late_error };
    assert!(learner.refit(end, || true).unwrap());
    let ends = learner.predict_interval(&new, 0.5).unwrap();
    let inside = ends.chunks(2).zip(&y[2000..]).filter(|(ends, y)| ends[0] <= **y && **y <= ends[1]).count();
    assert!((900..1200).contains(&inside), "{inside} of 2000");
}

#[test]
fn few_rows_leave_half_widths() {
    let mut case = Case::new(FEW_ROWS as usize, 10, (1.0, 0.0));
    assert_ne!(half_widths(&case.refitted(0.0)), half_widths(&case.learner));
    case.order.pop();
    assert_eq!(half_widths(&case.refitted(0.0)), half_widths(&case.learner));
    assert_ne!(case.refitted(0.0).basis_coef(), case.learner.basis_coef());
}

#[test]
fn equal_targets_change_nothing() {
    let mut case = Case::new(100, 10, (1.0, 0.0));
    case.y.fill(3.0);
    let mut learner = case.learner.spec.build(4, Task::Regression).unwrap();
    learner.learn_batch(&case.rows(), Targets::Values(&case.y), None).unwrap();
    case.learner = learner;
    assert_eq!(case.refitted(0.0).basis_coef(), case.learner.basis_coef());
    assert_eq!(half_widths(&case.refitted(0.0)), [0.0; COVERAGES.len()]);
}

#[test]
fn a_model_of_many_basis_functions_stays() {
    let x: Vec<f64> = (0..2500).map(f64::from).collect();
    let rows = Rows::Dense(ArrayView2::from_shape((2500, 1), &x).unwrap());
    let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    let order: Vec<usize> = (0..2500).collect();
    let mut spec = Spec::named_regression("online-kernel").unwrap();
    spec.budget = Some(2500);
    let mut learner: Learner<f64> = spec.check().unwrap().build(1, Task::Regression).unwrap();
    learner.learn_batch(&rows, Targets::Values(&y), None).unwrap();
    let before = (learner.basis_coef(), half_widths(&learner));
    assert!(before.0.len() > SAMPLE);
    let end = FitRows { rows: &rows, y: &y, weights: None, order: &order, late_error: 0.0 };
    assert!(learner.refit(end, || true).unwrap());
    assert_eq!((learner.basis_coef(), half_widths(&learner)), before);
}
