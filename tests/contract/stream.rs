//! The stream that all combinations learn: clusters with duplicates, near-duplicates and flipped labels.

use budgetrs::rng::Rng;
use budgetrs::{Learner, Real, Rows, Targets};
use ndarray::Array2;
use std::ops::Range;

/// Number of features.
pub(crate) const FEATURES: usize = 5;
/// Number of rows.
pub(crate) const ROWS: usize = 100;

/// Rows with their classes.
pub(crate) struct Stream<T> {
    pub(crate) x: Array2<T>,
    pub(crate) y: Vec<u32>,
}

impl<T: Real> Stream<T> {
    /// A third of the rows are copies of earlier ones: exact, with noise of 1e-6, or with a flipped label. A third of
    /// the values are zero.
    pub(crate) fn new(classes: usize) -> Self {
        let mut rng = Rng::new(classes as u64);
        let (mut x, mut y) = (Array2::from_elem((ROWS, FEATURES), T::ZERO), Vec::new());
        for i in 0..ROWS {
            let class = rng.index(classes);
            let (copy, kind) = (rng.index(i.max(1)), rng.index(9));
            for j in 0..FEATURES {
                let centre = if j == class { 1.5 } else { 0.0 };
                let new = if (i + j) % 3 == 0 { 0.0 } else { centre + rng.normal() };
                let old = x[[copy, j]].to_f64();
                let value = match kind {
                    0 | 1 if i > 0 => old,
                    2 if i > 0 && old != 0.0 => old + 1e-6 * rng.normal(),
                    _ => new,
                };
                x[[i, j]] = T::from_f64(value);
            }
            let flipped = kind == 1 || rng.index(10) == 0;
            y.push(if flipped { (class + 1) % classes } else { class } as u32);
        }
        Self { x, y }
    }

    pub(crate) fn rows(&self, part: Range<usize>) -> Rows<'_, T> {
        Rows::Dense(self.x.slice(ndarray::s![part, ..]))
    }

    pub(crate) fn targets(&self, part: Range<usize>) -> Targets<'_> {
        Targets::Classes(&self.y[part])
    }

    /// Learns some rows as one batch.
    pub(crate) fn learn(&self, learner: &mut Learner<T>, part: Range<usize>) {
        learner.learn_batch(&self.rows(part.clone()), self.targets(part), None).expect("the rows are valid");
    }

    /// All rows.
    pub(crate) fn all(&self) -> Rows<'_, T> {
        self.rows(0..ROWS)
    }

    pub(crate) fn row(&self, i: usize) -> &[T] {
        self.x.row(i).to_slice().expect("rows of a standard array are contiguous")
    }

    /// Weights of 0.5, 1 and 2, and 0 in every eleventh row.
    pub(crate) fn weights() -> Vec<f64> {
        (0..ROWS).map(|i| if i % 11 == 10 { 0.0 } else { [0.5, 1.0, 2.0][i % 3] }).collect()
    }
}

/// Consecutive pieces of the stream that end at some rows.
pub(crate) fn pieces(ends: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    ends.into_iter().scan(0, |from, to| Some(std::mem::replace(from, to)..to)).collect()
}

/// Ways to cut the stream: the whole, halves, and pieces of 1, 2, 3, ... rows with an empty one at the end.
pub(crate) fn cuts() -> [Vec<Range<usize>>; 3] {
    let increasing = (1..).map(|n| n * (n + 1) / 2).take_while(|end| *end < ROWS);
    [pieces([ROWS]), pieces([ROWS / 2, ROWS]), pieces(increasing.chain([ROWS, ROWS]))]
}

/// The bytes of numbers, for bit-exact comparisons.
pub(crate) fn bits<T: Real>(numbers: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in numbers {
        x.append_to(&mut bytes);
    }
    bytes
}

#[test]
fn the_stream_has_duplicates_and_flipped_labels() {
    let stream: Stream<f32> = Stream::new(3);
    let same = |i: usize, j: usize| stream.row(i) == stream.row(j);
    let near = |i: usize, j: usize| {
        let mut pairs = stream.row(i).iter().zip(stream.row(j));
        !same(i, j) && pairs.all(|(a, b)| (a - b).abs() < 1e-4)
    };
    let pairs = || (0..ROWS).flat_map(|i| (0..i).map(move |j| (i, j)));
    assert!(pairs().filter(|&(i, j)| same(i, j) && stream.y[i] == stream.y[j]).count() > 3);
    assert!(pairs().filter(|&(i, j)| same(i, j) && stream.y[i] != stream.y[j]).count() > 3);
    assert!(pairs().filter(|&(i, j)| near(i, j)).count() > 3);
    assert!((0..3).all(|class| stream.y.iter().filter(|y| **y == class).count() > 20));
}
