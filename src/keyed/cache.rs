//! [`ModelCache`]: the models of all keys, in memory up to a limit, else in files.

use super::groups::{Groups, KeyRows};
use super::index::NO_SLOT;
use super::model_file::{Location, ModelFile};
use super::schema::Template;
use super::slot::{Resident, Slot};
use super::spill_file::SpillFile;
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::model::{LearnerFloat, Model};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum number of rows that are processed before the memory of the models is checked.
const CHUNK_ROWS: usize = 1 << 14;

/// Estimated memory of a model, as a multiple of the size of its file.
const MEMORY_PER_FILE_BYTE: usize = 4;

/// Maximum number of models that are encoded at once when they are spilled.
const SPILL_CHUNK: usize = 256;

/// A least-recently-used cache of models, one slot per key, which spills to a file.
#[derive(Debug)]
pub(super) struct ModelCache {
    slots: Vec<Slot>,
    /// Slot indices of the models in memory, by the time of their last use.
    recent: BTreeMap<u64, u32>,
    clock: u64,
    memory: usize,
    max_memory: usize,
    /// Memory of the model that was checked in last.
    recent_size: usize,
    spill: SpillFile,
    /// The file of the directory that was loaded or saved last.
    saved: Option<ModelFile>,
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
            spill: SpillFile::default(),
            saved: None,
        }
    }

    pub(super) fn set_limit(&mut self, max_memory: usize, spill_directory: Option<PathBuf>) {
        self.max_memory = max_memory;
        self.spill.set_directory(spill_directory);
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
        if let Slot::Resident(Resident { copy: Some(location), .. }) | Slot::Spilled(location) =
            self.check_out(slot)
        {
            self.spill.free(location);
        }
        self.slots.swap_remove(slot as usize);
        if let Some(Slot::Resident(moved)) = self.slots.get(slot as usize) {
            self.recent.insert(moved.last_used, slot);
        }
    }

    /// The sort key of a group: models in memory first, then models in files by offset, then new models.
    pub(super) fn run_order(&self, slot: u32) -> u64 {
        match self.slots.get(slot as usize) {
            Some(Slot::Resident(_)) => 0,
            Some(Slot::Spilled(location)) => (location.offset + 1) | u64::from(location.is_saved) << 62,
            _ => u64::MAX,
        }
    }

    /// A copy of a model.
    pub(super) fn get(&self, slot: u32, template: &Template<'_>) -> Result<Model> {
        match &self.slots[slot as usize] {
            Slot::Empty => Ok(template.model.clone()),
            Slot::Resident(resident) => Ok((*resident.model).clone()),
            Slot::Spilled(location) => self.read(*location, template),
            Slot::CheckedOut => Err(lost()),
        }
    }

    fn read(&self, location: Location, template: &Template<'_>) -> Result<Model> {
        match &self.saved {
            Some(file) if location.is_saved => file.read_saved(location, template),
            _ => self.spill.read(location),
        }
    }

    /// The bytes of a model file. Returns `None` if no row of the key was learned.
    pub(super) fn encode(&self, slot: usize) -> Result<Option<Vec<u8>>> {
        match &self.slots[slot] {
            Slot::Empty => Ok(None),
            Slot::Resident(resident) => resident.model.to_bytes().map(Some),
            Slot::Spilled(location) => match &self.saved {
                Some(file) if location.is_saved => file.read(*location).map(Some),
                // Spilled models are encoded unchecked, but saved models must be loadable.
                _ => self.spill.read(*location)?.to_bytes().map(Some),
            },
            Slot::CheckedOut => Err(lost()),
        }
    }

    /// Records that all models are in the file of a saved directory. A length of 0 marks a key without a model.
    pub(super) fn set_saved(&mut self, file: ModelFile, locations: &[Location]) {
        self.slots.resize_with(locations.len(), || Slot::Empty);
        for (slot, location) in self.slots.iter_mut().zip(locations) {
            match slot {
                _ if location.length == 0 => {}
                Slot::Resident(resident) => resident.copy = Some(*location),
                Slot::Empty | Slot::Spilled(_) => *slot = Slot::Spilled(*location),
                Slot::CheckedOut => {}
            }
        }
        self.saved = Some(file);
        self.spill.clear();
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
                    self.spill.free(stale);
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
            Some(Slot::Spilled(location)) => {
                size.max(MEMORY_PER_FILE_BYTE.saturating_mul(location.length as usize))
            }
            _ if size == 0 => usize::MAX,
            _ => size,
        }
    }

    /// Takes a model out of the cache for a call.
    fn check_out(&mut self, slot: u32) -> Slot {
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

    /// Runs a function with a checked-out model. Returns the model, the location of its outdated copy, and the result.
    /// After an error the model is unchanged; an empty slot stays empty unless a function that mutates succeeds.
    fn run_one<R>(
        &self,
        slot: Slot,
        template: &Template<'_>,
        mutates: bool,
        run: impl FnOnce(&mut Model) -> Result<R>,
    ) -> (Slot, Option<Location>, Result<R>) {
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
            Slot::Spilled(location) => match self.read(location, template) {
                Ok(model) => (Box::new(model), Some(location)),
                Err(error) => return (Slot::Spilled(location), None, Err(error)),
            },
            Slot::CheckedOut => return (Slot::CheckedOut, None, Err(lost())),
        };
        let result = run(&mut model);
        let outdated = if mutates && result.is_ok() { copy.take() } else { None };
        let memory = model.memory();
        (Slot::Resident(Resident { model, memory, copy, last_used: 0 }), outdated, result)
    }

    /// Spills the least recently used models if all models together exceed the memory limit.
    ///
    /// Frees as much below the limit as was used above it, at most half of the limit: single rows spill a model or two,
    /// large batches many. After an error all models are still in memory or in a file.
    fn enforce_limit(&mut self, parallel: bool) -> Result<()> {
        let Some(excess) = self.memory.checked_sub(self.max_memory).filter(|excess| *excess > 0) else {
            return Ok(());
        };
        let target = self.max_memory.saturating_sub(excess.min(self.max_memory / 2));
        let (mut memory, mut to_spill) = (self.memory, Vec::new());
        for slot in self.recent.values() {
            if memory <= target {
                break;
            }
            let Slot::Resident(resident) = &self.slots[*slot as usize] else { continue };
            memory -= resident.memory;
            to_spill.push(*slot);
        }
        for slots in to_spill.chunks(SPILL_CHUNK) {
            for (slot, bytes) in slots.iter().zip(self.encode_uncopied(slots, parallel)?) {
                let location = bytes.map(|bytes| self.write_spilled(&bytes)).transpose()?;
                if let Slot::Resident(resident) = self.check_out(*slot)
                    && let Some(location) = location.or(resident.copy)
                {
                    self.slots[*slot as usize] = Slot::Spilled(location);
                }
            }
        }
        Ok(())
    }

    /// Encodes the models without a copy in a file.
    fn encode_uncopied(&self, slots: &[u32], parallel: bool) -> Result<Vec<Option<Vec<u8>>>> {
        let encode = |slot: &u32| match &self.slots[*slot as usize] {
            Slot::Resident(Resident { model, copy: None, .. }) => model.to_unchecked_bytes().map(Some),
            _ => Ok(None),
        };
        if parallel { slots.par_iter().map(encode).collect() } else { slots.iter().map(encode).collect() }
    }

    fn write_spilled(&mut self, bytes: &[u8]) -> Result<Location> {
        let location = self.spill.allocate(bytes.len())?;
        match self.spill.write(location, bytes) {
            Ok(()) => Ok(location),
            Err(error) => {
                self.spill.free(location);
                Err(error)
            }
        }
    }
}

fn lost() -> Error {
    Error::State("this model is lost: an earlier call failed while it changed the model".into())
}
