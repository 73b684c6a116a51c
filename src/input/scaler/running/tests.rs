//! Faulty values, new starts and the schedule of bounds.

use super::{RunningScaler, WARMUP_ROWS};
use crate::batch::Row;
use crate::input::Excess;
use crate::ops::{Ops, level, starts_block};
use crate::persist::Tensors;
use crate::rng::Rng;

fn learn(scaler: &mut RunningScaler<f64>, t: u64, x: &[f64], buffers: (&mut Vec<f64>, &mut Excess<f64>)) {
    if starts_block(t) {
        scaler.begin_block(t, 0.0);
    }
    scaler.fit_transform(Ops::at(level()), (t, false), Row::Dense(x), buffers);
}

/// A stream of rows for one scaler.
struct Stream {
    scaler: RunningScaler<f64>,
    t: u64,
    excess: Excess<f64>,
    /// Whether the scaler is replaced by its copy from a file after every row.
    saves: bool,
}

impl Stream {
    fn new(features: usize) -> Self {
        Self {
            scaler: RunningScaler::new(features, None, false, true),
            t: 0,
            excess: Excess::default(),
            saves: false,
        }
    }

    fn learn(&mut self, x: &[f64]) -> Vec<f64> {
        self.t += 1;
        let mut buffer = Vec::new();
        learn(&mut self.scaler, self.t, x, (&mut buffer, &mut self.excess));
        if self.saves {
            let saved = self.saved();
            let mut loaded = RunningScaler::new(x.len(), None, false, true);
            loaded.load(&saved, Some(self.t)).unwrap();
            self.scaler = loaded;
            assert_eq!(self.saved(), saved);
        }
        buffer
    }

    fn saved(&self) -> Tensors {
        Tensors::of(|out| self.scaler.save(out))
    }

    fn scaled(&self, x: &[f64]) -> Vec<f64> {
        let mut buffer = Vec::new();
        let buffers = (&mut buffer, &mut Excess::default());
        self.scaler.transform(Ops::at(level()), Row::Dense(x), buffers);
        buffer
    }
}

#[test]
fn values_outside_are_clipped_and_do_not_count() {
    let (mut stream, mut rng) = (Stream::new(1), Rng::new(1));
    (0..64).for_each(|_| drop(stream.learn(&[rng.normal()])));
    for x in [80.0, 80.0, 80.0, 1e4, 1e300] {
        assert_eq!(stream.learn(&[x]), [3.0]);
    }
    assert_eq!((stream.scaled(&[80.0]), stream.scaled(&[-1e9])), (vec![3.0], vec![-3.0]));
    assert_eq!(stream.scaler.counts, [64]);
    // Rows that are known do not vote; a value with ten votes is reported.
    for votes in 2..10 {
        stream.scaler.observe_by_feature(&[80.0], true);
        assert_eq!(stream.scaler.repeated_outliers().count(), 0, "{votes} votes");
        stream.learn(&[80.0]);
    }
    stream.learn(&[80.0]);
    assert_eq!(stream.scaler.repeated_outliers().collect::<Vec<_>>(), [(0, 80.0, 10)]);
}

#[test]
fn a_feature_begins_with_its_first_value() {
    let (mut stream, mut rng) = (Stream::new(3), Rng::new(10));
    (0..3000).for_each(|_| drop(stream.learn(&[0.0, 0.0, rng.normal()])));
    for i in 0..320 {
        stream.learn(&[50.0 + 2.0 * rng.normal(), f64::from(u8::from(i % 100 == 0)), rng.normal()]);
    }
    let scaler = &stream.scaler;
    assert!((scaler.mean[0] - 50.0).abs() < 10.0 && scaler.counts[0] < 400, "{:?}", scaler.mean);
    assert!(scaler.mean[1] < 0.01, "a category that appears is rare: {:?}", scaler.mean);
}

