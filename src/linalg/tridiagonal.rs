//! Symmetric matrices by their tridiagonal form, for systems with many shifts of the diagonal.

use pulp::Arch;

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
    /// Reduces a symmetric matrix, given row by row.
    pub(crate) fn new(mut matrix: Vec<f64>, n: usize) -> Self {
        let (mut factors, mut beside) = (vec![0.0; n], vec![0.0; n]);
        let (mut p, mut v, arch) = (vec![0.0; n], vec![0.0; n], Arch::new());
        for k in 0..n.saturating_sub(1) {
            let (head, tail) = matrix.split_at_mut((k + 1) * n);
            let row = &mut head[k * n + k + 1..];
            let (p, v) = (&mut p[k + 1..], &mut v[k + 1..]);
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            beside[k] = if row[0] > 0.0 { -length } else { length };
            row[0] -= beside[k];
            let squared = row.iter().map(|x| x * x).sum::<f64>();
            if squared == 0.0 {
                continue;
            }
            factors[k] = 2.0 / squared;
            v.copy_from_slice(row);
            arch.dispatch(|| reflect(tail, (n, k + 1), v, p, factors[k]));
        }
        let diagonal = matrix.iter().step_by(n + 1).copied().collect();
        Self { n, reflections: matrix, factors, diagonal, beside }
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

/// `A <- H A H` for the rows and columns from `first` on, with `H = I - factor v v'`; p is a buffer.
#[inline(always)]
fn reflect(rows: &mut [f64], (n, first): (usize, usize), v: &[f64], p: &mut [f64], factor: f64) {
    p.fill(0.0);
    for (row, v) in rows.chunks_exact(n).zip(v) {
        p.iter_mut().zip(&row[first..]).for_each(|(p, a)| *p += factor * v * a);
    }
    let along: f64 = p.iter().zip(v).map(|(p, v)| p * v).sum();
    let half = 0.5 * factor * along;
    p.iter_mut().zip(v).for_each(|(w, v)| *w -= half * v);
    for (i, row) in rows.chunks_exact_mut(n).enumerate() {
        let (v_i, w_i) = (v[i], p[i]);
        for ((a, v), w) in row[first..].iter_mut().zip(v).zip(&*p) {
            *a -= v_i * w + w_i * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A positive semidefinite matrix of rank `n - 2`, and a vector.
    fn system(n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut rng = Rng::new(n as u64);
        let rank = n.saturating_sub(2).max(1);
        let x: Vec<f64> = (0..n * rank).map(|_| rng.normal()).collect();
        let row = |i: usize| &x[i * rank..(i + 1) * rank];
        let product = |i, j| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
        let matrix = (0..n * n).map(|ij| product(ij / n, ij % n)).collect();
        (matrix, (0..n).map(|_| rng.normal()).collect())
    }

    #[test]
    fn solutions_traces_and_forms_agree_with_the_matrix() {
        for n in [1, 2, 3, 8, 31] {
            let (matrix, b) = system(n);
            let reduced = Tridiagonal::new(matrix.clone(), n);
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
                // Rounding errors are relative to the product of the norms.
                let norms: f64 =
                    matrix.iter().step_by(n + 1).sum::<f64>() * u.iter().map(|u| u * u).sum::<f64>();
                assert!((reduced.quadratic_form(&u) - form).abs() < 1e-13 * norms);
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
        let (u, trace) = Tridiagonal::new(vec![0.0; 9], 3).solve(2.0, &[2.0, 4.0, 6.0]);
        assert_eq!((u, trace), (vec![1.0, 2.0, 3.0], 1.5));
    }
}
