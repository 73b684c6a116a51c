//! Model averaging: suffix averaging (Rakhlin, Shamir and Sridharan 2012), polynomial-decay averaging (Shamir and Zhang
//! 2013), and sampling from a suffix (Le et al. 2016, Algorithms 1 and 2).

use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::error::{Error, Result};
use crate::expansion::KernelExpansion;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::params::{Average, CheckedSpec};
use crate::persist::Tensors;
use crate::rng::Rng;

/// The windows of suffix averaging: models `w_{a+1} .. w_t`, where `w_s` is the model before example s and `a` is about
/// `(1 - gamma) t`.
///
/// The length of the stream may be unknown, so there are two windows. A window starts after example
/// `floor(T (1 - gamma)^k)` for every integer k, and the older of the last two is used for prediction: a share of at
/// least gamma of all models, and exactly gamma after T examples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SuffixWindows {
    /// `1 - gamma`
    one_minus_gamma: f64,
    /// `T`: the length of the stream, or 1 if it is unknown.
    length: f64,
    /// The k of the start after next.
    power: i32,
    /// The next start.
    next: u64,
    /// The numbers of examples after which the older and the newer window started.
    starts: [u64; 2],
}

impl SuffixWindows {
    /// The windows after `n_seen` examples.
    fn new(gamma: f64, length: u64, n_seen: u64) -> Self {
        let (one_minus_gamma, length) = (1.0 - gamma, length as f64);
        // The k of the first start that is at least 1, plus 2 as allowance for rounding.
        let power =
            if one_minus_gamma > 0.0 { (length.ln() / -one_minus_gamma.ln()).ceil() as i32 + 2 } else { 0 };
        let mut windows = Self { one_minus_gamma, length, power, next: 0, starts: [0, 0] };
        while windows.pass_next_start(n_seen) {}
        windows
    }

    /// The number of examples after which the window of the present power starts; no further window starts if all
    /// models are averaged.
    fn start(&self) -> u64 {
        if self.one_minus_gamma <= 0.0 {
            return u64::MAX;
        }
        let start = self.length * self.one_minus_gamma.powi(self.power);
        // Rounding may have made a whole number slightly smaller.
        let whole = start.round();
        if (start - whole).abs() <= 1e-12 * start { whole as u64 } else { start as u64 }
    }

    /// Passes the next start if it is at most `n_seen`, and returns whether it did. Starts that coincide are one.
    fn pass_next_start(&mut self, n_seen: u64) -> bool {
        if self.next > n_seen {
            return false;
        }
        if self.next > self.starts[1] {
            self.starts = [self.starts[1], self.next];
        }
        self.next = self.start();
        self.power -= 1;
        true
    }

    /// Advances to `n_seen` examples, and calls `on_start` for each window that starts.
    #[inline(always)]
    fn advance(&mut self, n_seen: u64, mut on_start: impl FnMut()) {
        while self.next <= n_seen {
            let before = self.starts;
            self.pass_next_start(n_seen);
            if self.starts != before {
                on_start();
            }
        }
    }
}

/// The power of polynomial-decay averaging: model t has the weight `t (t + 1) ... (t + 8)`, so that about the last
/// tenth of the stream determines the average.
const DECAY_POWER: f64 = 9.0;

/// The names of sampled models in a model file.
const NAMES: [&str; 2] = ["older", "newer"];

/// The method of averaging.
#[derive(Debug, Clone)]
enum Method<T: Real> {
    /// The mean of the models of the older window; the kernel expansion accumulates a mean per window.
    Suffix(SuffixWindows),
    /// Polynomial-decay averaging; the kernel expansion accumulates the mean.
    Polynomial,
    /// One model of each window, sampled uniformly.
    Sampled(SuffixWindows, Box<[KernelExpansion<T>; 2]>),
}

/// Averages or samples of past models.
#[derive(Debug, Clone)]
pub(crate) struct Averaging<T: Real> {
    method: Method<T>,
}

impl<T: Real> Averaging<T> {
    /// The averaging of a specification; None if the last model is used for prediction.
    pub(crate) fn new(spec: &CheckedSpec, empty: &KernelExpansion<T>) -> Option<Self> {
        let windows = |gamma| SuffixWindows::new(gamma, spec.spec().stream_length.unwrap_or(1), 0);
        let method = match spec.spec().average {
            Average::Last => return None,
            Average::Suffix(gamma) => Method::Suffix(windows(gamma)),
            Average::Polynomial => Method::Polynomial,
            Average::Random => {
                let empty = || empty.clone();
                Method::Sampled(windows(0.5), Box::new([empty(), empty()]))
            }
        };
        Some(Self { method })
    }

    /// The number of means that the kernel expansion accumulates.
    pub(crate) fn means(&self) -> usize {
        match self.method {
            Method::Suffix(_) => 2,
            Method::Polynomial => 1,
            Method::Sampled(..) => 0,
        }
    }

