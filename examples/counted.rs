//! Small fixed runs whose instructions benches/counts.py counts.
//!
//! `counted` lists them, with their rows; `counted NAME prepare` does what comes before a run, and `counted NAME
//! measure` the run as well, so that the difference is what it alone takes. Both print the SIMD level in use.

use budgetrs::generate::{Stream, checkerboard, waveform};
use budgetrs::params::Gamma;
use budgetrs::rng::Rng;
use budgetrs::{Learner, Rows, Spec, Targets};
use ndarray::ArrayView2;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "usage: counted [NAME prepare|measure]";
/// Columns of binary rows, and how many of them are set in each, one of each group.
const COLUMNS: usize = 123;
const SET: usize = 14;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Batch,
    OneByOne,
    /// Of a model that has learned the rows.
    Predict,
}

struct Run {
    name: &'static str,
    algorithm: &'static str,
    budget: usize,
    /// The width of the kernel, where the algorithm does not choose it.
    gamma: Option<f64>,
    rows: usize,
    data: fn(usize) -> Data,
    kind: Kind,
}

/// A pass of the default over waveforms; the others differ from it.
const DEFAULT: Run = Run {
    name: "default-waveform",
    algorithm: "online-kernel",
    budget: 500,
    gamma: None,
    rows: 3_000,
    data: |n| Data::Dense(waveform(n, 1)),
    kind: Kind::Batch,
};
const MERGE: Run = Run {
    name: "merge-waveform",
    algorithm: "bsgd-merge",
    budget: 100,
    gamma: Some(0.03),
    rows: 5_000,
    ..DEFAULT
};
const RUNS: [Run; 10] = [
    Run {
        name: "merge-checkerboard",
        gamma: Some(4.0),
        rows: 20_000,
        data: |n| Data::Dense(checkerboard(n, 0.0, 1)),
        ..MERGE
    },
    MERGE,
    Run { name: "merge-wide", budget: 500, gamma: Some(0.005), rows: 1_500, data: normal, ..MERGE },
    Run { name: "merge-sparse", gamma: Some(0.01), rows: 3_000, data: binary, ..MERGE },
    Run { name: "bpa-nn-waveform", algorithm: "bpa-nn", ..MERGE },
    DEFAULT,
    Run { name: "default-wide", rows: 1_500, data: normal, ..DEFAULT },
    Run { name: "default-sparse", rows: 2_000, data: binary, ..DEFAULT },
    Run { name: "default-one-by-one", kind: Kind::OneByOne, ..DEFAULT },
    Run { name: "default-predict", kind: Kind::Predict, ..DEFAULT },
];

/// Rows and their classes.
enum Data {
    Dense(Stream),
    Sparse { indptr: Vec<usize>, indices: Vec<u32>, values: Vec<f32>, classes: Vec<u32> },
}

/// Standard normal rows with classes drawn by a coin.
fn normal(n: usize) -> Data {
    let mut rng = Rng::new(1);
    let rows = (0..n * COLUMNS).map(|_| rng.normal() as f32).collect();
    let classes = (0..n).map(|_| rng.index(2) as u32).collect();
    Data::Dense(Stream { rows, classes, n_features: COLUMNS, n_classes: 2 })
}

/// Rows of ones and zeros; the class is that of the first columns of the groups, one in ten flipped.
fn binary(n: usize) -> Data {
    let mut rng = Rng::new(1);
    let (mut indices, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let mut first = 0;
        for group in 0..SET {
            let (from, to) = (group * COLUMNS / SET, (group + 1) * COLUMNS / SET);
            let column = rng.index(to - from);
            first += usize::from(column < (to - from) / 2);
            indices.push((from + column) as u32);
        }
        classes.push(u32::from((first > SET / 2) != (rng.index(10) == 0)));
    }
    let indptr = (0..=n).map(|row| row * SET).collect();
    Data::Sparse { indptr, values: vec![1.0; indices.len()], indices, classes }
}

impl Data {
    fn rows(&self) -> Result<Rows<'_, f32>> {
        Ok(match self {
            Self::Dense(stream) => {
                let shape = (stream.classes.len(), stream.n_features);
                Rows::Dense(ArrayView2::from_shape(shape, &stream.rows)?)
            }
            Self::Sparse { indptr, indices, values, .. } => {
                Rows::Sparse { indptr, indices, values, columns: COLUMNS }
            }
        })
    }

    fn classes(&self) -> &[u32] {
        match self {
            Self::Dense(Stream { classes, .. }) | Self::Sparse { classes, .. } => classes,
        }
    }

    /// The numbers of classes and features.
    fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(stream) => (stream.n_classes, stream.n_features),
            Self::Sparse { .. } => (2, COLUMNS),
        }
    }
}

impl Run {
    fn go(&self, measures: bool) -> Result<()> {
        let data = (self.data)(self.rows);
        let (rows, targets) = (data.rows()?, Targets::Classes(data.classes()));
        let mut spec = Spec::named(self.algorithm)?;
        spec.budget = Some(self.budget);
        spec.gamma = self.gamma.map_or(spec.gamma, Gamma::Value);
        let (classes, features) = data.shape();
        let mut learner: Learner<f32> = spec.check()?.build(features, classes)?;
        if self.kind == Kind::Predict {
            learner.learn_batch(&rows, targets, None)?;
        }
        match self.kind {
            _ if !measures => {}
            Kind::Batch => learner.learn_batch(&rows, targets, None)?,
            Kind::OneByOne => {
                let Data::Dense(stream) = &data else { return Err("dense rows alone".into()) };
                for (x, class) in stream.rows.chunks(features).zip(&stream.classes) {
                    learner.learn_one(x, *class, 1.0)?;
                }
            }
            Kind::Predict => {
                let right =
                    learner.predict(&rows)?.iter().zip(data.classes()).filter(|(a, b)| a == b).count();
                assert!(right * classes > self.rows, "{right} of {} right", self.rows);
            }
        }
        println!("{}", budgetrs::ops::isa().name());
        Ok(())
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => RUNS.iter().for_each(|run| println!("{} {}", run.name, run.rows)),
        [name, part @ ("prepare" | "measure")] => {
            let run = RUNS.iter().find(|run| run.name == name).ok_or("no such run: `counted` lists them")?;
            run.go(part == "measure")?;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
