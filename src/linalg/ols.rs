//! Which few members of an expansion it is best projected on, chosen one by one.

/// What [`orthogonal_least_squares`] has chosen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparseProjection {
    /// The members, in the order in which they were chosen.
    pub(crate) members: Vec<usize>,
    /// Their coefficients, `outputs` to the member.
    pub(crate) coefficients: Vec<f64>,
    /// `|f - P f| / |f|`; 0 where f is zero.
    pub(crate) relative_error: f64,
}

/// A function `f = sum_i a_i phi_i` with several outputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TargetFunction<'a> {
    pub(crate) outputs: usize,
    /// `a`, `outputs` to the member.
    pub(crate) coefficients: &'a [f64],
}

/// Chooses at most `max_members` members whose span f is projected on: each time the one that brings the projection
/// nearest to f, which is orthogonal least squares (Chen, Cowan and Grant 1991) in feature space. `row` writes
/// `k(x_i, x_j)` for every j.
///
/// A pivoted Cholesky factor `L L' = K` of the members chosen is the orthogonal basis: its columns hold the products of
/// all members with the basis, `correlations` those with what is left of f, and a member `i` would take
/// `along_i^2 / rest_i` of `|f|^2`. Members whose squared residual is under a share of `dependent` of their squared
/// length are in the span. Time is `O(n max_members (max_members + d))`, memory `O(n max_members)`.
pub(crate) fn orthogonal_least_squares(
    f: TargetFunction<'_>,
    max_members: usize,
    dependent: f64,
    mut row: impl FnMut(usize, &mut [f64]),
) -> SparseProjection {
    let TargetFunction { outputs, coefficients } = f;
    let n = coefficients.len() / outputs;
    let (mut correlations, mut diag, mut k) = (vec![0.0; n * outputs], vec![0.0; n], vec![0.0; n]);
    for (i, a) in coefficients.chunks_exact(outputs).enumerate() {
        row(i, &mut k);
        diag[i] = k[i];
        for (correlations, k) in correlations.chunks_exact_mut(outputs).zip(&k) {
            correlations.iter_mut().zip(a).for_each(|(correlations, a)| *correlations += k * a);
        }
    }
    let product =
        |correlations: &[f64]| correlations.iter().zip(coefficients).map(|(x, a)| x * a).sum::<f64>();
    let sq_norm = product(&correlations);
    let mut residuals = diag.clone();
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(max_members.min(n));
    let mut shares: Vec<f64> = Vec::new();
    let mut members = Vec::with_capacity(max_members.min(n));
    while members.len() < max_members.min(n) {
        let Some(p) = best(&correlations, outputs, &residuals, &diag, dependent) else { break };
        let mut column = vec![0.0; n];
        row(p, &mut column);
        for before in &basis {
            let share = before[p];
            column.iter_mut().zip(before).for_each(|(c, b)| *c -= share * b);
        }
        let length = residuals[p].sqrt();
        for c in &mut column {
            *c /= length;
        }
        let share: Vec<f64> =
            correlations[p * outputs..(p + 1) * outputs].iter().map(|x| x / length).collect();
        for ((correlations, residuals), c) in
            correlations.chunks_exact_mut(outputs).zip(&mut residuals).zip(&column)
        {
            *residuals -= c * c;
            correlations.iter_mut().zip(&share).for_each(|(correlations, share)| *correlations -= c * share);
        }
        // It lies in the span from now on, whatever rounding leaves.
        residuals[p] = 0.0;
        members.push(p);
        basis.push(column);
        shares.extend(share);
    }
    let relative_error = if sq_norm > 0.0 { (product(&correlations).max(0.0) / sq_norm).sqrt() } else { 0.0 };
    SparseProjection { coefficients: solve(&members, &basis, shares, outputs), members, relative_error }
}

/// The member that explains most of the rest, the first of equals; none if all lie in the span or no rest is left.
fn best(
    correlations: &[f64],
    outputs: usize,
    residuals: &[f64],
    diag: &[f64],
    dependent: f64,
) -> Option<usize> {
    let (mut best, mut max_members) = (None, 0.0);
    for (i, correlations) in correlations.chunks_exact(outputs).enumerate() {
        if residuals[i] > dependent * diag[i] {
            let gain = correlations.iter().map(|x| x * x).sum::<f64>() / residuals[i];
            if gain > max_members {
                (best, max_members) = (Some(i), gain);
            }
        }
    }
    best
}

