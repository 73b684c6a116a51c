//! The stored vectors, feature-major in panels: `[panel][feature][8 vectors of lanes]`, the last panel narrower: 1, 2, 4 or
//! 8 vectors, so that there are few loops to compile.

use super::Slot;
use crate::float::{Real, splat};
use crate::kernel::{AnyKernel, Pair, with_pair};
use crate::ops::Lanes;
use crate::ops::tile::{self, PANEL, Panel, tile_width};
use crate::row::Row;
use fearless_simd::{Simd, SimdBase};

/// Stored vectors, a lane each; lanes never move. Freed lanes are zero in every feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panels<T: Real> {
    lanes: Lanes<T>,
    features: usize,
    /// Vectors of lanes to a feature, over all panels.
    vectors: usize,
    /// The most vectors of lanes there can be.
    limit: usize,
}

/// Vectors of lanes for that many slots: whole panels, and a narrower one.
pub(crate) fn vectors_for<T: Real>(slots: usize) -> usize {
    let vectors = slots.div_ceil(T::LANES);
    match vectors % PANEL {
        0 => vectors,
        rest => vectors - rest + rest.next_power_of_two(),
    }
}

/// What becomes of finished chains, a whole tile at a time: side by side they hide each other's latency.
pub(super) trait Sink<T: Real> {
    /// Takes the chains of the vectors of lanes `vector..vector + W`.
    fn take<S: Simd, const W: usize>(&mut self, s: S, vector: usize, acc: [T::V<S>; W]);
}

impl<T: Real> Panels<T> {
    /// For as many vectors of `features` numbers as `slots` says, or any number; as yet without room for one.
    ///
    /// Memory is set aside at once and taken a panel at a time, so that a large budget costs what it holds.
    pub(crate) fn new(slots: Option<usize>, features: usize) -> Self {
        let limit = slots.map_or(usize::MAX, vectors_for::<T>);
        let room = slots.map_or(0, |_| limit * features);
        Self { lanes: Lanes::with_room(room), features, vectors: 0, limit }
    }

    pub(crate) fn features(&self) -> usize {
        self.features
    }

    /// Vectors of lanes to a feature.
    pub(crate) fn vectors(&self) -> usize {
        self.vectors
    }

    /// Room for one more panel; no lane moves, because panels lie one after the other and only the last is narrower.
    pub(crate) fn grow(&mut self) {
        debug_assert!(self.vectors.is_multiple_of(PANEL), "what grows holds whole panels");
        self.vectors = (self.vectors + PANEL).min(self.limit);
        self.lanes.grow(self.vectors * self.features);
    }

    /// Appends zero features.
    pub(crate) fn widen(&mut self, features: usize) {
        let mut wider = Self { lanes: Lanes::zeros(self.vectors * features), features, ..*self };
        for slot in (0..self.vectors * T::LANES).map(|i| Slot(i as u32)) {
            for j in 0..self.features {
                wider.lanes.set(wider.place(slot, j), self.get(slot, j));
            }
        }
        *self = wider;
    }

    /// Where feature `j` of a slot lies.
    #[inline(always)]
    fn place(&self, slot: Slot, j: usize) -> usize {
        let vector = slot.index() / T::LANES;
        let panel = vector / PANEL;
        let width = PANEL.min(self.vectors - panel * PANEL);
        let line = panel * PANEL * self.features + j * width + vector % PANEL;
        line * T::LANES + slot.index() % T::LANES
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot, j: usize) -> T {
        self.lanes.get(self.place(slot, j))
    }

    /// The places of a slot's features: the first, and the distance from one to the next.
    #[inline(always)]
    fn stride(&self, slot: Slot) -> (usize, usize) {
        let panel = slot.index() / T::LANES / PANEL;
        (self.place(slot, 0), PANEL.min(self.vectors - panel * PANEL) * T::LANES)
    }

    /// Writes every feature of a slot.
    #[inline(always)]
    pub(crate) fn write(&mut self, slot: Slot, x: impl Iterator<Item = T>) {
        if self.features == 0 {
            return;
        }
        let (mut place, stride) = self.stride(slot);
        for x in x {
            self.lanes.set(place, x);
            place += stride;
        }
    }

    /// Writes a row into a slot whose features are zero.
    #[inline(always)]
    pub(crate) fn write_row(&mut self, slot: Slot, x: Row<'_, T>) {
        match x {
            Row::Dense(x) => self.write(slot, x.iter().copied()),
            Row::Sparse(indices, values) => {
                for (&j, &x) in indices.iter().zip(values) {
                    self.lanes.set(self.place(slot, j as usize), x);
                }
            }
        }
    }

    /// Reads every feature of a slot.
    #[inline(always)]
    pub(crate) fn read(&self, slot: Slot, x: &mut [T]) {
        if self.features == 0 {
            return;
        }
        let (mut place, stride) = self.stride(slot);
        for x in x {
            *x = self.lanes.get(place);
            place += stride;
        }
    }

