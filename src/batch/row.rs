//! One input row, dense or sparse.

use crate::float::Real;

/// One row of input: all features, or the non-zero features.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a, T: Real> {
    /// All features.
    Dense(&'a [T]),
    /// Zero-based feature indices, strictly increasing, and their values.
    Sparse(&'a [u32], &'a [T]),
}

impl<'a, T: Real> Row<'a, T> {
    /// The stored values: all features of a dense row, the non-zero ones of a sparse row.
    #[must_use]
    #[inline(always)]
    pub fn values(self) -> &'a [T] {
        match self {
            Self::Dense(x) | Self::Sparse(_, x) => x,
        }
    }

    /// `|x|^2`, in eight partial sums: a single sum, which is sequential, would take longer than the other work of a
    /// row.
    #[inline(always)]
    pub(crate) fn squared_norm(self) -> T {
        let (chunks, remainder) = self.values().as_chunks::<8>();
        let mut sums = [T::ZERO; 8];
        for chunk in chunks {
            for (sum, &x) in sums.iter_mut().zip(chunk) {
                *sum += x * x;
            }
        }
        let total = sums.into_iter().fold(T::ZERO, |total, sum| total + sum);
        remainder.iter().fold(total, |sum, &x| sum + x * x)
    }

    /// The feature of the `i`-th stored value.
    #[inline(always)]
    pub(crate) fn feature(self, i: usize) -> usize {
        match self {
            Self::Dense(_) => i,
            Self::Sparse(indices, _) => indices[i] as usize,
        }
    }

    /// The first `features` features, and the remaining ones.
    pub(crate) fn split(self, features: usize) -> (Self, Self) {
        match self {
            Self::Dense(x) => {
                let (head, tail) = x.split_at(features);
                (Self::Dense(head), Self::Dense(tail))
            }
            Self::Sparse(indices, values) => {
                let middle = indices.partition_point(|j| (*j as usize) < features);
                let (head, tail) = indices.split_at(middle);
                (Self::Sparse(head, &values[..middle]), Self::Sparse(tail, &values[middle..]))
            }
        }
    }

    /// The value of a feature.
    pub(crate) fn get(self, feature: usize) -> T {
        match self {
            Self::Dense(x) => x[feature],
            Self::Sparse(indices, values) => {
                let stored = indices.iter().position(|j| *j as usize == feature);
                stored.map_or(T::ZERO, |i| values[i])
            }
        }
    }

    /// Writes all features into `out`.
    pub fn scatter(self, out: &mut [T]) {
        match self {
            Self::Dense(x) => out.copy_from_slice(x),
            Self::Sparse(indices, values) => {
                out.fill(T::ZERO);
                for (&j, &x) in indices.iter().zip(values) {
                    out[j as usize] = x;
                }
            }
        }
    }
}
