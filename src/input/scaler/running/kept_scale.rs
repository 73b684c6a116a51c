//! A standardisation that changes only when it is far from mean and deviation.

use crate::constants::RUN_ROWS;
use crate::expansion::Rescaling;

/// Centre and scale stay until the mean is more than this number of deviations away, or the deviation has
/// changed by more than this share.
const TOLERANCE: f64 = 0.5;

/// A feature that changes by more than this factor has another unit: the weights for the old unit mean nothing.
const MAX_CHANGE: f64 = 1e6;

/// Centre and scale of each feature in regression: mean and deviation in its first 64 rows. When they change,
/// the linear term is converted so that it predicts the same for a raw row ([`Rescaling`]). If the centre
/// followed the mean of a feature with a trend, every update of the mean would change the predictions.
///
/// A feature whose values are mostly equal always has its mean and deviation, and the linear term is not converted:
/// its rare values are clipped, so that they stay the same number whatever the deviation is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeptScale {
    pub(super) centre: Vec<f64>,
    pub(super) inv_scale: Vec<f64>,
    /// The changes at the start of the present block; a buffer.
    pub(super) changes: Vec<Rescaling>,
}

/// The statistics of a feature.
#[derive(Clone, Copy)]
pub(super) struct Moments {
    pub(super) count: u64,
    pub(super) mean: f64,
    pub(super) inv_std: f64,
    /// Whether most of its values are equal.
    pub(super) mostly_constant: bool,
}

impl KeptScale {
    pub(super) fn new(features: usize) -> Self {
        let (centre, inv_scale) = (vec![0.0; features], vec![1.0; features]);
        Self { centre, inv_scale, changes: Vec::with_capacity(features) }
    }

    /// Sets centre and scale of a feature that does not keep them.
    pub(super) fn follow(&mut self, j: usize, moments: Moments) {
        if moments.count <= u64::from(RUN_ROWS) || moments.mostly_constant {
            (self.centre[j], self.inv_scale[j]) = (moments.mean, moments.inv_std);
        }
    }

    /// Changes centre and scale of a feature at the start of a block, if they are far from mean and deviation.
    pub(super) fn change(&mut self, j: usize, moments: Moments) {
        self.follow(j, moments);
        let shift = (moments.mean - self.centre[j]) * self.inv_scale[j];
        let ratio = moments.inv_std / self.inv_scale[j];
        if shift.abs() > TOLERANCE || ratio.max(1.0 / ratio) > 1.0 + TOLERANCE {
            (self.centre[j], self.inv_scale[j]) = (moments.mean, moments.inv_std);
            if shift.abs() <= MAX_CHANGE && ratio.max(1.0 / ratio) <= MAX_CHANGE {
                self.changes.push(Rescaling { feature: j, shift, ratio });
            }
        }
    }

    pub(super) fn add_features(&mut self, features: usize) {
        self.centre.resize(features, 0.0);
        self.inv_scale.resize(features, 1.0);
        self.changes.reserve(features.saturating_sub(self.changes.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN_ROWS: u64 = RUN_ROWS as u64;

    /// A feature with this mean and deviation.
    fn moments(count: u64, mean: f64, deviation: f64) -> Moments {
        Moments { count, mean, inv_std: 1.0 / deviation, mostly_constant: false }
    }

    fn kept(mean: f64, deviation: f64) -> KeptScale {
        let mut kept = KeptScale::new(1);
        kept.follow(0, moments(MIN_ROWS, mean, deviation));
        kept
    }

    #[test]
    fn follows_in_the_first_rows_and_while_most_values_are_equal() {
        let mut kept = kept(3.0, 0.5);
        assert_eq!((kept.centre[0], kept.inv_scale[0]), (3.0, 2.0));
        kept.follow(0, moments(MIN_ROWS + 1, 4.0, 0.25));
        assert_eq!((kept.centre[0], kept.inv_scale[0]), (3.0, 2.0));
        kept.change(0, moments(MIN_ROWS, 4.0, 0.25));
        assert_eq!((kept.centre[0], kept.inv_scale[0]), (4.0, 4.0));
        kept.change(0, Moments { mostly_constant: true, ..moments(5000, 7.0, 0.125) });
        assert_eq!((kept.centre[0], kept.inv_scale[0]), (7.0, 8.0));
        assert_eq!(kept.changes, []);
    }

    #[test]
    fn keeps_until_mean_or_deviation_is_far_off() {
        for (mean, deviation, changes) in [
            (10.9, 2.0, false),
            (11.1, 2.0, true),
            (9.1, 2.0, false),
            (8.9, 2.0, true),
            (10.0, 2.9, false),
            (10.0, 3.1, true),
            (10.0, 1.4, false),
            (10.0, 1.3, true),
        ] {
            let mut kept = kept(10.0, 2.0);
            kept.change(0, moments(65, mean, deviation));
            assert_eq!(kept.changes.len(), usize::from(changes), "mean {mean}, deviation {deviation}");
            let expected = if changes { (mean, 1.0 / deviation) } else { (10.0, 0.5) };
            assert_eq!((kept.centre[0], kept.inv_scale[0]), expected);
        }
    }

    #[test]
    fn a_change_tells_how_standardised_values_change() {
        let mut kept = kept(10.0, 2.0);
        let scaled = |kept: &KeptScale, raw: f64| (raw - kept.centre[0]) * kept.inv_scale[0];
        let before = scaled(&kept, 13.5);
        kept.change(0, moments(65, 12.0, 4.0));
        let [Rescaling { feature: 0, shift, ratio }] = kept.changes[..] else { panic!("{:?}", kept.changes) };
        assert_eq!((before - shift) * ratio, scaled(&kept, 13.5));
        assert_eq!((shift, ratio), (1.0, 0.5));
    }

    #[test]
    fn another_unit_is_no_change_of_the_linear_term() {
        for (mean, deviation) in [(1e7, 1.0), (0.0, 1e7), (0.0, 1e-7), (1e200, 1e-150)] {
            let mut kept = kept(0.0, 1.0);
            kept.change(0, moments(65, mean, deviation));
            assert_eq!((kept.centre[0], kept.inv_scale[0]), (mean, 1.0 / deviation));
            assert_eq!(kept.changes, []);
        }
    }

    #[test]
    fn later_features_have_room_for_their_changes() {
        let mut kept = kept(10.0, 2.0);
        kept.change(0, moments(65, 12.0, 4.0));
        kept.add_features(40);
        assert_eq!((&kept.centre[..2], &kept.inv_scale[..2]), (&[12.0, 0.0][..], &[0.25, 1.0][..]));
        assert!(kept.changes.capacity() >= 40);
    }
}
