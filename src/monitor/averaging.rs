//! Which model is served: the last one, or one that the last share of all models makes (Le et al. 2016, Algorithms 1
//! and 2; Rakhlin, Shamir and Sridharan 2012).

use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::output_expansion::OutputExpansion;
use crate::params::{Average, CheckedSpec, Forget};
use crate::persist::Tensors;
use crate::rng::Rng;
use crate::store::{Coefficients, KernelExpansion};
use std::sync::OnceLock;

/// The models that are averaged: `w_{a+1} .. w_t`, `w_s` the model before example s, with `a` about `(1 - gamma) t`.
///
/// How long the stream will be is not always known, so there are two windows. One starts after example
/// `floor(T (1 - gamma)^k)` for every integer k, and the older of the last two is the one that is served: a share of
/// gamma and more, and exactly gamma after T examples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SuffixWindows {
    /// `1 - gamma`
    one_minus_gamma: f64,
    /// `T`: the length of the stream, or 1.
    length: f64,
    /// The k of the start after next, and the next start.
    power: i32,
    next: u64,
    /// After how many examples the older and the newer window started.
    starts: [u64; 2],
}

impl SuffixWindows {
    /// As they are after `seen` examples.
    fn new(gamma: f64, length: u64, seen: u64) -> Self {
        let (one_minus_gamma, length) = (1.0 - gamma, length as f64);
        // The k of the first start from 1 on, and a little before it.
        let before =
            if one_minus_gamma > 0.0 { (length.ln() / -one_minus_gamma.ln()).ceil() as i32 + 2 } else { 0 };
        let mut windows = Self { one_minus_gamma, length, power: before, next: 0, starts: [0, 0] };
        while windows.move_to(seen) {}
        windows
    }

    /// After how many examples the window of that power starts; where all models are averaged there is none.
    fn start(&self) -> u64 {
        if self.one_minus_gamma <= 0.0 {
            return u64::MAX;
        }
        let start = self.length * self.one_minus_gamma.powi(self.power);
        // What rounding takes of a whole number is given back.
        let whole = start.round();
        if (start - whole).abs() <= 1e-12 * start { whole as u64 } else { start as u64 }
    }

    /// Whether a window starts after `seen` examples; starts that coincide are one.
    fn move_to(&mut self, seen: u64) -> bool {
        if self.next > seen {
            return false;
        }
        if self.next > self.starts[1] {
            self.starts = [self.starts[1], self.next];
        }
        self.next = self.start();
        self.power -= 1;
        true
    }

    /// After `seen` examples, calls `start` for each window that starts.
    #[inline(always)]
    fn advance(&mut self, seen: u64, mut start: impl FnMut()) {
        while self.next <= seen {
            let before = self.starts;
            self.move_to(seen);
            if self.starts != before {
                start();
            }
        }
    }
}

/// The power of t that models are weighed with where the late ones decide: model t has the weight `t (t + 1) ... (t +
/// 8)`, so that about the last tenth of the stream counts.
const DECAY_POWER: f64 = 9.0;

/// The least share of a model in the short mean.
const MIN_SHARE: f64 = 0.001;

/// The names of sampled models in a model file.
const NAMES: [&str; 2] = ["older", "newer"];

/// The models that are averaged.
#[derive(Debug, Clone)]
enum Models<T: Real> {
    /// Those of the older window; the store keeps the means.
    Suffix(SuffixWindows),
    /// All, the late ones above all; the store keeps the mean.
    Late { means: usize },
    /// One of each window, sampled uniformly.
    Sampled(SuffixWindows, Box<[KernelExpansion<T>; 2]>),
}

/// What a learner keeps beside its last model.
#[derive(Debug, Clone)]
pub(crate) struct Averaging<T: Real> {
    models: Models<T>,
    /// The mean as it was last asked for; none where a row has been learned since.
    mean: OnceLock<Coefficients<T>>,
}

impl<T: Real> Averaging<T> {
    /// As the specification asks for it, if it does.
    pub(crate) fn new(spec: &CheckedSpec, empty: &KernelExpansion<T>) -> Option<Self> {
        let windows = |gamma| SuffixWindows::new(gamma, spec.spec().stream_length.unwrap_or(1), 0);
        let models = match spec.spec().average {
            Average::Last => return None,
            Average::Suffix(gamma) => Models::Suffix(windows(gamma)),
            // A short mean beside the long one, where changes are found.
            Average::Late => Models::Late { means: 1 + usize::from(spec.spec().forget == Forget::Auto) },
            Average::Random => {
                let empty = || empty.clone();
                Models::Sampled(windows(0.5), Box::new([empty(), empty()]))
            }
        };
        Some(Self { models, mean: OnceLock::new() })
    }

    /// How many means the store must keep.
    pub(crate) fn means(&self) -> usize {
        match self.models {
            Models::Suffix(_) => 2,
            Models::Late { means } => means,
            Models::Sampled(..) => 0,
        }
    }

    /// Before example `t`: the model of now is one of those that are averaged.
    #[inline(always)]
    pub(crate) fn observe(&mut self, t: u64, store: &mut KernelExpansion<T>, rng: &mut Rng) {
        self.mean.take();
        match &mut self.models {
            Models::Suffix(windows) => {
                store.accumulate_means(&windows.starts.map(|start| 1.0 / (t - start) as f64));
            }
            Models::Late { .. } => {}
            Models::Sampled(windows, sampled) => sample(t, windows.starts, sampled, store, rng),
        }
    }

