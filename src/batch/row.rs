//! One input row, dense or sparse.

use crate::float::Real;

/// One row of input: every feature, or the non-zero ones.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a, T: Real> {
    /// Every feature.
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

    /// `|x|^2`, summed in eight parts: one after the other would take longer than the rest of a row's work.
    #[inline(always)]
    pub(crate) fn squared_norm(self) -> T {
        let (eights, rest) = self.values().as_chunks::<8>();
        let mut sums = [T::ZERO; 8];
        for eight in eights {
            for (sum, &x) in sums.iter_mut().zip(eight) {
                *sum += x * x;
            }
        }
        let parts = sums.into_iter().fold(T::ZERO, |sum, part| sum + part);
        rest.iter().fold(parts, |sum, &x| sum + x * x)
    }

    /// Which feature the `i`-th of the stored values is.
    #[inline(always)]
    pub(crate) fn feature(self, i: usize) -> usize {
        match self {
            Self::Dense(_) => i,
            Self::Sparse(indices, _) => indices[i] as usize,
        }
    }

    /// The first features, and all others.
    pub(crate) fn split(self, features: usize) -> (Self, Self) {
        match self {
            Self::Dense(x) => {
                let (head, rest) = x.split_at(features);
                (Self::Dense(head), Self::Dense(rest))
            }
            Self::Sparse(indices, values) => {
                let at = indices.partition_point(|j| (*j as usize) < features);
                let (head, rest) = (&indices[..at], &indices[at..]);
                (Self::Sparse(head, &values[..at]), Self::Sparse(rest, &values[at..]))
            }
        }
    }

    /// Writes every feature.
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