#[test]
fn a_start_with_corrupt_values_heals_at_the_first_bounds() {
    let (mut stream, mut rng) = (Stream::new(1), Rng::new(2));
    for i in 0..16 {
        let z = stream.learn(&[if i % 4 == 1 { -999.0 } else { 5.0 + rng.normal() }]);
        assert!(i < 15 || z[0].abs() < 3.0);
    }
    assert_eq!((stream.scaler.counts[0], stream.scaler.n_restarts()), (12, 0));
    assert!((stream.scaler.mean[0] - 5.0).abs() < 1.0);
    assert!(1.0 / stream.scaler.inv_std[0] < 2.0);
}

#[test]
fn features_start_anew_in_another_unit() {
    // Values in a smaller unit are near the median, values in a larger unit are outside.
    for (factor, runs) in [(1e-3, 64), (1e3, 64)] {
        let (mut stream, mut rng) = (Stream::new(2), Rng::new(3));
        (0..1500).for_each(|_| drop(stream.learn(&[rng.normal(), rng.normal()])));
        let mut restarts = Vec::new();
        for _ in 0..=runs {
            let median = stream.scaler.fences.median()[0];
            stream.learn(&[median + factor * (1.0 + rng.normal().abs()), rng.normal()]);
            restarts.push(stream.scaler.n_restarts());
        }
        // The first value may interrupt a run near the median.
        assert_eq!((restarts[runs - 3], restarts[runs]), (0, 1));
        assert!(stream.scaler.counts[0] <= 3 && stream.scaler.counts[1] > 1500);
        (0..100).for_each(|_| drop(stream.learn(&[factor * rng.normal(), rng.normal()])));
        assert!((stream.scaler.inv_std[0] * factor - 1.0).abs() < 0.3);
    }
}

#[test]
fn constant_and_mostly_constant_features_have_no_bounds() {
    let mut stream = Stream::new(3);
    for i in 0..2000 {
        let z = stream.learn(&[7.0, f64::from(u8::from(i % 50 == 0)), f64::from(i % 2)]);
        assert!(z[0] == 0.0 && z.iter().all(|z| z.is_finite()));
    }
    assert_eq!(stream.scaler.n_restarts(), 0);
    assert_eq!(stream.scaler.fences.mad()[0], 0.0);
    // Without bounds every value is clipped.
    assert_eq!(stream.scaled(&[8.0, 1e6, 1.0])[..2], [1.0, 3.0]);
}

/// Bounds are set at a feature's rows 16, 32 and 64, 128, ...; one value is sampled in 1, 2, ..., 64 rows.
#[test]
fn bounds_and_samples_follow_their_schedule() {
    let (mut stream, mut rng) = (Stream::new(1), Rng::new(5));
    let (mut last, mut sampled) = (0.0, Vec::new());
    for t in 1..5000_u64 {
        let before = stream.scaler.histories[0].samples;
        stream.learn(&[rng.normal()]);
        if stream.scaler.histories[0].samples > before {
            sampled.push(t);
        }
        let median = stream.scaler.fences.median()[0];
        assert!(median == last || t == 16 || t == 32 || t % 64 == 0, "row {t}");
        assert!(median != last || t != 16 && t != 64);
        last = median;
    }
    let steps = sampled.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    for (number, step) in steps.iter().enumerate() {
        assert_eq!(*step, 1 << (number / 32).min(6), "after sample {number}");
    }
}

