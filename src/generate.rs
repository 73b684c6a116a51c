//! Synthetic streams of the literature: [`checkerboard`] and [`waveform`].

use crate::rng::Rng;

/// A synthetic stream: rows of `n_features` values, and their classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Values in row-major order: `n * n_features` numbers.
    pub rows: Vec<f32>,
    /// The class of each row.
    pub classes: Vec<u32>,
    /// Number of features.
    pub n_features: usize,
    /// Number of classes.
    pub n_classes: usize,
}

/// Generates the checkerboard data: `n` points, uniform on a board of 4 x 4 cells and scaled to mean 0 and standard
/// deviation 1. The class is the parity of the cell, flipped with probability `noise`.
///
/// Use it to test nonlinear classification: no linear model is better than chance.
#[must_use]
pub fn checkerboard(n: usize, noise: f64, seed: u64) -> Stream {
    let mut rng = Rng::new(seed);
    let deviation = 4.0 / 12f64.sqrt();
    let mut stream = Stream {
        rows: Vec::with_capacity(2 * n),
        classes: Vec::with_capacity(n),
        n_features: 2,
        n_classes: 2,
    };
    for _ in 0..n {
        let (a, b) = (4.0 * rng.uniform(), 4.0 * rng.uniform());
        stream.rows.push(((a - 2.0) / deviation) as f32);
        stream.rows.push(((b - 2.0) / deviation) as f32);
        let flipped = noise > 0.0 && rng.uniform() < noise;
        stream.classes.push((a as u32 + b as u32 + u32::from(flipped)) % 2);
    }
    stream
}

/// Generates `n` rows of the waveform data of Breiman et al. (1984), with 21 features and 3 classes.
///
/// A row is a random mixture of two of three triangular waves, which have their peaks at the features 11, 15 and 7,
/// plus standard normal noise. The class is the pair of waves. Rows are scaled by `(x - 2)/1.8` to mean 0 and standard
/// deviation 1, approximately.
#[must_use]
pub fn waveform(n: usize, seed: u64) -> Stream {
    const PEAKS: [(i32, i32); 3] = [(11, 15), (11, 7), (15, 7)];
    let wave = |peak: i32, i: i32| f64::from((6 - (i - peak).abs()).max(0));
    let mut rng = Rng::new(seed);
    let mut stream = Stream {
        rows: Vec::with_capacity(21 * n),
        classes: Vec::with_capacity(n),
        n_features: 21,
        n_classes: 3,
    };
    for _ in 0..n {
        let class = rng.index(3);
        let u = rng.uniform();
        let (first, second) = PEAKS[class];
        for i in 1..=21 {
            let x = u * wave(first, i) + (1.0 - u) * wave(second, i) + rng.normal();
            stream.rows.push(((x - 2.0) / 1.8) as f32);
        }
        stream.classes.push(class as u32);
    }
    stream
}
