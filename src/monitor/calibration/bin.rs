//! The bins of the calibration.

/// The counts of a bin with more rows than this are halved.
pub(super) const MAX_BIN_ROWS: f64 = 2000.0;

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
        self.limit();
    }

    /// Adds the rows of another bin.
    pub(super) fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum += other.sum;
        self.hits += other.hits;
        self.limit();
    }

    #[inline(always)]
    fn limit(&mut self) {
        if self.rows > MAX_BIN_ROWS {
            self.rows *= 0.5;
            self.sum *= 0.5;
            self.hits *= 0.5;
        }
    }
}
