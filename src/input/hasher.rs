//! Feature hashing: rows with any number of columns become rows of N features.

use crate::batch::Row;
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;
use crate::rng::Rng;

/// The increment of `SplitMix64`: the state before its j-th number is the seed plus j increments.
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// Separates the hash sequence from the random numbers of a model with an equal seed.
const SEED_MASK: u64 = 0xD1B5_4A32_D192_ED03;

/// Signed feature hashing (Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask Learning"):
/// `x'_i = sum of s(j) x_j over the columns j with h(j) = i`.
///
/// The hash of column j is the j-th number of a `SplitMix64` sequence given by the seed: its upper 32 bits, scaled to
/// N, are `h(j)`, its lowest bit is the sign. Hashes are equal on all platforms, and inner products of hashed rows are
/// unbiased. Sums run over the columns in increasing order, and zeros change nothing, so dense and sparse rows give
/// equal results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureHasher {
    features: usize,
    key: u64,
    /// The number of columns of the widest row learned.
    pub(crate) columns: usize,
}

/// Buffers for a hashed row; made once, never saved. Between rows all sums are zero and no feature is marked.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashedRow<T: Real> {
    sums: Vec<T>,
    /// One bit per feature: whether the row has a value in it.
    touched: Vec<u64>,
    /// One bit per word of `touched`: whether the word is not zero.
    touched_words: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl FeatureHasher {
    /// The hasher with `features` outputs; `columns` is the number of columns known at the start.
    pub(crate) fn new(features: usize, seed: u64, columns: usize) -> Self {
        Self { features, key: Rng::new(seed ^ SEED_MASK).bits(), columns }
    }

    /// The feature of a column, and whether its sign is negative.
    #[inline(always)]
    fn hash(&self, column: usize) -> (usize, bool) {
        let bits = Rng::new(self.key.wrapping_add((column as u64).wrapping_mul(INCREMENT))).bits();
        ((((bits >> 32) * self.features as u64) >> 32) as usize, bits & 1 == 1)
    }

    /// The hashed row, in `buffer`; a dense row stays dense, and a sparse row stays sparse.
    pub(crate) fn hash_row<'a, T: Real>(&self, x: Row<'_, T>, buffer: &'a mut HashedRow<T>) -> Row<'a, T> {
        let HashedRow { sums, touched, touched_words, indices, values: hashed } = buffer;
        match x {
            Row::Dense(x) => {
                hashed.clear();
                hashed.resize(self.features, T::ZERO);
                for (j, &x) in x.iter().enumerate() {
                    let (feature, is_negative) = self.hash(j);
                    hashed[feature] += if is_negative { -x } else { x };
                }
                Row::Dense(hashed)
            }
            Row::Sparse(columns, values) => {
                sums.resize(self.features, T::ZERO);
                touched.resize(self.features.div_ceil(64), 0);
                touched_words.resize(touched.len().div_ceil(64), 0);
                for (&j, &x) in columns.iter().zip(values) {
                    let (feature, is_negative) = self.hash(j as usize);
                    sums[feature] += if is_negative { -x } else { x };
                    touched[feature / 64] |= 1 << (feature % 64);
                    touched_words[feature / 4096] |= 1 << (feature / 64 % 64);
                }
                indices.clear();
                hashed.clear();
                for (i, words) in touched_words.iter_mut().enumerate() {
                    for word in set_bits(std::mem::take(words)) {
                        let word = i * 64 + word;
                        for bit in set_bits(std::mem::take(&mut touched[word])) {
                            let feature = word * 64 + bit;
                            indices.push(feature as u32);
                            hashed.push(std::mem::replace(&mut sums[feature], T::ZERO));
                        }
                    }
                }
                Row::Sparse(indices, hashed)
            }
        }
    }
}

/// The positions of the set bits, in increasing order.
#[inline(always)]
fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let position = word.trailing_zeros() as usize;
            word &= word - 1;
            position
        })
    })
}

impl<T: Real> Component<T> for FeatureHasher {
    fn save(&self, out: &mut Tensors) {
        out.set("columns", self.columns);
    }

