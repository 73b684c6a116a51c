//! Feature hashing: rows of any number of columns as rows of N features.

use crate::batch::Row;
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;
use crate::rng::Rng;

/// What the steps of `SplitMix64` are: the state before its j-th number is the seed plus j of them.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The numbers of columns start elsewhere in the sequence than the random choices of a model of the same seed.
const APART: u64 = 0xD1B5_4A32_D192_ED03;

/// Signed feature hashing (Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask Learning"):
/// `x'_i = sum of s(j) x_j over the columns j with h(j) = i`.
///
/// Column j has the j-th number of a sequence of `SplitMix64` that the seed decides: its upper 32 bits, scaled to N,
/// are `h(j)`, its lowest bit is the sign. So the same on every platform, and products of rows are right on average.
/// Sums go by columns, in increasing order, and columns that are zero change nothing: dense and sparse rows give equal
/// numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureHasher {
    features: usize,
    key: u64,
    /// Columns of the widest row that was learned.
    pub(crate) columns: usize,
}

/// A row of N features; made once, never saved. Between rows all sums are zero and no feature is marked.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashedRow<T: Real> {
    sums: Vec<T>,
    /// A bit for each feature that a row has touched, and one for each word of these bits.
    touched: Vec<u64>,
    words: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl FeatureHasher {
    /// For rows that have so many columns, for now.
    pub(crate) fn new(features: usize, seed: u64, columns: usize) -> Self {
        Self { features, key: Rng::new(seed ^ APART).bits(), columns }
    }

    /// Where a column goes, and whether with a minus.
    #[inline(always)]
    fn place(&self, column: usize) -> (usize, bool) {
        let bits = Rng::new(self.key.wrapping_add((column as u64).wrapping_mul(STEP))).bits();
        ((((bits >> 32) * self.features as u64) >> 32) as usize, bits & 1 == 1)
    }

    /// The folded row, in `buffer`: dense of a dense row, sparse of a sparse one.
    pub(crate) fn hash_row<'a, T: Real>(&self, x: Row<'_, T>, buffer: &'a mut HashedRow<T>) -> Row<'a, T> {
        let HashedRow { sums, touched, words, indices: features, values: folded } = buffer;
        match x {
            Row::Dense(x) => {
                folded.clear();
                folded.resize(self.features, T::ZERO);
                for (j, &x) in x.iter().enumerate() {
                    let (at, minus) = self.place(j);
                    folded[at] += if minus { -x } else { x };
                }
                Row::Dense(folded)
            }
            Row::Sparse(columns, values) => {
                sums.resize(self.features, T::ZERO);
                touched.resize(self.features.div_ceil(64), 0);
                words.resize(touched.len().div_ceil(64), 0);
                for (&j, &x) in columns.iter().zip(values) {
                    let (at, minus) = self.place(j as usize);
                    sums[at] += if minus { -x } else { x };
                    touched[at / 64] |= 1 << (at % 64);
                    words[at / 4096] |= 1 << (at / 64 % 64);
                }
                features.clear();
                folded.clear();
                for (first, word) in words.iter_mut().enumerate() {
                    for word in bits(std::mem::take(word)) {
                        let word = first * 64 + word;
                        for bit in bits(std::mem::take(&mut touched[word])) {
                            let at = word * 64 + bit;
                            features.push(at as u32);
                            folded.push(std::mem::replace(&mut sums[at], T::ZERO));
                        }
                    }
                }
                Row::Sparse(features, folded)
            }
        }
    }
}

/// The places of the bits that are set, in increasing order.
#[inline(always)]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let at = word.trailing_zeros() as usize;
            word &= word - 1;
            at
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

    /// The same from the words of the documentation: the whole sequence up to a column, all features in order.
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
        fn folding_is_what_the_documentation_says(rows in rows(), features in 2usize..9000, seed: u64) {
            let (hashing, mut buffer) = (FeatureHasher::new(features, seed, 0), HashedRow::default());
            for row in rows {
                let expected = slow(features, seed, &row);
                let (columns, values): (Vec<u32>, Vec<f64>) = row.iter().copied().unzip();
                let folded = hashing.hash_row(Row::Sparse(&columns, &values), &mut buffer);
                let Row::Sparse(indices, sums) = folded else { panic!("a sparse row stays sparse") };
                let found: Vec<_> = indices.iter().copied().zip(sums.iter().copied()).collect();
                prop_assert_eq!(&found, &expected);
                let (mut dense, mut all) = (vec![0.0; 2000], vec![0.0; features]);
                Row::Sparse(&columns, &values).scatter(&mut dense);
                Row::Sparse(indices, sums).scatter(&mut all);
                let folded = hashing.hash_row(Row::Dense(&dense), &mut buffer);
                prop_assert_eq!(folded.values(), &all[..]);
            }
        }
    }

    /// Numbers that were computed elsewhere: a model file must mean the same on every platform and in every version.
    #[test]
    fn places_are_those_of_every_version() {
        let places = |seed, features| {
            let hashing = FeatureHasher::new(features, seed, 0);
            [0, 1, 2, 1000, 1 << 18, u32::MAX as usize].map(|column| hashing.place(column))
        };
        assert_eq!(
            places(0, 1 << 12),
            [(2443, false), (2025, true), (834, false), (1456, true), (188, true), (859, true)]
        );
        assert_eq!(
            places(7, 1000),
            [(719, false), (25, false), (896, true), (135, true), (913, false), (122, false)]
        );
    }

    /// Weinberger et al. 2009, Lemma 2: a product of folded rows is right on average over hashes, and its variance is
    /// about `(|x|^2 |y|^2 + (x y)^2) / N`.
    #[test]
    fn products_are_right_on_average() {
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
            let hashing = FeatureHasher::new(N, seed, 0);
            let x = hashing.hash_row(Row::Dense(&x), &mut a).values();
            let product = dot(x, hashing.hash_row(Row::Dense(&y), &mut b).values());
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
