//! A follower of the slots: the sums that the mean of many models is made of (Le et al. 2016, Algorithms 1 and 2).

use super::Follower;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::persist::Tensors;
use crate::slot::Slot;
use crate::store::age::Age;
use crate::store::edits::{Edit, Merger};
use crate::store::expansion::Expansion;
use crate::store::support::Support;

/// Of every support vector the sum of its coefficients, the scale and the model's weight included, over the models of one
/// window or of two: the first is the one that is served, the newer takes its place when the windows move on.
///
/// It is lazy: as long as the unscaled coefficients of a slot stay, its share of all models is their product with the sum
/// of the weighted scales, and is added up when they change. Edits of the model are edits of its sums: what is spread or
/// merged takes its sums along, what is removed loses them. Invariant: the sums of slots that are not live are zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Averages {
    outputs: usize,
    /// The sum of the weighted scales of all models since the windows last moved.
    total: f64,
    /// What that sum was when a slot's share was last added up.
    since: Vec<f64>,
    /// The windows, the older one first: `outputs` sums to the slot.
    sums: Vec<Vec<f64>>,
}

/// The names of the windows in a model file.
const NAMES: [&str; 2] = ["older", "newer"];

impl Averages {
    pub(crate) fn new(outputs: usize, windows: usize) -> Self {
        Self { outputs, total: 0.0, since: Vec::new(), sums: vec![Vec::new(); windows] }
    }

    /// Another model, with its scale times its weight.
    #[inline(always)]
    pub(crate) fn count(&mut self, weighted_scale: f64) {
        self.total += weighted_scale;
    }

    fn place(&self, slot: Slot) -> std::ops::Range<usize> {
        let first = slot.index() * self.outputs;
        first..first + self.outputs
    }

    /// A slot that is gone.
    #[inline(always)]
    fn clear(&mut self, slot: Slot) {
        let place = self.place(slot);
        for sums in &mut self.sums {
            sums[place.clone()].fill(0.0);
        }
    }

    /// Adds up the share of a slot, whose coefficients are about to change.
    #[inline(always)]
    fn add_share<T: Real>(&mut self, slot: Slot, expansion: &Expansion<T>) {
        let scales = self.total - std::mem::replace(&mut self.since[slot.index()], self.total);
        let place = self.place(slot);
        for sums in &mut self.sums {
            for (output, sum) in sums[place.clone()].iter_mut().enumerate() {
                *sum += expansion.get(slot, output).to_f64() * scales;
            }
        }
    }

    fn add_all_shares<T: Real>(&mut self, age: &Age, expansion: &Expansion<T>) {
        for slot in age.iter() {
            self.add_share(slot, expansion);
        }
    }

    /// `p` is about to be spread: each slot but `p` itself gets its share of `p`'s sums as of its coefficients.
    fn spread<T: Real>(&mut self, p: Slot, on: &[Slot], d: &[f64], expansion: &Expansion<T>) {
        self.add_share(p, expansion);
        for (&slot, &d) in on.iter().zip(d).filter(|(slot, _)| **slot != p) {
            self.add_share(slot, expansion);
            self.add(slot, d, p);
        }
    }

    /// `m` is about to be merged into `n`, whose coefficients become `u alpha_m + v alpha_n`.
    fn merge<T: Real>(&mut self, m: Slot, n: Slot, u: f64, v: f64, expansion: &Expansion<T>) {
        self.add_share(m, expansion);
        self.add_share(n, expansion);
        let place = self.place(n);
        for sums in &mut self.sums {
            for sum in &mut sums[place.clone()] {
                *sum *= v;
            }
        }
        self.add(n, u, m);
    }

    /// Adds so many times the sums of one slot to those of another.
    fn add(&mut self, to: Slot, factor: f64, from: Slot) {
        let places = [self.place(to), self.place(from)];
        for sums in &mut self.sums {
            let [to, from] = sums.get_disjoint_mut(places.clone()).expect("two slots of the store");
            for (to, from) in to.iter_mut().zip(from) {
                *to += factor * *from;
            }
        }
    }