/// Coefficients of the members from the coefficients of the basis: `L' c = shares`.
fn solve(members: &[usize], basis: &[Vec<f64>], mut shares: Vec<f64>, outputs: usize) -> Vec<f64> {
    for i in (0..members.len()).rev() {
        for output in 0..outputs {
            let mut c = shares[i * outputs + output];
            for (j, &later) in members.iter().enumerate().skip(i + 1) {
                c -= basis[i][later] * shares[j * outputs + output];
            }
            shares[i * outputs + output] = c / basis[i][members[i]];
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Vectors of a plain product, and the coefficients of a function of them.
    fn drawn(seed: u64, n: usize, d: usize, outputs: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut rng = Rng::new(seed);
        let mut number = || rng.uniform() - 0.5;
        let vectors = (0..n).map(|_| (0..d).map(|_| number()).collect()).collect();
        (vectors, (0..n * outputs).map(|_| number()).collect())
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// `sum_i a_i x_i`, a vector to the output.
    fn expanded(vectors: &[&Vec<f64>], coefficients: &[f64], outputs: usize) -> Vec<f64> {
        let mut all = vec![0.0; outputs * vectors[0].len()];
        for (x, a) in vectors.iter().zip(coefficients.chunks_exact(outputs)) {
            for (w, a) in all.chunks_exact_mut(x.len()).zip(a) {
                w.iter_mut().zip(*x).for_each(|(w, x)| *w += a * x);
            }
        }
        all
    }

    fn choose_of(
        vectors: &[Vec<f64>],
        coefficients: &[f64],
        outputs: usize,
        max_members: usize,
    ) -> SparseProjection {
        orthogonal_least_squares(TargetFunction { outputs, coefficients }, max_members, 1e-10, |i, k| {
            k.iter_mut().zip(vectors).for_each(|(k, x)| *k = dot(&vectors[i], x));
        })
    }

    /// Of all single members the one that is chosen leaves least, and so on, by brute force over the residuals.
    #[test]
    fn each_choice_leaves_least() {
        for seed in 0..20 {
            let (n, d, outputs) = (12, 8, 1 + seed as usize % 3);
            let (vectors, a) = drawn(seed, n, d, outputs);
            let f = expanded(&vectors.iter().collect::<Vec<_>>(), &a, outputs);
            let chosen = choose_of(&vectors, &a, outputs, 5);
            // Gram-Schmidt on the vectors themselves.
            let (mut basis, mut left): (Vec<Vec<f64>>, _) = (Vec::new(), f.clone());
            for &member in &chosen.members {
                let direction = |i: usize| {
                    let mut x = vectors[i].clone();
                    for q in &basis {
                        let share = dot(q, &x);
                        x.iter_mut().zip(q).for_each(|(x, q)| *x -= share * q);
                    }
                    let length = dot(&x, &x).sqrt();
                    (length > 1e-6).then(|| x.iter().map(|x| x / length).collect::<Vec<f64>>())
                };
                let gain = |q: &Vec<f64>| left.chunks_exact(d).map(|w| dot(w, q).powi(2)).sum::<f64>();
                let gains: Vec<f64> = (0..n).map(|i| direction(i).as_ref().map_or(0.0, gain)).collect();
                let max_members = gains.iter().copied().fold(0.0, f64::max);
                assert!(
                    gains[member] >= max_members - 1e-9,
                    "seed {seed}: {} of {max_members}",
                    gains[member]
                );
                let q = direction(member).unwrap();
                for w in left.chunks_exact_mut(d) {
                    let share = dot(w, &q);
                    w.iter_mut().zip(&q).for_each(|(w, q)| *w -= share * q);
                }
                basis.push(q);
            }
            let members: Vec<&Vec<f64>> = chosen.members.iter().map(|&i| &vectors[i]).collect();
            let reduced = expanded(&members, &chosen.coefficients, outputs);
            let differs: Vec<f64> = f.iter().zip(&reduced).map(|(f, r)| f - r).collect();
            for (difference, left) in differs.iter().zip(&left) {
                assert!((difference - left).abs() < 1e-9, "seed {seed}: not the projection");
            }
            let relative_error = (dot(&left, &left) / dot(&f, &f)).sqrt();
            assert!(
                (chosen.relative_error - relative_error).abs() < 1e-7,
                "seed {seed}: {} and {relative_error}",
                chosen.relative_error
            );
        }
    }

    #[test]
    fn what_lies_in_the_span_is_not_chosen() {
        // Eight dimensions hold every function: no ninth member is chosen, and nothing is lost.
        let (vectors, a) = drawn(3, 30, 8, 2);
        let chosen = choose_of(&vectors, &a, 2, 20);
        assert_eq!(chosen.members.len(), 8);
        assert!(chosen.relative_error < 1e-7, "{}", chosen.relative_error);
        // A function that is zero needs none.
        let none = choose_of(&vectors, &[0.0; 60], 2, 20);
        assert_eq!(
            none,
            SparseProjection { members: Vec::new(), coefficients: Vec::new(), relative_error: 0.0 }
        );
    }
}