#[test]
fn values_beyond_the_clip_have_an_excess() {
    let (mut stream, mut rng) = (Stream::new(3), Rng::new(9));
    (0..900).for_each(|_| drop(stream.learn(&[rng.normal(), rng.normal(), rng.normal()])));
    let scaler = &stream.scaler;
    let (centre, inv_scale) = scaler.standard();
    let at = |j: usize, z: f64| centre[j] + z / inv_scale[j];
    let mut excess = Excess::default();
    for (z, expected) in [
        ([0.5, 5.0, -2.0], vec![(1, 0.6)]),
        ([-7.0, 60.0, 3.5], vec![(0, -1.2), (1, 11.1), (2, 0.15)]),
        ([1.0, 2.9, -2.9], vec![]),
        ([1e6, f64::NAN, 4.0], vec![(0, 11.1), (2, 0.3)]),
    ] {
        let x = [at(0, z[0]), at(1, z[1]), at(2, z[2])];
        for sparse in [false, true] {
            let row = if sparse { Row::Sparse(&[0, 1, 2], &x) } else { Row::Dense(&x) };
            scaler.transform(Ops::at(level()), row, (&mut Vec::new(), &mut excess));
            let found = excess.features.iter().zip(&excess.values);
            assert_eq!(excess.features.len(), expected.len());
            assert!(found.zip(&expected).all(|((j, a), (i, b))| j == i && (a - b).abs() < 1e-9));
        }
    }
}

/// Three features: noise around a line that rises from row 300 on, a category that appears at row 2,000, and noise.
fn trending(rng: &mut Rng, t: u64) -> [f64; 3] {
    let category = f64::from(u8::from(t >= 2000 && rng.index(5) == 0));
    [0.01 * (t.max(300) - 300) as f64 + rng.normal(), category, rng.normal()]
}

#[test]
fn a_feature_with_a_trend_changes_its_centre_in_few_steps() {
    let (mut stream, mut rng) = (Stream::new(3), Rng::new(11));
    let mut changes = [0, 0, 0];
    for t in 1..=3000 {
        let (centre, inv_scale) = stream.scaler.standard();
        let before = (centre.to_vec(), inv_scale.to_vec());
        stream.learn(&trending(&mut rng, t));
        let scaler = &stream.scaler;
        if starts_block(t) {
            scaler.changes().iter().for_each(|change| changes[change.feature] += 1);
        }
        let (centre, inv_scale) = scaler.standard();
        for j in 0..3 {
            let follows = t <= 64 || scaler.fences.mad()[j] == 0.0;
            if follows {
                assert_eq!((centre[j], inv_scale[j]), (scaler.mean[j], scaler.inv_std[j]), "row {t}");
            } else if !(starts_block(t) && scaler.changes().iter().any(|change| change.feature == j)) {
                assert_eq!((centre[j], inv_scale[j]), (before.0[j], before.1[j]), "row {t}");
            }
        }
    }
    assert!((3..30).contains(&changes[0]) && changes[1] == 0 && changes[2] <= 2, "{changes:?}");
    assert!((stream.scaler.standard().0[0] - stream.scaler.mean[0]).abs() * stream.scaler.inv_std[0] < 1.0);
}

#[test]
fn without_excess_mean_and_deviation_are_followed() {
    let (mut scaler, mut rng) = (RunningScaler::<f64>::new(3, None, false, false), Rng::new(11));
    for t in 1..=1500 {
        let buffers = (&mut Vec::new(), &mut Excess::default());
        learn(&mut scaler, t, &trending(&mut rng, t), buffers);
        assert!(scaler.changes().is_empty());
        assert_eq!(scaler.standard(), (&scaler.mean[..], &scaler.inv_std[..]));
    }
}

/// Rows with faults of all kinds.
fn faulty(rng: &mut Rng, t: u64) -> [f64; 4] {
    let unit = if t > 1300 { 1e-3 } else { 1.0 };
    let sentinel = if rng.index(10) == 0 { -999.0 } else { rng.normal() };
    let outage = if (1100..1140).contains(&t) { 500.0 + t as f64 } else { rng.normal() };
    [sentinel, unit * rng.normal(), outage, rng.normal().powi(9)]
}

