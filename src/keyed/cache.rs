//! [`ModelCache`]: the models of all keys, in memory up to a limit, else in files.

use super::archive::{Archive, Saved};
use super::gather::{Groups, KeyRows};
use super::index::NO_SLOT;
use super::record_file::RecordFile;
use super::schema::Template;
use super::slot::{Place, Resident, Slot};
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::model::{LearnerFloat, Model};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum number of rows that are processed before the memory of the models is checked.
const CHUNK_ROWS: usize = 1 << 14;

/// Estimated memory of a model, as a multiple of the size of its record.
const MEMORY_PER_RECORD_BYTE: usize = 8;

/// A least-recently-used cache of models, one slot per key, which spills to a file.
#[derive(Debug)]
pub(super) struct ModelCache {
    pub(super) slots: Vec<Slot>,
    /// Slot indices of the models in memory, by the time of their last use.
    pub(super) recent: BTreeMap<u64, u32>,
    clock: u64,
    pub(super) memory: usize,
    pub(super) max_memory: usize,
    /// Memory of the model that was checked in last.
    recent_size: usize,
    /// Directory of the temporary file, by default the system's directory for temporary files.
    pub(super) directory: Option<PathBuf>,
    pub(super) temporary: Option<RecordFile>,
    /// Bytes of the current records in the temporary file.
    pub(super) current: u64,
    pub(super) archive: Option<Archive>,
}

/// Options of [`ModelCache::run`].
#[derive(Clone, Copy)]
pub(super) struct RunOptions<'a> {
    pub(super) template: Template<'a>,
    /// Runs on the rayon pool.
    pub(super) parallel: bool,
    /// The models are changed.
    pub(super) mutates: bool,
}

/// A group of rows and the checked-out model of its key: slot index, row indices, model.
type Job<'a> = (u32, &'a [usize], Slot);

impl ModelCache {
    pub(super) fn new(max_memory: usize) -> Self {
        Self {
            slots: Vec::new(),
            recent: BTreeMap::new(),
            clock: 0,
            memory: 0,
            max_memory,
            recent_size: 0,
            directory: None,
            temporary: None,
            current: 0,
            archive: None,
        }
    }

    /// Models that are in a file, by slot.
    pub(super) fn of_archive(archive: Archive, models: &[Saved], max_memory: usize) -> Self {
        let slot =
            |(model, _): &Saved| model.map_or(Slot::Empty, |location| Slot::Spilled(Place::Saved(location)));
        Self { slots: models.iter().map(slot).collect(), archive: Some(archive), ..Self::new(max_memory) }
    }

    pub(super) fn set_limit(&mut self, max_memory: usize, directory: Option<PathBuf>) {
        (self.max_memory, self.directory) = (max_memory, directory);
    }

    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    pub(super) fn n_resident(&self) -> usize {
        self.recent.len()
    }

    pub(super) fn resize(&mut self, n_slots: usize) {
        self.slots.resize_with(n_slots, || Slot::Empty);
    }

    /// Removes the model of a slot, which the model of the last slot gets.
    pub(super) fn swap_remove(&mut self, slot: u32) {
        self.discard(slot);
        self.slots.swap_remove(slot as usize);
        if let Some(Slot::Resident(moved)) = self.slots.get(slot as usize) {
            self.recent.insert(moved.last_used, slot);
        }
    }

    /// Keeps the models of the slots that are true, in their order.
    pub(super) fn retain(&mut self, slots: &[bool]) {
        for (slot, _) in (0..).zip(slots).filter(|(_, is_kept)| !**is_kept) {
            self.discard(slot);
        }
        let mut slots = slots.iter();
        self.slots.retain(|_| slots.next() == Some(&true));
        self.slots.shrink_to_fit();
        let last_used = |(slot, entry): (u32, &Slot)| match entry {
            Slot::Resident(resident) => Some((resident.last_used, slot)),
            _ => None,
        };
        self.recent = (0..).zip(&self.slots).filter_map(last_used).collect();
    }

