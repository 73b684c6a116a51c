//! The models of all keys: in memory, or where they have been written.

use super::common::Common;
use super::groups::{Groups, Part};
use super::index::NOBODY;
use super::spill::{Record, Records, Spill};
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::model::{LearnerFloat, Model};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Rows of the groups that are learned before the next look at memory.
const ROWS: usize = 1 << 14;

/// How many times the bytes of its file a model takes in memory.
const OF_FILE: usize = 4;

/// A model with what is known of it.
#[derive(Debug)]
struct Live {
    model: Box<Model>,
    memory: usize,
    /// The same on disk.
    written: Option<Record>,
    /// The time of its last use.
    used: u64,
}

#[derive(Debug)]
enum Entry {
    /// Of a key of which no row was learned.
    New,
    Live(Live),
    Written(Record),
    /// Some call has it, or ended in the middle.
    Out,
}

/// One entry to the slot, with the models in memory under a bound.
#[derive(Debug)]
pub(super) struct Entries {
    all: Vec<Entry>,
    /// Slots of models in memory, by the time of their last use.
    recent: BTreeMap<u64, u32>,
    clock: u64,
    memory: usize,
    most: usize,
    /// What the last model that was put back takes.
    usual: usize,
    spill: Spill,
    /// The file of the folder that was loaded or saved last.
    folder: Option<Records>,
}

/// How groups go through their models.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) common: Common<'a>,
    /// On the rayon pool.
    pub(super) parallel: bool,
    /// Whether models change.
    pub(super) changes: bool,
}

/// A group on its way through a model: slot, numbers of rows, entry.
type Job<'a> = (u32, &'a [usize], Entry);

impl Entries {
    pub(super) fn new(most: usize) -> Self {
        Self {
            all: Vec::new(),
            recent: BTreeMap::new(),
            clock: 0,
            memory: 0,
            most,
            usual: 0,
            spill: Spill::default(),
            folder: None,
        }
    }

    pub(super) fn limit(&mut self, most: usize, folder: Option<PathBuf>) {
        self.most = most;
        self.spill.set_folder(folder);
    }

    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    pub(super) fn n_live(&self) -> usize {
        self.recent.len()
    }

    pub(super) fn grow(&mut self, slots: usize) {
        self.all.resize_with(slots, || Entry::New);
    }

    /// The order in which groups are run: models in memory, then those of files by their place there, then new ones.
    pub(super) fn place(&self, slot: u32) -> u64 {
        match self.all.get(slot as usize) {
            Some(Entry::Live(_)) => 0,
            Some(Entry::Written(record)) => (record.from + 1) | u64::from(record.saved) << 62,
            _ => u64::MAX,
        }
    }

    /// A copy of a model.
    pub(super) fn copy(&self, slot: u32, common: &Common<'_>) -> Result<Model> {
        match &self.all[slot as usize] {
            Entry::New => Ok(common.begin.clone()),
            Entry::Live(live) => Ok((*live.model).clone()),
            Entry::Written(record) => self.read(*record, common),
            Entry::Out => Err(lost()),
        }
    }

    fn read(&self, record: Record, common: &Common<'_>) -> Result<Model> {
        match &self.folder {
            Some(records) if record.saved => records.read_saved(record, common),
            _ => self.spill.read(record),
        }
    }

    /// The bytes of each model as a file has them; none of keys of which no row was learned.
    pub(super) fn file_of(&self, slot: usize) -> Result<Option<Vec<u8>>> {
        match &self.all[slot] {
            Entry::New => Ok(None),
            Entry::Live(live) => live.model.to_bytes().map(Some),
            Entry::Written(record) => match &self.folder {
                Some(records) if record.saved => records.read(*record).map(Some),
                // It has been tried out now, as what is saved is.
                _ => self.spill.read(*record)?.to_bytes().map(Some),
            },
            Entry::Out => Err(lost()),
        }
    }

    /// All models are in the file of a folder now, those of no bytes apart.
    pub(super) fn settle(&mut self, records: Records, saved: &[Record]) {
        self.all.resize_with(saved.len(), || Entry::New);
        for (entry, record) in self.all.iter_mut().zip(saved) {
            match entry {
                _ if record.bytes == 0 => {}
                Entry::Live(live) => live.written = Some(*record),
                Entry::New | Entry::Written(_) => *entry = Entry::Written(*record),
                Entry::Out => {}
            }
        }
        self.folder = Some(records);
        self.spill.clear();
    }

    /// Runs every group with its model, and hands what comes of it over, some groups at a time, as long as it may go
    /// on. Where models change, what an error leaves is what they were before; the first error ends it.
    pub(super) fn run<T: LearnerFloat, R: Send>(
        &mut self,
        groups: &Groups,
        How { common, parallel, changes }: How<'_>,
        rows: &Rows<'_, T>,
        run: impl Fn(&mut Model, &Part<'_, T>) -> Result<R> + Sync,
        mut done: impl FnMut(&[usize], R),
        mut go_on: impl FnMut() -> bool,
    ) -> std::result::Result<(), (u32, Error)> {
        let mut groups = groups.iter().peekable();
        while groups.peek().is_some() && go_on() {
            // Without a model that says how much one takes the first one is tried alone.
            let (mut jobs, mut count, mut room) = (Vec::new(), 0, self.most / 4);
            while let Some(&(slot, places)) = groups.peek()
                && (jobs.is_empty() || count < ROWS && room > 0)
            {
                room = room.saturating_sub(self.more_memory(slot));
                let entry = self.take(slot);
                count += places.len();
                jobs.push((slot, places, entry));
                groups.next();
            }
            let one = |(slot, places, entry): Job<'_>| {
                let part = Part::of(rows, places);
                let of_batch = |row: usize| places.get(row).copied().unwrap_or(row);
                let run = |model: &mut Model| run(model, &part).map_err(|error| error.map_row(of_batch));
                (slot, self.run_one(entry, &common, changes, run))
            };
            let groups: Vec<&[usize]> = jobs.iter().map(|(_, places, _)| *places).collect();
            let ended: Vec<_> = if parallel && jobs.len() > 1 {
                jobs.into_par_iter().map(one).collect()
            } else {
                jobs.into_iter().map(one).collect()
            };
            let mut failed = None;
            for (places, (slot, (entry, stale, result))) in groups.into_iter().zip(ended) {
                if let Some(stale) = stale {
                    self.spill.give(stale);
                }
                self.put(slot, entry);
                match result {
                    Ok(result) => done(places, result),
                    Err(error) => failed = failed.or(Some((slot, error))),
                }
            }
            let kept = self.make_room(parallel).map_err(|error| (NOBODY, error));
            failed.map_or(Ok(()), Err).and(kept)?;
        }
        Ok(())
    }