    /// After example `t`: windows start, and the model of now is one of those that are averaged by their weights, at
    /// this age of what counts.
    #[inline(always)]
    pub(crate) fn advance(&mut self, t: u64, effective_n: f64, store: &mut KernelExpansion<T>) {
        match &mut self.models {
            Models::Suffix(windows) => windows.advance(t, || store.advance_means()),
            Models::Late { .. } => {
                let share = ((DECAY_POWER + 1.0) / (effective_n + DECAY_POWER)).min(1.0);
                store.accumulate_means(&[share, share.max(MIN_SHARE)]);
            }
            Models::Sampled(windows, sampled) => windows.advance(t, || sampled.swap(0, 1)),
        }
    }

    /// The sampled model that is served, where one is sampled.
    pub(crate) fn sampled(&self) -> Option<&KernelExpansion<T>> {
        match &self.models {
            Models::Sampled(_, sampled) => Some(&sampled[0]),
            Models::Suffix(_) | Models::Late { .. } => None,
        }
    }

    /// The coefficients of a mean; until a row is learned always the same one.
    pub(crate) fn mean(&self, number: usize, store: &KernelExpansion<T>) -> &Coefficients<T> {
        self.mean.get_or_init(|| store.mean(number))
    }

    /// Begins after `seen` examples with a model that has been made of others, of which the means are means already.
    pub(crate) fn start_from(&mut self, seen: u64, store: &KernelExpansion<T>) {
        self.mean.take();
        self.advance_to(seen);
        self.all_sampled().for_each(|(_, sampled)| sampled.copy_model(store));
    }

    /// The windows as they are after `seen` examples.
    fn advance_to(&mut self, seen: u64) {
        match &mut self.models {
            Models::Suffix(windows) | Models::Sampled(windows, _) => while windows.move_to(seen) {},
            Models::Late { .. } => {}
        }
    }

    /// The sampled models, with the names of their scopes in a model file.
    fn all_sampled(&mut self) -> impl Iterator<Item = (&'static str, &mut KernelExpansion<T>)> {
        let sampled = match &mut self.models {
            Models::Sampled(_, sampled) => &mut sampled[..],
            Models::Suffix(_) | Models::Late { .. } => &mut [],
        };
        NAMES.into_iter().zip(sampled)
    }
}

impl<T: Real> Component<T> for Averaging<T> {
    fn widen(&mut self, features: usize) {
        self.all_sampled().for_each(|(_, model)| model.append_features(features));
    }

    fn add_outputs(&mut self, to: OutputExpansion, _: Task) {
        self.mean.take();
        self.all_sampled().for_each(|(_, model)| model.expand_outputs(to));
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("average");
        if let Models::Sampled(_, sampled) = &self.models {
            for (name, model) in NAMES.into_iter().zip(sampled.iter()) {
                model.write(out.scope_mut(name));
            }
        }
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let from = from.scope("average")?;
        self.advance_to(head.n_seen);
        for (name, model) in self.all_sampled() {
            model.read_from(from.scope(name)?, head.task)?;
            if model.len() > head.max_size {
                let reason = "a sampled model has more support vectors than the budget allows";
                return Err(Error::Model(reason.into()));
            }
        }
        Ok(())
    }
}

/// A reservoir of one model to the window: the n-th of its models is sampled with probability 1/n.
#[inline(never)]
fn sample<T: Real>(
    t: u64,
    starts: [u64; 2],
    sampled: &mut [KernelExpansion<T>; 2],
    store: &KernelExpansion<T>,
    rng: &mut Rng,
) {
    for (start, sampled) in starts.into_iter().zip(sampled) {
        if rng.index((t - start) as usize) == 0 {
            sampled.copy_model(store);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many examples the served window started, once so many were seen.
    fn served(gamma: f64, length: u64, seen: u64) -> u64 {
        SuffixWindows::new(gamma, length, seen).starts[0]
    }

    #[test]
    fn windows_by_hand() {
        // Starts after 1, 2, 4, 8, ...: from the second on, half the stream and more.
        let halves: Vec<u64> = (0..=9).map(|seen| served(0.5, 1, seen)).collect();
        assert_eq!(halves, [0, 0, 1, 1, 2, 2, 2, 2, 4, 4]);
        // 1000, 100, 10, 1: rounding must not make 99 of 1000 (1 - 0.9).
        assert_eq!([99, 100, 999, 1000, 1001].map(|seen| served(0.9, 1000, seen)), [1, 10, 10, 100, 100]);
        // As exact where a part of T is more than one.
        let long = 10_u64.pow(15);
        assert_eq!([long - 1, long].map(|seen| served(0.5, long, seen)), [long / 4, long / 2]);
        // All of it, always.
        assert_eq!([0, 1, 1000].map(|seen| served(1.0, 7, seen)), [0, 0, 0]);
        // 12 (3/4)^k: 12, 9, 6, 5, 3, 2, 2, 1, 1; then 16, 21, ...
        assert_eq!([1, 2, 3, 5, 6, 9, 12, 15, 16].map(|t| served(0.25, 12, t)), [0, 1, 2, 3, 5, 6, 9, 9, 12]);
    }

    #[test]
    fn windows_move_one_by_one_as_at_once() {
        for (gamma, length) in [(0.5, 1), (0.5, 1000), (0.3, 77), (0.001, 400), (0.97, 3), (1.0, 5)] {
            let mut windows = SuffixWindows::new(gamma, length, 0);
            for seen in 1..2000 {
                while windows.move_to(seen) {}
                assert_eq!(
                    windows,
                    SuffixWindows::new(gamma, length, seen),
                    "gamma {gamma}, {seen} of {length}"
                );
                assert!(windows.starts[0] < seen, "an average has a model");
            }
        }
    }
}