    /// Discards the model of a slot.
    fn discard(&mut self, slot: u32) {
        if let Slot::Resident(Resident { copy: Some(place), .. }) | Slot::Spilled(place) =
            self.check_out(slot)
        {
            self.free(place);
        }
    }

    /// The sort key of a group: models in memory first, then models in files by offset, then new models.
    pub(super) fn run_order(&self, slot: u32) -> u64 {
        match self.slots.get(slot as usize) {
            Some(Slot::Resident(_)) => 0,
            Some(Slot::Spilled(Place::Temporary(location))) => location.offset + 1,
            Some(Slot::Spilled(Place::Saved(location))) => (location.offset + 1) | 1 << 62,
            _ => u64::MAX,
        }
    }

    /// A copy of a model.
    pub(super) fn get(&self, slot: u32, template: &Template<'_>) -> Result<Model> {
        match &self.slots[slot as usize] {
            Slot::Empty => Ok(template.model.clone()),
            Slot::Resident(resident) => Ok((*resident.model).clone()),
            Slot::Spilled(place) => self.read(*place, template),
            Slot::CheckedOut => Err(lost()),
        }
    }

    pub(super) fn file(&self, place: Place) -> Result<&RecordFile> {
        let file = match place {
            Place::Temporary(_) => self.temporary.as_ref(),
            Place::Saved(_) => self.archive.as_ref().map(|archive| &archive.file),
        };
        file.ok_or_else(|| Error::State("there is no file of models".into()))
    }

    fn read(&self, place: Place, template: &Template<'_>) -> Result<Model> {
        let file = self.file(place)?;
        let record = file.read(place.location())?;
        let model = match place {
            Place::Temporary(_) => Model::from_own_record(&record),
            Place::Saved(_) => Model::from_record(&record).and_then(|model| {
                template.check(&model)?;
                Ok(model)
            }),
        };
        model.map_err(|error| error.in_file(&file.path))
    }

    /// Counts a record as outdated.
    fn free(&mut self, place: Place) {
        match (place, &mut self.archive) {
            (Place::Temporary(location), _) => self.current -= u64::from(location.length),
            (Place::Saved(location), Some(archive)) => archive.free(location),
            (Place::Saved(_), None) => {}
        }
    }

    /// Runs a function for each group of rows and the model of its key, and passes the results to `on_result`.
    ///
    /// Before each chunk of groups `go_on` is asked whether to continue. The first error ends the run; a group that
    /// failed leaves its model unchanged.
    pub(super) fn run<T: LearnerFloat, R: Send>(
        &mut self,
        groups: &Groups,
        RunOptions { template, parallel, mutates }: RunOptions<'_>,
        batch: &Rows<'_, T>,
        run: impl Fn(&mut Model, &KeyRows<'_, T>) -> Result<R> + Sync,
        mut on_result: impl FnMut(&[usize], R),
        mut go_on: impl FnMut() -> bool,
    ) -> std::result::Result<(), (u32, Error)> {
        let mut groups = groups.iter().peekable();
        while groups.peek().is_some() && go_on() {
            let (mut jobs, mut n_rows, mut room) = (Vec::new(), 0, self.max_memory / 4);
            while let Some(&(slot, indices)) = groups.peek()
                && (jobs.is_empty() || n_rows < CHUNK_ROWS && room > 0)
            {
                room = room.saturating_sub(self.additional_memory(slot));
                let model = self.check_out(slot);
                n_rows += indices.len();
                jobs.push((slot, indices, model));
                groups.next();
            }
            let run_job = |(slot, indices, model): Job<'_>| {
                let rows = KeyRows::copy(batch, indices);
                let row_of_batch = |row: usize| indices.get(row).copied().unwrap_or(row);
                let run = |model: &mut Model| run(model, &rows).map_err(|error| error.map_row(row_of_batch));
                (slot, self.run_one(model, &template, mutates, run))
            };
            let groups: Vec<&[usize]> = jobs.iter().map(|(_, indices, _)| *indices).collect();
            let ended: Vec<_> = if parallel && jobs.len() > 1 {
                jobs.into_par_iter().map(run_job).collect()
            } else {
                jobs.into_iter().map(run_job).collect()
            };
            let mut failed = None;
            for (indices, (slot, (model, stale, result))) in groups.into_iter().zip(ended) {
                if let Some(stale) = stale {
                    self.free(stale);
                }
                self.check_in(slot, model);
                match result {
                    Ok(result) => on_result(indices, result),
                    Err(error) => failed = failed.or(Some((slot, error))),
                }
            }
            let spilled = self.enforce_limit(parallel).map_err(|error| (NO_SLOT, error));
            failed.map_or(Ok(()), Err).and(spilled)?;
        }
        Ok(())
    }