    /// Accumulates a row against the panels that hold the first `used` vectors of lanes, and hands the finished chains
    /// to `sink`, in order. Lanes beyond those in use are zero vectors.
    #[inline(always)]
    pub(super) fn sweep<S: Simd, P: Pair<T>>(
        &self,
        s: S,
        pair: P,
        x: Row<'_, T>,
        norms: &Lanes<T>,
        used: usize,
        sink: &mut impl Sink<T>,
    ) {
        for panel in 0..used.div_ceil(PANEL) {
            let vector = panel * PANEL;
            let width = PANEL.min(self.vectors - vector);
            let from = vector * self.features;
            let view = Panel { lines: &self.lanes.lines()[from..from + width * self.features], width };
            let mut first = 0;
            while first < width {
                let tile = Tile { panel: view, vector: vector + first, first, norms };
                let left = width - first;
                if const { tile_width::<S>() == PANEL } {
                    match left {
                        8 => tile.run::<S, P, 8>(s, pair, x, sink),
                        4 => tile.run::<S, P, 4>(s, pair, x, sink),
                        2 => tile.run::<S, P, 2>(s, pair, x, sink),
                        _ => tile.run::<S, P, 1>(s, pair, x, sink),
                    }
                    break;
                }
                match left {
                    1 => tile.run::<S, P, 1>(s, pair, x, sink),
                    2 => tile.run::<S, P, 2>(s, pair, x, sink),
                    _ => tile.run::<S, P, 4>(s, pair, x, sink),
                }
                first += 4;
            }
        }
    }
}

/// Vectors of lanes `vector..`, which are those from `first` on in their panel.
struct Tile<'a, T: Real> {
    panel: Panel<'a, T>,
    vector: usize,
    first: usize,
    norms: &'a Lanes<T>,
}

impl<T: Real> Tile<'_, T> {
    #[inline(always)]
    fn run<S: Simd, P: Pair<T>, const W: usize>(self, s: S, pair: P, x: Row<'_, T>, sink: &mut impl Sink<T>) {
        let Self { panel, vector, first, norms } = self;
        let acc: [T::V<S>; W] = match x {
            Row::Dense(x) => tile::dense(
                s,
                x,
                panel,
                first,
                #[inline(always)]
                |acc, x, v| pair.accumulate::<S>(acc, x, v),
            ),
            Row::Sparse(indices, values) => {
                let mut start = [splat::<T, S>(s, T::ZERO); W];
                for (start, norms) in start.iter_mut().zip(&norms.lines()[vector..vector + W]) {
                    *start = pair.rest(s, norms.load(s));
                }
                let mut acc = tile::sparse(
                    s,
                    (indices, values),
                    panel,
                    first,
                    start,
                    #[inline(always)]
                    |acc, x, v| pair.accumulate_sparse::<S>(acc, x, v),
                );
                for acc in &mut acc {
                    *acc = pair.mend(s, *acc);
                }
                acc
            }
        };
        sink.take(s, vector, acc);
    }
}

impl<T: Real> Panels<T> {
    /// `k(x, x_j)` in double precision from the stored numbers, for every slot of the first `used` vectors of lanes.
    #[inline(never)]
    pub(super) fn values_f64<S: Simd>(&self, s: S, kernel: AnyKernel, x: &[f64], used: usize, k: &mut [f64]) {
        with_pair!(kernel, pair => s.vectorize(
            #[inline(always)]
            || self.sweep_f64(s, pair, x, used, k),
        ));
    }

    /// The same for one kernel: 8 slots at a time, whatever the type of the stored numbers.
    #[inline(always)]
    fn sweep_f64<S: Simd, P: Pair<f64>>(&self, s: S, pair: P, x: &[f64], used: usize, k: &mut [f64]) {
        let x_norm = pair.norm(Row::Dense(x));
        for vector in 0..used {
            let panel = vector / PANEL;
            let width = PANEL.min(self.vectors - panel * PANEL);
            let from = panel * PANEL * self.features + vector % PANEL;
            for part in (0..T::LANES).step_by(f64::LANES) {
                let mut acc = splat::<f64, S>(s, 0.0);
                let mut norms = splat::<f64, S>(s, 0.0);
                for (j, &x) in x.iter().enumerate() {
                    let numbers = &self.lanes.lines()[from + j * width].numbers()[part..part + f64::LANES];
                    let v = <f64 as Real>::V::<S>::from_fn(s, |i| numbers[i].to_f64());
                    acc = pair.accumulate::<S>(acc, splat::<f64, S>(s, x), v);
                    if pair.reads_norms() {
                        norms += v * v;
                    }
                }
                let first = vector * T::LANES + part;
                pair.finish(s, acc, x_norm, norms).store_slice(&mut k[first..first + f64::LANES]);
            }
        }
    }
}
