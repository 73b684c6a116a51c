use super::*;
use crate::rng::Rng;

/// All numbers of the window, and how many of them are in each bucket: the formulas of the paper, split by split.
#[derive(Default)]
struct Oracle {
    numbers: Vec<f64>,
    sizes: Vec<usize>,
    seen: usize,
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

impl Oracle {
    fn add(&mut self, x: f64) -> Option<f64> {
        self.numbers.push(x);
        self.sizes.push(1);
        self.seen += 1;
        for size in (0..40).map(|level| 1 << level) {
            let places: Vec<usize> = (0..self.sizes.len()).filter(|&i| self.sizes[i] == size).collect();
            if places.len() > 5 {
                self.sizes[places[0]] = 2 * size;
                self.sizes.remove(places[1]);
            }
        }
        let (mut risen, mut dropped) = (false, Vec::new());
        if self.seen.is_multiple_of(32) && self.numbers.len() >= 64 {
            while let Some(higher) = self.cut() {
                risen |= higher;
                dropped.extend(self.numbers.drain(..self.sizes.remove(0)));
            }
        }
        risen.then(|| mean(&dropped))
    }

    /// Whether the mean is higher after the first split at which the window must be cut.
    fn cut(&self) -> Option<bool> {
        let (mut at, p) = (0, mean(&self.numbers));
        self.sizes.iter().find_map(|size| {
            at += size;
            let (old, new) = self.numbers.split_at(at);
            if old.len() < 10 || new.len() < 10 {
                return None;
            }
            let m = 1.0 / (1.0 / old.len() as f64 + 1.0 / new.len() as f64);
            let log = (2.0 / (0.002 / (self.numbers.len() as f64).ln())).ln();
            let eps_cut = (2.0 / m * p * (1.0 - p) * log).sqrt() + 2.0 / (3.0 * m) * log;
            let (old, new) = (mean(old), mean(new));
            ((old - new).abs() > eps_cut).then_some(new > old)
        })
    }
}

/// A random value in `[0, 1]` with mean p: 0 or 1, or a multiple of 1/8, so that sums are exact in any order.
fn draw(p: f64, eighths: bool, rng: &mut Rng) -> f64 {
    if eighths { (16.0 * p * rng.uniform()).floor().min(8.0) / 8.0 } else { f64::from(rng.uniform() < p) }
}

#[test]
fn agrees_with_an_oracle_that_keeps_all_numbers() {
    let mut rng = Rng::new(5);
    let (mut alarms, mut cuts) = (0, 0);
    for eighths in [false, true] {
        for _ in 0..6 {
            let (mut adwin, mut oracle, mut p) = (Adwin::new(), Oracle::default(), 0.3);
            for t in 0..4000 {
                if rng.index(500) == 0 {
                    p = 0.5 * rng.uniform();
                }
                let (x, before) = (draw(p, eighths, &mut rng), adwin.len());
                let alarm = adwin.add(x);
                assert_eq!(alarm, oracle.add(x), "number {t}");
                let sizes: Vec<usize> = adwin.buckets.iter().map(|bucket| bucket.size as usize).collect();
                assert_eq!(sizes, oracle.sizes, "number {t}");
                assert_eq!(adwin.len(), oracle.numbers.len() as u64, "number {t}");
                assert_eq!(adwin.mean(), mean(&oracle.numbers), "number {t}");
                assert!(adwin.is_valid(), "number {t}");
                alarms += u32::from(alarm.is_some());
                cuts += u32::from(adwin.len() <= before);
            }
        }
    }
    assert!(alarms > 10 && cuts > alarms + 10, "{alarms} alarms, {cuts} cuts");
}

#[test]
fn sums_of_any_numbers_stay_within_their_sizes() {
    let (mut adwin, mut rng) = (Adwin::new(), Rng::new(8));
    for t in 0..20_000 {
        adwin.add(if t % 5000 < 4000 {
            1.0 - 0.1 * rng.uniform() * rng.uniform()
        } else {
            1e-300 * rng.uniform()
        });
        assert!(adwin.is_valid(), "number {t}");
    }
    assert!(adwin.buckets.len() < MAX_BUCKETS && adwin.buckets.capacity() == MAX_BUCKETS);
}

#[test]
fn no_alarm_while_the_mean_stays() {
    for seed in 0..10 {
        let (mut adwin, mut rng) = (Adwin::new(), Rng::new(seed));
        for t in 0..100_000 {
            assert_eq!(adwin.add(draw(0.2, false, &mut rng)), None, "seed {seed}, number {t}");
        }
        assert!((adwin.mean() - 0.2).abs() < 0.01, "seed {seed}: {}", adwin.mean());
    }
}

/// The window after 2,000 values with mean `from` and 200 with mean `to`, and whether a rise was detected in the 200.
fn jump(from: f64, to: f64, seed: u64) -> (Adwin, bool) {
    let (mut adwin, mut rng) = (Adwin::new(), Rng::new(seed));
    assert!((0..2000).all(|_| adwin.add(draw(from, false, &mut rng)).is_none()), "seed {seed}");
    let alarms = (0..200).filter(|_| adwin.add(draw(to, false, &mut rng)).is_some()).count();
    (adwin, alarms > 0)
}

#[test]
fn alarm_soon_after_the_mean_rose() {
    for seed in 0..20 {
        let (adwin, alarm) = jump(0.1, 0.6, seed);
        assert!(alarm, "seed {seed}");
        assert!(adwin.len() < 300 && adwin.mean() > 0.45, "seed {seed}: {} {}", adwin.len(), adwin.mean());
    }
}

#[test]
fn no_alarm_but_a_cut_after_the_mean_fell() {
    for seed in 0..20 {
        let (adwin, alarm) = jump(0.6, 0.1, seed);
        assert!(!alarm, "seed {seed}");
        assert!(adwin.len() < 400 && adwin.mean() < 0.3, "seed {seed}: {} {}", adwin.len(), adwin.mean());
    }
}

fn saved(adwin: &Adwin) -> Tensors {
    Tensors::of(|out| adwin.save(out))
}

fn loaded(from: &Tensors) -> Result<Adwin> {
    let mut adwin = Adwin::new();
    adwin.load(from).map(|()| adwin)
}

#[test]
fn a_loaded_window_continues() {
    let mut rng = Rng::new(2);
    let (mut adwin, mut alarms) = (Adwin::new(), 0);
    let mut copy = loaded(&saved(&adwin)).unwrap();
    for t in 0..6000 {
        let x = if t % 1500 < 900 { 0.2 } else { 0.7 } * rng.uniform();
        let alarm = adwin.add(x);
        assert_eq!(copy.add(x), alarm, "number {t}");
        assert_eq!(copy, adwin, "number {t}");
        alarms += u32::from(alarm.is_some());
        if t % 77 == 0 || t < 100 {
            copy = loaded(&saved(&adwin)).unwrap_or_else(|error| panic!("number {t}: {error}"));
            assert_eq!(copy.buckets.capacity(), MAX_BUCKETS);
        }
    }
    assert!(alarms >= 4 && adwin.len() < adwin.n_seen, "{alarms}");
}

#[test]
fn windows_that_no_stream_leads_to_raise() {
    let window = |sizes: &[u64], sums: &[f64], seen: u64| {
        let mut out = Tensors::new();
        out.put("sizes", &[sizes.len()], sizes.iter().copied());
        out.put("sums", &[sums.len()], sums.iter().copied());
        out.set("seen", seen);
        out
    };
    let halves = |sizes: &[u64]| sizes.iter().map(|&size| 0.5 * size as f64).collect::<Vec<f64>>();
    let legal = [4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1];
    for seen in [21, 64, 64 + 11, 1 << 53] {
        loaded(&window(&legal, &halves(&legal), seen)).unwrap();
    }
    // No values, more values than seen, a cut before 64 values, a cut that leaves fewer than 10, too many values.
    for seen in [0, 20, 22, 63, 64 + 12, 64 + 31, (1 << 53) + 1, u64::MAX] {
        assert!(loaded(&window(&legal, &halves(&legal), seen)).is_err(), "{seen}");
    }
    for sizes in [
        &[][..],
        &[0],
        &[2],
        &[3, 1, 1, 1, 1],
        &[1, 2],
        &[2, 1, 1, 1],
        &[1; 6],
        &[4, 1, 1, 1, 1],
        &[2, 2, 2, 2, 2, 2, 1, 1, 1, 1],
        &[2, 2, 2, 2, 1, 1, 1, 1, 0],
        &[1, 1, 2, 2, 1, 1, 1, 1],
        &[1 << 63, 1 << 63],
        &[u64::MAX, 1],
    ] {
        let seen = sizes.iter().fold(0, |sum: u64, &size| sum.wrapping_add(size)).max(1);
        assert!(loaded(&window(sizes, &halves(sizes), seen)).is_err(), "{sizes:?}");
    }
    for sum in [-1e-9, 4.000_001, f64::NAN, f64::INFINITY, -f64::INFINITY] {
        let sums = [&[sum], &halves(&legal)[1..]].concat();
        assert!(loaded(&window(&legal, &sums, 64)).is_err(), "{sum}");
    }
    assert!(loaded(&window(&legal, &halves(&legal)[1..], 64)).is_err());
    assert!(loaded(&Tensors::new()).is_err());
}

/// A damaged file raises an error, or the loaded state can continue.
#[test]
fn damage_raises_or_is_harmless() {
    let mut rng = Rng::new(11);
    let mut adwin = Adwin::new();
    (0..500).for_each(|t| _ = adwin.add(f64::from(t % 3 == 0)));
    for _ in 0..3000 {
        let damaged = saved(&adwin).changed(|file| file.damage(&mut rng));
        if let Ok(mut adwin) = loaded(&damaged) {
            (0..100).for_each(|t| _ = adwin.add(f64::from(t % 2)));
            assert!(adwin.is_valid());
        }
    }
}
