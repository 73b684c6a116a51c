//! Trains on a generated stream, one thread, and prints the rate and the accuracy on 20,000 clean test rows.
//!
//! `cargo run --release --example stream -- checkerboard 10000000 100`: the stream (`checkerboard`, `noisy` with 15% of
//! the labels flipped, `waveform`), its length and the budget; then optionally gamma, lambda and the seed.

use budgetrs::generate::{Stream, checkerboard, waveform};
use budgetrs::params::Gamma;
use budgetrs::{Error, Learner, Rows, Spec, Targets};
use ndarray::ArrayView2;
use std::time::Instant;

const USAGE: &str = "usage: stream checkerboard|noisy|waveform ROWS BUDGET [GAMMA [LAMBDA [SEED]]]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, rows, budget, rest @ ..] = arguments.as_slice() else { return Err(USAGE.into()) };
    let (rows, budget): (usize, usize) = (rows.parse()?, budget.parse()?);
    let number = |i: usize| rest.get(i).map(|text| text.parse::<f64>()).transpose();
    let seed = rest.get(2).map_or(Ok(1), |text| text.parse::<u64>())?;
    let (train, test, width) = match name.as_str() {
        "checkerboard" => (checkerboard(rows, 0.0, seed), checkerboard(20_000, 0.0, !seed), 4.0),
        "noisy" => (checkerboard(rows, 0.15, seed), checkerboard(20_000, 0.0, !seed), 4.0),
        "waveform" => (waveform(rows, seed), waveform(20_000, !seed), 0.03),
        _ => return Err(USAGE.into()),
    };

    let mut spec = Spec::named("bsgd-merge")?;
    spec.budget = Some(budget);
    spec.gamma = Gamma::Value(number(0)?.unwrap_or(width));
    spec.alpha = number(1)?.unwrap_or(1e-4);
    spec.seed = seed;
    let mut learner: Learner<f32> = spec.check()?.build(train.n_features, train.n_classes)?;

    let start = Instant::now();
    learner.learn_batch(&view(&train)?, Targets::Classes(&train.classes), None)?;
    let seconds = start.elapsed().as_secs_f64();

    let predicted = learner.predict(&view(&test)?)?;
    let right = predicted.iter().zip(&test.classes).filter(|(a, b)| a == b).count();
    println!("{name}: {rows} rows in {seconds:.3} s, budget {budget}, {}", budgetrs::ops::isa().name());
    println!(
        "examples_per_second={:.0} accuracy={:.4} support_vectors={}",
        rows as f64 / seconds,
        right as f64 / test.classes.len() as f64,
        learner.n_support()
    );
    Ok(())
}

fn view(stream: &Stream) -> Result<Rows<'_, f32>, Error> {
    let shape = (stream.classes.len(), stream.n_features);
    let rows = ArrayView2::from_shape(shape, &stream.rows);
    rows.map(Rows::Dense).map_err(|e| Error::State(e.to_string().into()))
}