    /// About how much more memory is in use when the model of a slot is in memory.
    fn more_memory(&self, slot: u32) -> usize {
        let usual = self.memory.checked_div(self.recent.len()).unwrap_or(self.usual);
        match self.all.get(slot as usize) {
            Some(Entry::Live(_)) => 0,
            Some(Entry::Written(record)) => usual.max(OF_FILE.saturating_mul(record.bytes as usize)),
            _ if usual == 0 => usize::MAX,
            _ => usual,
        }
    }

    /// Takes an entry out for a call.
    fn take(&mut self, slot: u32) -> Entry {
        // Keys that never came have none.
        let Some(entry) = self.all.get_mut(slot as usize) else { return Entry::New };
        let entry = std::mem::replace(entry, Entry::Out);
        if let Entry::Live(live) = &entry {
            self.recent.remove(&live.used);
            self.memory -= live.memory;
        }
        entry
    }

    /// Puts it back, as the one that was used last.
    fn put(&mut self, slot: u32, mut entry: Entry) {
        let Some(place) = self.all.get_mut(slot as usize) else { return };
        if let Entry::Live(live) = &mut entry {
            self.clock += 1;
            live.used = self.clock;
            self.recent.insert(self.clock, slot);
            self.memory += live.memory;
            self.usual = live.memory;
        }
        *place = entry;
    }

    /// Runs with the model of an entry. Returns the entry, the record that it has no more, and what came of it. A model
    /// that fails is as it was, and of a key that has learned nothing there is none.
    fn run_one<R>(
        &self,
        entry: Entry,
        common: &Common<'_>,
        changes: bool,
        run: impl FnOnce(&mut Model) -> Result<R>,
    ) -> (Entry, Option<Record>, Result<R>) {
        let (mut model, mut written) = match entry {
            Entry::New => {
                let mut model = Box::new(common.begin.clone());
                let result = run(&mut model);
                if !changes || result.is_err() {
                    return (Entry::New, None, result);
                }
                let memory = model.memory();
                return (Entry::Live(Live { model, memory, written: None, used: 0 }), None, result);
            }
            Entry::Live(live) => (live.model, live.written),
            Entry::Written(record) => match self.read(record, common) {
                Ok(model) => (Box::new(model), Some(record)),
                Err(error) => return (Entry::Written(record), None, Err(error)),
            },
            Entry::Out => return (Entry::Out, None, Err(lost())),
        };
        let result = run(&mut model);
        let stale = if changes && result.is_ok() { written.take() } else { None };
        let memory = model.memory();
        (Entry::Live(Live { model, memory, written, used: 0 }), stale, result)
    }

    /// Writes the models that were used least recently to the temporary file, where all together exceed the bound. As much
    /// is free then as was too much, but half of the bound at most: single rows write a model or two, large batches many.
    /// After an error all models are still in memory.
    fn make_room(&mut self, parallel: bool) -> Result<()> {
        let Some(excess) = self.memory.checked_sub(self.most).filter(|excess| *excess > 0) else {
            return Ok(());
        };
        let (mut left, mut leave) = (self.memory, Vec::new());
        for slot in self.recent.values() {
            if left <= self.most.saturating_sub(excess.min(self.most / 2)) {
                break;
            }
            let Entry::Live(live) = &self.all[*slot as usize] else { continue };
            left -= live.memory;
            leave.push(*slot);
        }
        for slots in leave.chunks(256) {
            let encode = |slot: &u32| match &self.all[*slot as usize] {
                Entry::Live(Live { model, written: None, .. }) => model.to_unchecked_bytes().map(Some),
                _ => Ok(None),
            };
            let encoded: Vec<Option<Vec<u8>>> = if parallel {
                slots.par_iter().map(encode).collect::<Result<_>>()
            } else {
                slots.iter().map(encode).collect::<Result<_>>()
            }?;
            for (slot, bytes) in slots.iter().zip(encoded) {
                let record = match bytes {
                    None => None,
                    Some(bytes) => {
                        let record = self.spill.take(bytes.len())?;
                        if let Err(error) = self.spill.write(record, &bytes) {
                            self.spill.give(record);
                            return Err(error);
                        }
                        Some(record)
                    }
                };
                if let Entry::Live(live) = self.take(*slot)
                    && let Some(record) = record.or(live.written)
                {
                    self.all[*slot as usize] = Entry::Written(record);
                }
            }
        }
        Ok(())
    }
}

fn lost() -> Error {
    Error::State("this model is lost: a call that was changing it ended in the middle".into())
}