    /// Estimates how much more memory is used if the model of a slot is in memory. Without any model to estimate from,
    /// the estimate is infinite, so that the first model runs alone.
    fn additional_memory(&self, slot: u32) -> usize {
        let size = self.memory.checked_div(self.recent.len()).unwrap_or(self.recent_size);
        match self.slots.get(slot as usize) {
            Some(Slot::Resident(_)) => 0,
            Some(Slot::Spilled(place)) => {
                size.max(MEMORY_PER_RECORD_BYTE.saturating_mul(place.location().length as usize))
            }
            _ if size == 0 => usize::MAX,
            _ => size,
        }
    }

    /// Takes a model out of the cache for a call.
    pub(super) fn check_out(&mut self, slot: u32) -> Slot {
        // Unknown keys have no slot.
        let Some(entry) = self.slots.get_mut(slot as usize) else { return Slot::Empty };
        let model = std::mem::replace(entry, Slot::CheckedOut);
        if let Slot::Resident(resident) = &model {
            self.recent.remove(&resident.last_used);
            self.memory -= resident.memory;
        }
        model
    }

    /// Returns a model to the cache, as the most recently used one.
    fn check_in(&mut self, slot: u32, mut model: Slot) {
        let Some(entry) = self.slots.get_mut(slot as usize) else { return };
        if let Slot::Resident(resident) = &mut model {
            self.clock += 1;
            resident.last_used = self.clock;
            self.recent.insert(self.clock, slot);
            self.memory += resident.memory;
            self.recent_size = resident.memory;
        }
        *entry = model;
    }

    /// Runs a function with a checked-out model. Returns the model, the place of its outdated copy, and the result.
    /// After an error the model is unchanged; an empty slot stays empty unless a function that mutates succeeds.
    fn run_one<R>(
        &self,
        slot: Slot,
        template: &Template<'_>,
        mutates: bool,
        run: impl FnOnce(&mut Model) -> Result<R>,
    ) -> (Slot, Option<Place>, Result<R>) {
        let (mut model, mut copy) = match slot {
            Slot::Empty => {
                let mut model = Box::new(template.model.clone());
                let result = run(&mut model);
                if !mutates || result.is_err() {
                    return (Slot::Empty, None, result);
                }
                let memory = model.memory();
                let resident = Resident { model, memory, copy: None, last_used: 0 };
                return (Slot::Resident(resident), None, result);
            }
            Slot::Resident(resident) => (resident.model, resident.copy),
            Slot::Spilled(place) => match self.read(place, template) {
                Ok(model) => (Box::new(model), Some(place)),
                Err(error) => return (Slot::Spilled(place), None, Err(error)),
            },
            Slot::CheckedOut => return (Slot::CheckedOut, None, Err(lost())),
        };
        let result = run(&mut model);
        let outdated = if mutates && result.is_ok() { copy.take() } else { None };
        let memory = model.memory();
        (Slot::Resident(Resident { model, memory, copy, last_used: 0 }), outdated, result)
    }
}

pub(super) fn lost() -> Error {
    Error::State("this model is lost: an earlier call failed while it changed the model".into())
}