    /// Starts row `t`: adds the model before the row to the windows of suffix averaging or sampling. Polynomial-decay
    /// averaging does nothing here.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self, t: u64, expansion: &mut KernelExpansion<T>, rng: &mut Rng) {
        match &mut self.method {
            Method::Suffix(windows) => {
                expansion.accumulate_means(&windows.starts.map(|start| 1.0 / (t - start) as f64));
            }
            Method::Polynomial => {}
            Method::Sampled(windows, sampled) => sample(t, windows.starts, sampled, expansion, rng),
        }
    }

    /// Ends row `t`: adds the model after the row to the means of polynomial-decay averaging, with a weight that
    /// depends on the effective number of rows. Suffix averaging and sampling only start windows here.
    #[inline(always)]
    pub(crate) fn end_row(&mut self, t: u64, effective_n: f64, expansion: &mut KernelExpansion<T>) {
        match &mut self.method {
            Method::Suffix(windows) => windows.advance(t, || expansion.advance_means()),
            Method::Polynomial => {
                let share = ((DECAY_POWER + 1.0) / (effective_n + DECAY_POWER)).min(1.0);
                expansion.accumulate_means(&[share]);
            }
            Method::Sampled(windows, sampled) => {
                windows.advance(t, || sampled.swap(0, 1));
                // A sampled model is an earlier one, but predicts with the present gamma.
                sampled.iter_mut().for_each(|sampled| sampled.set_kernel(expansion.kernel()));
            }
        }
    }

    /// The sampled model used for prediction; None if models are averaged.
    pub(crate) fn sampled(&self) -> Option<&KernelExpansion<T>> {
        match &self.method {
            Method::Sampled(_, sampled) => Some(&sampled[0]),
            Method::Suffix(_) | Method::Polynomial => None,
        }
    }

    /// Whether the mean of models is used for prediction.
    pub(crate) fn has_mean(&self) -> bool {
        self.means() > 0
    }

    /// Sets the kernel that sampled models predict with.
    pub(crate) fn set_kernel(&mut self, kernel: AnyKernel) {
        self.all_sampled().for_each(|(_, expansion)| expansion.set_kernel(kernel));
    }

    /// Starts after `n_seen` examples with a combined model, whose means are combined already.
    pub(crate) fn start_from(&mut self, n_seen: u64, expansion: &KernelExpansion<T>) {
        self.pass_starts(n_seen);
        self.all_sampled().for_each(|(_, sampled)| sampled.copy_model(expansion));
    }

    /// Sets the windows to their state after `n_seen` examples.
    fn pass_starts(&mut self, n_seen: u64) {
        match &mut self.method {
            Method::Suffix(windows) | Method::Sampled(windows, _) => while windows.pass_next_start(n_seen) {},
            Method::Polynomial => {}
        }
    }

    /// The sampled models, with the names of their scopes in a model file.
    fn all_sampled(&mut self) -> impl Iterator<Item = (&'static str, &mut KernelExpansion<T>)> {
        let sampled = match &mut self.method {
            Method::Sampled(_, sampled) => &mut sampled[..],
            Method::Suffix(_) | Method::Polynomial => &mut [],
        };
        NAMES.into_iter().zip(sampled)
    }
}

impl<T: Real> Component<T> for Averaging<T> {
    fn add_features(&mut self, features: usize) {
        self.all_sampled().for_each(|(_, expansion)| expansion.append_features(features));
    }

    fn add_outputs(&mut self, added: AddedOutputs, _: Task) {
        self.all_sampled().for_each(|(_, expansion)| expansion.append_outputs(added));
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("average");
        if let Method::Sampled(_, sampled) = &self.method {
            for (name, expansion) in NAMES.into_iter().zip(sampled.iter()) {
                expansion.write(out.scope_mut(name));
            }
        }
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let from = from.scope("average")?;
        self.pass_starts(head.n_seen);
        for (name, expansion) in self.all_sampled() {
            expansion.read_from(from.scope(name)?, head.task)?;
            if expansion.len() > head.max_size {
                let reason = "a sampled model has more support vectors than the budget allows";
                return Err(Error::Model(reason.into()));
            }
        }
        Ok(())
    }
}

/// Reservoir sampling of one model per window: the n-th model of a window is sampled with probability 1/n.
#[inline(never)]
fn sample<T: Real>(
    t: u64,
    starts: [u64; 2],
    sampled: &mut [KernelExpansion<T>; 2],
    expansion: &KernelExpansion<T>,
    rng: &mut Rng,
) {
    for (start, sampled) in starts.into_iter().zip(sampled) {
        if rng.index((t - start) as usize) == 0 {
            sampled.copy_model(expansion);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start of the window used for prediction, after `n_seen` examples.
    fn predicting(gamma: f64, length: u64, n_seen: u64) -> u64 {
        SuffixWindows::new(gamma, length, n_seen).starts[0]
    }

    #[test]
    fn windows_by_hand() {
        // Starts after 1, 2, 4, 8, ...: at least half of the stream from the second start on.
        let halves: Vec<u64> = (0..=9).map(|seen| predicting(0.5, 1, seen)).collect();
        assert_eq!(halves, [0, 0, 1, 1, 2, 2, 2, 2, 4, 4]);
        // 1000, 100, 10, 1: rounding must not make 99 of 1000 (1 - 0.9).
        assert_eq!([99, 100, 999, 1000, 1001].map(|seen| predicting(0.9, 1000, seen)), [1, 10, 10, 100, 100]);
        // Starts are exact for long streams too.
        let long = 10_u64.pow(15);
        assert_eq!([long - 1, long].map(|seen| predicting(0.5, long, seen)), [long / 4, long / 2]);
        // With gamma = 1 the window is the whole stream.
        assert_eq!([0, 1, 1000].map(|seen| predicting(1.0, 7, seen)), [0, 0, 0]);
        // 12 (3/4)^k: 12, 9, 6, 5, 3, 2, 2, 1, 1; then 16, 21, ...
        assert_eq!(
            [1, 2, 3, 5, 6, 9, 12, 15, 16].map(|t| predicting(0.25, 12, t)),
            [0, 1, 2, 3, 5, 6, 9, 9, 12]
        );
    }

    #[test]
    fn windows_that_advance_one_by_one_equal_windows_at_once() {
        for (gamma, length) in [(0.5, 1), (0.5, 1000), (0.3, 77), (0.001, 400), (0.97, 3), (1.0, 5)] {
            let mut windows = SuffixWindows::new(gamma, length, 0);
            for seen in 1..2000 {
                while windows.pass_next_start(seen) {}
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
