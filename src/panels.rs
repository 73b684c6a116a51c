//! The stored vectors, feature-major in panels: `[panel][feature][8 vectors of lanes]`, the last panel narrower: 1, 2,
//! 4 or 8 vectors, so that there are few loops to compile. A panel may have room for features that are added later.

use crate::batch::Row;
use crate::float::Real;
use crate::ops::{PANEL, PanelView, PanelsMut, SimdBuffer};
use crate::slot::Slot;

/// Stored vectors, a lane each; lanes never move. Freed lanes are zero in every feature, and so is the room for more
/// features.
#[derive(Debug, Clone)]
pub(crate) struct PanelStorage<T: Real> {
    buffer: SimdBuffer<T>,
    features: usize,
    /// The number of features that each panel has room for.
    room: usize,
    /// Vectors of lanes to a feature, over all panels.
    n_simd: usize,
    /// The most vectors of lanes there can be.
    limit: usize,
}

/// Bytes that are set aside before they are used.
const RESERVE_MIN_BYTES: usize = 1 << 20;

/// Vectors of lanes for that many slots: whole panels, and a narrower one.
pub(crate) fn n_simd_for<T: Real>(slots: usize) -> usize {
    let n_simd = slots.div_ceil(T::LANES);
    match n_simd % PANEL {
        0 => n_simd,
        rest => n_simd - rest + rest.next_power_of_two(),
    }
}

impl<T: Real> PartialEq for PanelStorage<T> {
    /// Equal vectors, whatever the room.
    fn eq(&self, other: &Self) -> bool {
        let shape = |all: &Self| (all.features, all.n_simd, all.limit);
        let panels = |first: &usize| self.view().panel(*first).data == other.view().panel(*first).data;
        shape(self) == shape(other) && (0..self.n_simd).step_by(PANEL).all(|first| panels(&first))
    }
}

impl<T: Real> PanelStorage<T> {
    /// For as many vectors of `features` numbers as `slots` says, or any number; as yet without room for one.
    ///
    /// Memory is set aside at once and taken a panel at a time, so that a large budget costs what it holds. A small one
    /// is taken when it is needed: systems set aside whole pages.
    pub(crate) fn new(slots: Option<usize>, features: usize) -> Self {
        let limit = slots.map_or(usize::MAX, n_simd_for::<T>);
        Self::with_room(limit, features, features)
    }

    /// Without vectors, for at most `limit` vectors of lanes to a feature.
    fn with_room(limit: usize, features: usize, room: usize) -> Self {
        let all = if limit == usize::MAX { 0 } else { limit * room };
        let is_large = all.saturating_mul(T::LANES * size_of::<T>()) >= RESERVE_MIN_BYTES;
        let buffer = SimdBuffer::with_capacity(if is_large { all } else { 0 });
        Self { buffer, features, room, n_simd: 0, limit }
    }

    pub(crate) fn features(&self) -> usize {
        self.features
    }

    /// The number of features that may be added before the vectors are copied.
    pub(crate) fn spare_features(&self) -> usize {
        self.room - self.features
    }

    /// Vectors of lanes to a feature.
    pub(crate) fn n_simd(&self) -> usize {
        self.n_simd
    }

    /// Room for one more panel; no lane moves, because panels lie one after the other and only the last is narrower.
    pub(crate) fn grow(&mut self) {
        debug_assert!(self.n_simd.is_multiple_of(PANEL), "what grows holds whole panels");
        self.n_simd = (self.n_simd + PANEL).min(self.limit);
        self.buffer.grow(self.n_simd * self.room);
    }

    /// Appends zero features. Where there is no room for them, the vectors are copied into panels with half as much
    /// room again, so that features which are added one by one cost a constant number of copies each.
    pub(crate) fn add_features(&mut self, features: usize) {
        if features > self.room {
            let room = features.max(self.room + self.room / 2);
            let mut wider = Self::with_room(self.limit, features, room);
            wider.buffer.grow(self.n_simd * wider.room);
            for first in (0..self.n_simd).step_by(PANEL) {
                let used = PANEL.min(self.n_simd - first) * self.features;
                let from = &self.buffer.as_slice()[first * self.room..][..used];
                wider.buffer.as_mut_slice()[first * wider.room..][..used].copy_from_slice(from);
            }
            wider.n_simd = self.n_simd;
            *self = wider;
        }
        self.features = features;
    }

    /// Where feature `j` of a slot lies.
    #[inline(always)]
    fn place(&self, slot: Slot, j: usize) -> usize {
        let i_simd = slot.index() / T::LANES;
        let panel = i_simd / PANEL;
        let width = PANEL.min(self.n_simd - panel * PANEL);
        let lanes = panel * PANEL * self.room + j * width + i_simd % PANEL;
        lanes * T::LANES + slot.index() % T::LANES
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot, j: usize) -> T {
        self.buffer.get(self.place(slot, j))
    }

    /// Sets feature `j` of a slot.
    pub(crate) fn set(&mut self, slot: Slot, j: usize, x: T) {
        let place = self.place(slot, j);
        self.buffer.set(place, x);
    }

    /// The places of a slot's features: the first, and the distance from one to the next.
    #[inline(always)]
    fn stride(&self, slot: Slot) -> (usize, usize) {
        let panel = slot.index() / T::LANES / PANEL;
        (self.place(slot, 0), PANEL.min(self.n_simd - panel * PANEL) * T::LANES)
    }

    /// Writes every feature of a slot.
    #[inline(always)]
    pub(crate) fn write(&mut self, slot: Slot, x: impl Iterator<Item = T>) {
        if self.features == 0 {
            return;
        }
        let (mut place, stride) = self.stride(slot);
        for x in x {
            self.buffer.set(place, x);
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
                    self.buffer.set(self.place(slot, j as usize), x);
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
            *x = self.buffer.get(place);
            place += stride;
        }
    }

    /// Every number, with the zeros of the room.
    pub(crate) fn buffer(&self) -> &SimdBuffer<T> {
        &self.buffer
    }

    /// As the operations see them.
    #[inline]
    pub(crate) fn view(&self) -> PanelView<'_, T> {
        let Self { features, room, n_simd, .. } = *self;
        PanelView { data: self.buffer.as_slice(), features, room, n_simd }
    }

    /// The same to change.
    pub(crate) fn view_mut(&mut self) -> PanelsMut<'_, T> {
        let Self { features, room, n_simd, .. } = *self;
        PanelsMut { data: self.buffer.as_mut_slice(), features, room, n_simd }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Features that are added one by one are copied a constant number of times on average.
    #[test]
    fn growth_is_amortised() {
        let mut panels: PanelStorage<f32> = PanelStorage::new(Some(100), 1);
        panels.grow();
        let mut copied = 0;
        for features in 2..3000 {
            let room = panels.room;
            panels.add_features(features);
            copied += if panels.room > room { features } else { 0 };
        }
        assert!(copied < 4 * 3000, "{copied}");
    }
}
