//! Symmetric matrices by their tridiagonal form, for systems with many shifts of the diagonal.

use pulp::{Arch, NullaryFnOnce};

/// A row of a smaller square counts as zero. Beyond the rank of a matrix each row is shorter than the one before by about
/// the rounding error; the square of its factor would overflow.
const MIN_SQUARE: f64 = 1e-150;

/// A symmetric matrix `A = Q T Q'` with a tridiagonal T, by Householder reflections (Golub and Van Loan, section 8.3).
///
/// Making it takes `4/3 n^3` multiplications; then a solution of `(T + s I) u = c` takes O(n) for each shift s.
#[derive(Debug, Clone)]
pub(crate) struct Tridiagonal {
    n: usize,
    /// Row k holds the vector of reflection k, from entry k + 1 on.
    reflections: Vec<f64>,
    /// `2 / |v|^2` of each reflection.
    factors: Vec<f64>,
    diagonal: Vec<f64>,
    /// The entries beside the diagonal.
    beside: Vec<f64>,
}

impl Tridiagonal {
    /// Reduces a symmetric matrix, given row by row; only entries on and above the diagonal are read. None where `go_on`,
    /// which is called between two rows, returns false.
    pub(crate) fn new(mut matrix: Vec<f64>, n: usize, mut go_on: impl FnMut() -> bool) -> Option<Self> {
        let [mut factors, mut beside, mut diagonal] = [(); 3].map(|()| vec![0.0; n]);
        let (mut last, mut v, mut p) = (Update::zeros(n), vec![0.0; n], vec![0.0; n]);
        let arch = Arch::new();
        for k in 0..n {
            if !go_on() {
                return None;
            }
            let (head, tail) = matrix.split_at_mut((k + 1) * n);
            let row = &mut head[k * n + k..];
            last.apply(k, row);
            diagonal[k] = row[0];
            let row = &mut row[1..];
            let Some(first) = row.first().copied() else { break };
            let squared_length = row.iter().map(|x| x * x).sum::<f64>();
            if squared_length > MIN_SQUARE {
                beside[k] = -squared_length.sqrt().copysign(first);
                row[0] -= beside[k];
                factors[k] = 2.0 / row.iter().map(|x| x * x).sum::<f64>();
            }
            v[k + 1..].copy_from_slice(row);
            arch.dispatch(Sweep { last: &last, rows: tail, first: k + 1, x: &v, p: &mut p });
            last.prepare(k + 1, factors[k], &v, &p);
        }
        Some(Self { n, reflections: matrix, factors, diagonal, beside })
    }

    /// `Q' b`
    pub(crate) fn rotate(&self, mut b: Vec<f64>) -> Vec<f64> {
        (0..self.n).for_each(|k| self.apply(k, &mut b));
        b
    }

    /// `Q u`
    pub(crate) fn rotate_back(&self, mut u: Vec<f64>) -> Vec<f64> {
        (0..self.n).rev().for_each(|k| self.apply(k, &mut u));
        u
    }

    fn apply(&self, k: usize, x: &mut [f64]) {
        let v = &self.reflections[k * self.n + k + 1..(k + 1) * self.n];
        let along: f64 = v.iter().zip(&x[k + 1..]).map(|(v, x)| v * x).sum();
        let step = self.factors[k] * along;
        x[k + 1..].iter_mut().zip(v).for_each(|(x, v)| *x -= step * v);
    }

    /// `(T + shift I)^-1 c` and the trace of `(T + shift I)^-1`, where `T + shift I` is positive definite.
    pub(crate) fn solve(&self, shift: f64, c: &[f64]) -> (Vec<f64>, f64) {
        let n = self.n;
        // Pivots of the elimination from the first row on, and from the last row on.
        let (mut down, mut up) = (vec![0.0; n], vec![0.0; n]);
        let mut u = c.to_vec();
        for i in 0..n {
            down[i] = self.diagonal[i] + shift;
            if i > 0 {
                let factor = self.beside[i - 1] / down[i - 1];
                down[i] -= factor * self.beside[i - 1];
                u[i] -= factor * u[i - 1];
            }
        }
        for i in (0..n).rev() {
            let (mut pivot, mut value) = (self.diagonal[i] + shift, u[i]);
            if i + 1 < n {
                pivot -= self.beside[i] * self.beside[i] / up[i + 1];
                value -= self.beside[i] * u[i + 1];
            }
            (up[i], u[i]) = (pivot, value / down[i]);
        }
        let trace = (0..n).map(|i| 1.0 / (down[i] + up[i] - self.diagonal[i] - shift)).sum();
        (u, trace)
    }

    /// `u' T u`
    pub(crate) fn quadratic_form(&self, u: &[f64]) -> f64 {
        let diagonal: f64 = self.diagonal.iter().zip(u).map(|(t, u)| t * u * u).sum();
        let beside: f64 = self.beside.iter().zip(u.windows(2)).map(|(t, u)| t * u[0] * u[1]).sum();
        diagonal + 2.0 * beside
    }
}

/// The change of a reflection, `A <- A - v w' - w v'`, which each row makes when it is read for the next reflection.
struct Update {
    v: Vec<f64>,
    w: Vec<f64>,
}

impl Update {
    fn zeros(n: usize) -> Self {
        Self { v: vec![0.0; n], w: vec![0.0; n] }
    }

    /// Changes row `i`, given from its diagonal on.
    fn apply(&self, i: usize, row: &mut [f64]) {
        for ((a, v), w) in row.iter_mut().zip(&self.v[i..]).zip(&self.w[i..]) {
            *a -= self.v[i] * w + self.w[i] * v;
        }
    }