#[test]
fn a_file_after_every_row_changes_no_bit() {
    let mut streams = [Stream::new(4), Stream { saves: true, ..Stream::new(4) }];
    let mut rngs = [Rng::new(6), Rng::new(6)];
    for t in 1..1700 {
        let rows: Vec<Vec<f64>> =
            streams.iter_mut().zip(&mut rngs).map(|(stream, rng)| stream.learn(&faulty(rng, t))).collect();
        assert_eq!(rows[0], rows[1], "row {t}");
    }
    assert_eq!(streams[0].saved(), streams[1].saved());
    assert!(streams[0].scaler.n_restarts() >= 1);
}

#[test]
fn later_features_were_zero() {
    for rows in [1, 20, WARMUP_ROWS, WARMUP_ROWS + 1, 1072, 1100, 9000] {
        let (mut known, mut widened, mut rng) = (Stream::new(2), Stream::new(1), Rng::new(7));
        for _ in 0..rows {
            let x = rng.normal();
            known.learn(&[x, 0.0]);
            widened.learn(&[x]);
        }
        widened.scaler.add_features(2);
        for _ in 0..100 {
            let x = [rng.normal(), rng.normal()];
            assert_eq!(known.learn(&x), widened.learn(&x));
            assert_eq!(known.saved(), widened.saved(), "{rows} rows");
        }
    }
}

#[test]
fn invalid_files_raise() {
    let (mut stream, mut rng) = (Stream::new(2), Rng::new(8));
    (0..1040).for_each(|_| drop(stream.learn(&[rng.normal(), rng.normal()])));
    let saved = stream.saved();
    let load = |saved: &Tensors| RunningScaler::<f64>::new(2, None, false, true).load(saved, Some(1040));
    load(&saved).unwrap();
    let cases: [(&str, &[f64]); 28] = [
        ("mean", &[f64::NAN, 0.0]),
        ("mean", &[0.0]),
        ("m2", &[-1.0, 0.0]),
        ("m2", &[f64::INFINITY, 0.0]),
        ("inv_std", &[0.0, 1.0]),
        ("counts", &[0.5, 5.0]),
        ("centre", &[f64::NAN, 0.0]),
        ("centre", &[0.0]),
        ("inverse_scale", &[f64::INFINITY, 1.0]),
        ("inverse_scale", &[0.0, 1.0]),
        ("inverse_scale", &[-1.0, 1.0]),
        ("inverse_scale", &[1.0]),
        ("counts", &[1041.0, 5.0]),
        ("feature_rows", &[1041.0, 1040.0]),
        ("sampled", &[3.5, 4.0]),
        ("sampled", &[1041.0, 4.0]),
        ("wait", &[0.0, 1.0]),
        ("wait", &[65.0, 1.0]),
        ("outside_run", &[64.0, 0.0]),
        ("near_run", &[64.0, 0.0]),
        ("near_run", &[-1.0, 0.0]),
        ("votes", &[101.0, 0.0]),
        ("vote", &[f64::NAN, 0.0]),
        ("last_outside", &[f64::INFINITY, 0.0]),
        ("last_inside", &[f64::NAN, 0.0]),
        ("median", &[f64::INFINITY, 0.0]),
        ("mad", &[-1.0, 0.0]),
        ("mad", &[1.0]),
    ];
    for (name, numbers) in cases {
        let damaged = saved.changed(|file| file.replace(name, &[numbers.len()], numbers.to_vec()));
        assert!(load(&damaged).is_err(), "{name} {numbers:?}");
    }
    for name in ["pending", "sample", "restarts", "centre", "inverse_scale"] {
        let damaged = saved.changed(|file| file.drop_entry(name));
        assert_eq!(load(&damaged).is_err(), name != "pending", "{name}");
    }
    let raises = |change: fn(&mut Tensors)| assert!(load(&saved.changed(change)).is_err());
    raises(|file| file.scope_mut("pending").replace("rows", &[2], vec![33.0, 1.0]));
    raises(|file| file.reset("rows", 1008_u64 - 1));
    raises(|file| file.replace("sample", &[2, 32], vec![f64::NAN; 64]));
}
