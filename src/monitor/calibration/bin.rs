//! The bins of the calibration.

/// The accuracy of the predicted class in rows of similar confidence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bin {
    pub(super) rows: f64,
    /// The sum of the confidences; at most `rows`.
    pub(super) sum: f64,
    /// The number of correct predictions; at most `rows`.
    pub(super) hits: f64,
}

impl Bin {
    pub(super) fn observe(&mut self, confidence: f64, hit: bool) {
        self.rows += 1.0;
        self.sum += confidence;
        self.hits += f64::from(u8::from(hit));
    }

    /// Adds the rows of another bin.
    pub(super) fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum += other.sum;
        self.hits += other.hits;
    }
}
