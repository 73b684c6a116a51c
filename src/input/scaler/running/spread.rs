//! Median and median absolute deviation of a sample.

use crate::constants::FAR;

/// If this number of different values lie outside the bounds, they belong to the feature: corrupt values are
/// rarer or equal.
const MIN_OUTSIDE_VALUES: usize = 6;

/// The spread of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spread {
    /// All values are equal.
    Constant,
    /// Most values equal the median.
    Unknown,
    Known {
        median: f64,
        mad: f64,
    },
}

impl Spread {
    /// The spread of finite values in increasing order, which change. The median of an even number of values
    /// is the upper one. If many different values lie outside the bounds, as in a feature that is almost
    /// constant in most rows, the deviation is the median deviation of these values.
    pub(super) fn of(values: &mut [f64]) -> Self {
        let len = values.len();
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return Self::Constant };
        if first == last {
            return Self::Constant;
        }
        // Without the sign of zero.
        let median = values[len / 2] + 0.0;
        let mut mad = median_deviation(values, median);
        if mad == 0.0 {
            return Self::Unknown;
        }
        let mut rest = values;
        loop {
            rest = without(rest, median - FAR * mad, median + FAR * mad);
            let different = rest.chunk_by(|a, b| a == b).count();
            if different < MIN_OUTSIDE_VALUES {
                return Self::Known { median, mad };
            }
            mad = median_deviation(rest, median);
        }
    }
}

/// Increasing values without the values from `low` to `high`.
fn without(values: &mut [f64], low: f64, high: f64) -> &mut [f64] {
    let (from, to) = (values.partition_point(|x| *x < low), values.partition_point(|x| *x <= high));
    values.copy_within(to.., from);
    let len = values.len() - (to - from);
    &mut values[..len]
}

/// The upper median of the distances of increasing values from `centre`. The nearest n values are neighbours, so the
/// distance of the n-th is the smallest, over all n neighbours, of their largest distance.
fn median_deviation(values: &[f64], centre: f64) -> f64 {
    let nearest = values.len() / 2;
    let ends = values.iter().zip(&values[nearest..]);
    ends.map(|(low, high)| (centre - low).max(high - centre)).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use super::Spread;
    use crate::rng::Rng;

    fn spread(values: &[f64]) -> Spread {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Spread::of(&mut sorted)
    }

    #[test]
    fn the_median_is_the_upper_one() {
        assert_eq!(spread(&[4.0, 1.0, 3.0, 2.0]), Spread::Known { median: 3.0, mad: 1.0 });
        assert_eq!(spread(&[-1e308, 1e308, 1e308]), Spread::Unknown);
        assert_eq!(spread(&[-1.7e308, 0.0, 1.7e308]), Spread::Known { median: 0.0, mad: 1.7e308 });
        assert_eq!(
            spread(&[-1.7e308, -1.7e308, 1.7e308, 1.7e308]),
            Spread::Known { median: 1.7e308, mad: f64::MAX }
        );
    }

    #[test]
    fn a_mostly_constant_sample_has_no_deviation() {
        let mut values = [5.0; 12];
        assert_eq!(spread(&values), Spread::Constant);
        values[..5].copy_from_slice(&[6.0, 8.0, 1.0, 7.0, 2.0]);
        assert_eq!(spread(&values), Spread::Unknown);
        values[5] = 9.0;
        assert_eq!(spread(&values), Spread::Known { median: 5.0, mad: 1.0 });
        assert_eq!(spread(&[]), Spread::Constant);
    }

    #[test]
    fn many_different_values_outside_widen_the_bounds() {
        let mut values: Vec<f64> = (0..26).map(|i| f64::from(i % 7) / 1000.0).collect();
        values.extend([0.1, 0.1, 0.2, 0.3, 0.4, -1.0]);
        // Five different values.
        assert_eq!(spread(&values), Spread::Known { median: 0.003, mad: 0.002 });
        values[26] = 2.003;
        assert_eq!(spread(&values), Spread::Known { median: 0.003, mad: 0.397 });
    }

    #[test]
    fn the_deviation_is_the_median_of_all_distances() {
        let mut rng = Rng::new(8);
        for len in 1..33 {
            for digits in [1.0, 4.0, 1e9] {
                let values: Vec<f64> = (0..len).map(|_| (digits * rng.normal()).round() / digits).collect();
                let upper_median = |mut values: Vec<f64>| {
                    values.sort_unstable_by(f64::total_cmp);
                    values[values.len() / 2]
                };
                let median = upper_median(values.clone());
                let distances: Vec<f64> = values.iter().map(|x| (x - median).abs()).collect();
                let is_constant = distances.iter().all(|x| *x == 0.0);
                let mad = upper_median(distances);
                let expected = match mad {
                    _ if is_constant => Spread::Constant,
                    0.0 => Spread::Unknown,
                    mad => Spread::Known { median, mad },
                };
                assert_eq!(spread(&values), expected);
            }
        }
    }
}