    fn load(&mut self, from: &Tensors, _: &Loading) -> Result<()> {
        self.columns = from.usize("columns")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{FeatureHasher, HashedRow};
    use crate::batch::Row;
    use crate::rng::Rng;
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// A hashed row by the definition: the whole sequence up to each column, all features in order.
    fn slow(features: usize, seed: u64, row: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut sums: Vec<Option<f64>> = vec![None; features];
        for (column, x) in row {
            let mut sequence = Rng::new(FeatureHasher::new(features, seed, 0).key);
            let number = (0..=*column).map(|_| sequence.bits()).last().unwrap();
            let feature = (u128::from(number >> 32) * features as u128 / (1 << 32)) as usize;
            let sign = [1.0, -1.0][(number % 2) as usize];
            *sums[feature].get_or_insert(0.0) += sign * x;
        }
        let numbered = sums.into_iter().enumerate();
        numbered.filter_map(|(feature, sum)| sum.map(|sum| (feature as u32, sum))).collect()
    }

    fn rows() -> impl Strategy<Value = Vec<Vec<(u32, f64)>>> {
        let row = prop::collection::btree_map(0u32..2000, -1e3..1e3f64, 0..60);
        prop::collection::vec(row.prop_map(|row| row.into_iter().collect()), 1..5)
    }

    proptest! {
        #![proptest_config(fixed_cases(100))]

        #[test]
        fn hashing_follows_the_documentation(rows in rows(), features in 2usize..9000, seed: u64) {
            let (hasher, mut buffer) = (FeatureHasher::new(features, seed, 0), HashedRow::default());
            for row in rows {
                let expected = slow(features, seed, &row);
                let (columns, values): (Vec<u32>, Vec<f64>) = row.iter().copied().unzip();
                let hashed = hasher.hash_row(Row::Sparse(&columns, &values), &mut buffer);
                let Row::Sparse(indices, sums) = hashed else { panic!("a sparse row stays sparse") };
                let found: Vec<_> = indices.iter().copied().zip(sums.iter().copied()).collect();
                prop_assert_eq!(&found, &expected);
                let (mut dense, mut all) = (vec![0.0; 2000], vec![0.0; features]);
                Row::Sparse(&columns, &values).scatter(&mut dense);
                Row::Sparse(indices, sums).scatter(&mut all);
                let hashed = hasher.hash_row(Row::Dense(&dense), &mut buffer);
                prop_assert_eq!(hashed.values(), &all[..]);
            }
        }
    }

    /// Fixed values from an independent computation: hashes must not depend on the platform or the version.
    #[test]
    fn hashes_are_equal_on_all_platforms_and_in_all_versions() {
        let hashes = |seed, features| {
            let hasher = FeatureHasher::new(features, seed, 0);
            [0, 1, 2, 1000, 1 << 18, u32::MAX as usize].map(|column| hasher.hash(column))
        };
        assert_eq!(
            hashes(0, 1 << 12),
            [(2443, false), (2025, true), (834, false), (1456, true), (188, true), (859, true)]
        );
        assert_eq!(
            hashes(7, 1000),
            [(719, false), (25, false), (896, true), (135, true), (913, false), (122, false)]
        );
    }

    /// Weinberger et al. 2009, Lemma 2: an inner product of hashed rows is unbiased, and its variance is about
    /// `(|x|^2 |y|^2 + (x y)^2) / N`.
    #[test]
    fn inner_products_are_unbiased() {
        const N: usize = 64;
        const SEEDS: u64 = 4000;
        let mut rng = Rng::new(5);
        let mut vector = || -> Vec<f64> { (0..300).map(|_| rng.normal()).collect() };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (x, mut y) = (vector(), vector());
        y.iter_mut().zip(&x).for_each(|(y, x)| *y += x);
        let (mut sum, mut squares) = (0.0, 0.0);
        let (mut a, mut b) = (HashedRow::default(), HashedRow::default());
        for seed in 0..SEEDS {
            let hasher = FeatureHasher::new(N, seed, 0);
            let x = hasher.hash_row(Row::Dense(&x), &mut a).values();
            let product = dot(x, hasher.hash_row(Row::Dense(&y), &mut b).values());
            sum += product;
            squares += product * product;
        }
        let mean = sum / SEEDS as f64;
        let (exact, variance) = (dot(&x, &y), squares / SEEDS as f64 - mean * mean);
        let expected = (dot(&x, &x) * dot(&y, &y) + exact * exact) / N as f64;
        assert!((mean - exact).abs() < 4.0 * (variance / SEEDS as f64).sqrt(), "{mean}, not {exact}");
        assert!((variance / expected - 1.0).abs() < 0.15, "{variance}, not {expected}");
    }
}