    /// Changes all rows from `first` on, and writes `A x` of the changed matrix into `p`, from `first` on.
    #[inline(always)]
    fn apply_and_multiply(&self, rows: &mut [f64], first: usize, x: &[f64], p: &mut [f64]) {
        let n = x.len();
        p[first..].fill(0.0);
        for (i, row) in (first..n).zip(rows.chunks_exact_mut(n)) {
            let (v_i, w_i, x_i) = (self.v[i], self.w[i], x[i]);
            row[i] -= 2.0 * v_i * w_i;
            p[i] += row[i] * x_i;
            // One pass over the row, in a fixed order of additions: `LANES` sums, which the processor keeps in vectors.
            let (row, row_rest) = row[i + 1..].as_chunks_mut::<LANES>();
            let (p_row, p_rest) = p[i + 1..].as_chunks_mut::<LANES>();
            let [(v, v_rest), (w, w_rest), (x, x_rest)] =
                [&self.v, &self.w, x].map(|each| each[i + 1..].as_chunks::<LANES>());
            let mut sums = [0.0; LANES];
            for ((((row, p), v), w), x) in row.iter_mut().zip(p_row).zip(v).zip(w).zip(x) {
                for j in 0..LANES {
                    row[j] -= v_i * w[j] + w_i * v[j];
                    p[j] += row[j] * x_i;
                    sums[j] += row[j] * x[j];
                }
            }
            for (j, row) in row_rest.iter_mut().enumerate() {
                *row -= v_i * w_rest[j] + w_i * v_rest[j];
                p_rest[j] += *row * x_i;
                sums[j] += *row * x_rest[j];
            }
            p[i] += sums.iter().sum::<f64>();
        }
    }

    /// Prepares the change of the reflection `I - factor v v'`, given `p = A v`, from entry `first` on.
    fn prepare(&mut self, first: usize, factor: f64, v: &[f64], p: &[f64]) {
        let along: f64 = p[first..].iter().zip(&v[first..]).map(|(p, v)| p * v).sum();
        let half = 0.5 * factor * factor * along;
        self.v[first..].copy_from_slice(&v[first..]);
        for ((w, p), v) in self.w[first..].iter_mut().zip(&p[first..]).zip(&v[first..]) {
            *w = factor * p - half * v;
        }
    }
}

/// [`Update::apply_and_multiply`], compiled for the vector instructions of the processor.
struct Sweep<'a> {
    last: &'a Update,
    rows: &'a mut [f64],
    first: usize,
    x: &'a [f64],
    p: &'a mut [f64],
}

impl NullaryFnOnce for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.last.apply_and_multiply(self.rows, self.first, self.x, self.p);
    }
}

/// The number of sums of a product.
const LANES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A positive semidefinite matrix of this rank, and a vector.
    fn system(n: usize, rank: usize) -> (Vec<f64>, Vec<f64>) {
        let mut rng = Rng::new(n as u64);
        let x: Vec<f64> = (0..n * rank).map(|_| rng.normal()).collect();
        let row = |i: usize| &x[i * rank..(i + 1) * rank];
        let product = |i, j| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
        let matrix = (0..n * n).map(|ij| product(ij / n, ij % n)).collect();
        (matrix, (0..n).map(|_| rng.normal()).collect())
    }

    #[test]
    fn solutions_traces_and_forms_agree_with_the_matrix() {
        for (n, rank) in [(1, 1), (2, 1), (3, 1), (8, 6), (31, 29), (31, 1), (43, 23), (60, 2)] {
            let (matrix, b) = system(n, rank);
            let reduced = Tridiagonal::new(matrix.clone(), n, || true).unwrap();
            let times = |shift: f64, u: &[f64]| -> Vec<f64> {
                let row = |i| (0..n).map(|j| matrix[i * n + j] * u[j]).sum::<f64>() + shift * u[i];
                (0..n).map(row).collect()
            };
            for shift in [1e-3, 1.0, 1e3] {
                let (u, trace) = reduced.solve(shift, &reduced.rotate(b.clone()));
                let x = reduced.rotate_back(u.clone());
                for (found, b) in times(shift, &x).iter().zip(&b) {
                    assert!((found - b).abs() < 1e-9, "n = {n}, shift = {shift}: {found} instead of {b}");
                }
                let form: f64 = times(0.0, &x).iter().zip(&x).map(|(a, b)| a * b).sum();
                // In directions that the matrix does not have, x is long, and its products cancel.
                let size = matrix.iter().step_by(n + 1).sum::<f64>() * x.iter().map(|x| x * x).sum::<f64>();
                assert!((reduced.quadratic_form(&u) - form).abs() < 1e-13 * size, "n = {n}, shift = {shift}");
                let column = |j: usize| {
                    let unit = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
                    reduced.rotate_back(reduced.solve(shift, &reduced.rotate(unit)).0)[j]
                };
                let expected: f64 = (0..n).map(column).sum();
                assert!((trace - expected).abs() < 1e-9 * expected, "n = {n}: {trace} instead of {expected}");
            }
        }
    }

    #[test]
    fn zeros_are_their_own_form() {
        let (u, trace) = Tridiagonal::new(vec![0.0; 9], 3, || true).unwrap().solve(2.0, &[2.0, 4.0, 6.0]);
        assert_eq!((u, trace), (vec![1.0, 2.0, 3.0], 1.5));
    }
}