    /// The newer window becomes the older one, and a new one starts.
    pub(crate) fn move_on<T: Real>(&mut self, age: &Age, expansion: &Expansion<T>) {
        self.add_all_shares(age, expansion);
        self.sums.swap(0, 1);
        self.sums[1].fill(0.0);
        self.total = 0.0;
        self.since.fill(0.0);
    }

    /// The sum over the older window of a coefficient of a slot.
    pub(crate) fn sum<T: Real>(&self, slot: Slot, output: usize, expansion: &Expansion<T>) -> f64 {
        let scales = self.total - self.since[slot.index()];
        let sum = self.sums[0][slot.index() * self.outputs + output];
        sum + expansion.get(slot, output).to_f64() * scales
    }
}

impl<T: Real> Follower<T> for Averages {
    fn before(&mut self, _: AnyKernel, edit: &Edit<'_, T>, support: &Support<T>) {
        let Support { expansion, age, .. } = support;
        match *edit {
            Edit::Merge { merger: Merger { m, n, u, v, .. }, .. } => self.merge(m, n, u, v, expansion),
            Edit::Project { p, on, d, .. } => self.spread(p, on, d, expansion),
            Edit::Give { from, to, share } => self.spread(from, &[to], &[share.to_f64()], expansion),
            Edit::Redirect { slot, .. } => self.add_share(slot, expansion),
            Edit::Absorb { .. } | Edit::Rescale { .. } | Edit::RescaleOthers { .. } => {
                self.add_all_shares(age, expansion);
            }
            Edit::Insert { .. } | Edit::Remove { .. } | Edit::Settle => {}
        }
    }

    fn after(&mut self, _: AnyKernel, edit: &Edit<'_, T>, _: &Support<T>) {
        match *edit {
            Edit::Insert { slot, .. } => self.since[slot.index()] = self.total,
            Edit::Remove { slot, .. }
            | Edit::Merge { merger: Merger { m: slot, .. }, .. }
            | Edit::Project { p: slot, .. } => self.clear(slot),
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::Rescale { .. }
            | Edit::RescaleOthers { .. }
            | Edit::Settle => {}
        }
    }

    fn grow(&mut self, vectors: usize) {
        let slots = vectors * T::LANES;
        self.since.resize(slots, 0.0);
        for sums in &mut self.sums {
            sums.resize(slots * self.outputs, 0.0);
        }
    }

    /// Coefficients do not follow from the kernel.
    fn refresh(&mut self, _: AnyKernel, _: &Support<T>) {}

    fn save(&self, support: &Support<T>, out: &mut Tensors) {
        let high = support.high;
        out.set("total", self.total);
        out.put("since", &[high], self.since[..high].iter().copied());
        for (name, sums) in NAMES.into_iter().zip(&self.sums) {
            out.put(name, &[high, self.outputs], sums[..high * self.outputs].iter().copied());
        }
    }

    fn load(&mut self, _: AnyKernel, from: &Tensors, support: &Support<T>) -> Result<()> {
        let Support { high, ref age, ref expansion, .. } = *support;
        let refused = |reason: &'static str| Error::Model(reason.into());
        self.total = from.finite("total")?;
        let since: Vec<f64> = from.get("since", &[high])?;
        if self.total < 0.0 || !since.iter().all(|since| (0.0..=self.total).contains(since)) {
            return Err(refused("the scales of an average must add up"));
        }
        self.since[..high].copy_from_slice(&since);
        for (name, sums) in NAMES.into_iter().zip(&mut self.sums) {
            let saved: Vec<f64> = from.get(name, &[high, self.outputs])?;
            for (slot, row) in saved.chunks_exact(self.outputs).enumerate() {
                let live = age.is_live(Slot(slot as u32));
                if !row.iter().all(|sum| sum.is_finite() && (live || *sum == 0.0)) {
                    return Err(refused("the sums of an average must be finite, and zero in free slots"));
                }
            }
            sums[..saved.len()].copy_from_slice(&saved);
        }
        // What they add up to now must be numbers too, in both windows.
        let mut complete = self.clone();
        complete.add_all_shares(age, expansion);
        if complete.sums.iter().flatten().all(|sum| sum.is_finite()) {
            return Ok(());
        }
        Err(refused("the sums of an average must be finite"))
    }
}
