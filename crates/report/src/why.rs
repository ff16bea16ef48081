//! # Why the last step goes wrong
//!
//! **Question.** A schedule ends with a condition that does not hold, or in a deadlock. Where do the values come from that it reads, or that threads wait at?
//!
//! **Idea.** From the last statement backward: who wrote what it reads, what did that statement read, and so on, until the value comes from
//! another thread, or has been there from the start. Values come before the indices and conditions that were read with them. A value that
//! another thread changes after it was read, and before what was made of it is used, is told with that change: it is *stale*, as in a lost update.
//! Every read and every write is one that the run made ([`Deed`]).
//!
//! **Claim.** Each link is the last write before the read, each change the last one before the use. Where a statement of the run cannot be told, no
//! link goes past it.
//!
//! A thread that waited under an `if` is told if its test would have come out the same way when it went on.
//!
//! **Otherwise.** If no value comes from another thread, the last thing that the thread read from another one is told: that is why it went
//! this way. If there is nothing of that either and no value is stale, it is the last condition of the thread that another one has changed since then.

mod access;
mod came_back;
mod earlier;
mod guarded;
pub(crate) mod held;
mod stale;
mod untested;
mod waiting;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{
    Action, Cell, Datum, Deed, Property, SharedId, State, SymbolId, System, ThreadId, advance,
};

use crate::holders::Holders;
use crate::text::count;
use crate::view::statements;
use crate::written::is_made;

/// The most values to show of what a condition read: the last ones.
const MOST_VALUES: usize = 4;

/// Longer chains are told in part.
const MOST_LINKS: usize = 4;

/// What other threads did is told so far back: one read a value, and used it when it was another one.
const MOST_LINKS_BEHIND: usize = 8;

/// The most writes to look for behind each value that is shown, so that a value with a long past leaves time for others.
const MOST_LOOKS: usize = 64;

/// Runs with more steps are not looked at.
const MOST_STEPS: usize = 50_000;

/// Statements longer than this are cut.
const LONGEST_TEXT: usize = 48;

/// Begins the text of a step at the end of a procedure that was to return something before.
const END_OF: &str = "end of ";

/// An explanation in words, and the steps that it is about.
#[derive(Default)]
pub struct Why {
    /// A line for each value that is explained.
    pub lines: Vec<String>,
    /// The steps that the lines name, by their places in the run.
    pub steps: BTreeSet<usize>,
}

/// Where the values come from that the last step of a run reads if it goes wrong, and in a deadlock those that threads wait at; nothing where that is not known.
#[must_use]
pub fn why(system: &dyn System, broken: Option<&Property>, trace: &Trace) -> Why {
    if trace.steps.len() > MOST_STEPS {
        return Why::default();
    }
    let mut run = Run::new(system, trace);
    let lines = match (run.is_wrong, broken) {
        (true, _) => run.explain().unwrap_or_default(),
        (false, Some(Property::NoDeadlock(_))) => {
            let mut lines = run.kept();
            lines.extend(run.explain_waiting());
            lines
        }
        (false, _) => Vec::new(),
    };
    Why { lines, steps: run.named.into_inner() }
}

/// A step of the run, and the head that it was taken at.
struct At {
    thread: ThreadId,
    name: String,
    shared: SharedId,
    top: Option<SymbolId>,
    /// How many frames the stack has before it.
    depth: usize,
    /// How many threads there are before it.
    threads: usize,
    action: Action,
}

/// A statement of the run: the number of the step, and which of its statements.
type Moment = (usize, usize);

/// A value in the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Where {
    Shared(usize),
    Frame {
        thread: ThreadId,
        depth: usize,
        slot: usize,
    },
    /// On its way from a procedure to its caller.
    Result(ThreadId),
    /// Chosen freely when it was read: it had any value before.
    Chosen,
}

/// Something that is read: where it is, its name and its value.
#[derive(Clone)]
struct Read {
    place: Where,
    value: Datum,
    /// Where the value was chosen, if it was open.
    open: Option<Where>,
    /// None for a result on its way and for values on the way in programs of other languages, which have no names.
    told: Option<String>,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Written(Moment),
    Start,
    Chosen,
}

/// A value that was read, where it comes from, and the one that it was read for.
struct Link {
    read: Read,
    read_at: Moment,
    origin: Option<Origin>,
    /// The change by another thread before the value, or what was made of it, was used.
    changed: Option<(Moment, Datum)>,
    for_link: Option<usize>,
    /// The procedure that was to return the value, and did not.
    ended: Option<String>,
    /// When what was made of the value was written to where all threads see it, or the end of the run.
    used_at: Moment,
}

/// The links from a value back to where it comes from.
#[derive(Default)]
struct Chain {
    links: Vec<Link>,
    /// Whether that is another thread, or one has changed it since then.
    concerns_another: bool,
    /// The write of the other thread with which it ends, and where that went to.
    written_there: Option<(Moment, Where)>,
}

struct Run<'a> {
    system: &'a dyn System,
    steps: Vec<At>,
    holders: Holders,
    known: BTreeMap<usize, Vec<Deed>>,
    /// The steps that were named so far.
    named: RefCell<BTreeSet<usize>>,
    /// The state at the start.
    first: State,
    /// The state at the end.
    last: State,
    is_wrong: bool,
    /// Whether the program was C, where memory that was not written holds anything.
    is_c: bool,
    looks: usize,
}

impl<'a> Run<'a> {
    fn new(system: &'a dyn System, trace: &Trace) -> Self {
        let mut state = trace.initial.clone();
        let mut steps = Vec::with_capacity(trace.steps.len());
        for &(thread, action) in &trace.steps {
            let stack = &state.threads[thread.index()].stack;
            steps.push(At {
                thread,
                name: thread_name(system, &state, thread),
                shared: state.shared,
                top: stack.top(),
                depth: stack.0.len(),
                threads: state.threads.len(),
                action,
            });
            advance(&mut state, thread, action);
        }
        let is_wrong = system.wrong(state.shared).is_some();
        let (holders, known, named) = (Holders::new(system), BTreeMap::new(), RefCell::default());
        let is_c = system.describe().tells_statements();
        let (first, last) = (trace.initial.clone(), state);
        Run { system, steps, holders, known, named, first, last, is_wrong, is_c, looks: 0 }
    }

    fn deeds(&mut self, step: usize) -> &[Deed] {
        let (system, steps) = (self.system, &self.steps);
        self.known.entry(step).or_insert_with(|| {
            let at = &steps[step];
            at.top.map_or_else(Vec::new, |top| system.describe().deeds(at.shared, top, &at.action))
        })
    }

    fn explain(&mut self) -> Option<Vec<String>> {
        let last = self.steps.len().checked_sub(1)?;
        let moment = (last, self.deeds(last).len().checked_sub(1)?);
        let me = self.steps[last].thread;
        let mut lines = Vec::new();
        if let Some(line) = self.race(moment) {
            return Some(vec![line]);
        }
        let (mut concerns_another, mut is_stale) = (false, false);
        // Where the steps are that say why: the last one, and those of other threads with which chains end.
        let mut ends = vec![moment];
        let mut came_back = Vec::new();
        for read in self.decisive_reads(moment)? {
            let chain = self.chain(read, moment, me);
            let mut told = self.links(&chain, Some(me));
            is_stale |= chain.links.iter().any(|link| link.changed.is_some());
            came_back.extend(self.found_again(&chain, me));
            if let Some((written, to)) = chain.written_there {
                ends.push(written);
                if let Some(stale) = self.stale_behind(written, to) {
                    told.extend(self.links(&stale, None));
                    came_back.extend(self.found_again(&stale, me));
                    is_stale = true;
                } else if let Some(last) = told.last_mut()
                    && let Some(test) = self.led_to(written, to)
                {
                    *last += &test;
                }
            }
            if !told.is_empty() {
                concerns_another |= chain.concerns_another;
                lines.push(told.join(", where "));
            }
            if chain.concerns_another
                && !is_stale
                && let Some(index) = self.stale_index(&chain, me)
            {
                lines.push(self.links(&index, Some(me)).join(", where "));
                came_back.extend(self.found_again(&index, me));
                is_stale = true;
            }
        }
        if !concerns_another {
            lines.extend(self.unwritten(moment));
        }
        if came_back.is_empty() && !is_stale {
            came_back.extend(self.came_back_before(moment));
        }
        lines.extend(came_back);
        let untested: Vec<String> = ends.into_iter().filter_map(|end| self.untested(end)).collect();
        if untested.is_empty() {
            let way_here = if concerns_another { None } else { self.way_here(moment) };
            let is_told = is_stale || way_here.is_some();
            let test = if is_told { None } else { self.no_longer_true(moment) };
            lines.extend(way_here.or(test));
        }
        lines.extend(untested);
        let mut told = BTreeSet::new();
        lines.retain(|line| told.insert(line.clone()));
        Some(lines)
    }

    /// What a condition reads that does not hold; of many values those that were read last. It is read from left to right, up to the part that
    /// fails: element after element under a `forall`.
    fn decisive_reads(&mut self, moment: Moment) -> Option<Vec<Read>> {
        let mut reads = self.reads(moment)?;
        if reads.len() <= MOST_VALUES {
            return Some(reads);
        }
        let (thread, depth) = (self.steps[moment.0].thread, self.steps[moment.0].depth);
        let mut last: Vec<Where> = Vec::new();
        for &cell in self.deeds(moment.0).get(moment.1)?.order.iter().rev() {
            let place = place(cell, thread, depth);
            if last.len() < MOST_VALUES && !last.contains(&place) {
                last.push(place);
            }
        }
        let is_variable = |place| matches!(place, Where::Shared(_) | Where::Frame { .. });
        reads.retain(|read| !is_variable(read.place) || last.contains(&read.place));
        reads.drain(..reads.len().saturating_sub(MOST_VALUES));
        Some(reads)
    }

    /// What a statement reads: variables, and what its call has returned.
    fn reads(&mut self, moment: Moment) -> Option<Vec<Read>> {
        let receives = self.receives(moment);
        let (thread, depth) = (self.steps[moment.0].thread, self.steps[moment.0].depth);
        let texts = statements(self.system, &self.steps[moment.0].action);
        let text = texts.get(moment.1).map_or_else(String::new, |step| step.text.clone());
        let deed = self.deeds(moment.0).get(moment.1)?;
        let mut reads: Vec<Read> = Vec::new();
        for read in &deed.reads {
            let at = place(read.cell, thread, depth);
            let open = (read.before == Datum::Any).then_some(at);
            let place = if open.is_some() { Where::Chosen } else { at };
            // What nobody wrote has no name that is told.
            let told = (!read.name.is_empty() && !is_made(&read.name)).then(|| {
                let channel = read.name.strip_suffix(".length").filter(|name| uses(&text, name));
                match channel {
                    Some(channel) => with_items(channel, &read.value),
                    None => format!("{} = {}", read.name, read.value),
                }
            });
            reads.push(Read { place, value: read.value.clone(), open, told });
        }
        if receives {
            let place = Where::Result(thread);
            reads.push(Read { place, value: Datum::Any, open: None, told: None });
        }
        Some(reads)
    }

    /// Whether a statement takes the results of a call: the one before it, of this thread, was in a frame above.
    fn receives(&mut self, moment: Moment) -> bool {
        let depth = |run: &mut Self, (step, inner): Moment| {
            let before = run.steps[step].depth;
            run.deeds(step).get(inner).map(|deed| before + deed.level)
        };
        let Some(mine) = depth(self, moment) else { return false };
        let before = self.before(moment);
        before.and_then(|before| depth(self, before)).is_some_and(|theirs| theirs > mine)
    }

    /// The statement of the same thread before this one.
    fn before(&mut self, (step, inner): Moment) -> Option<Moment> {
        if inner > 0 {
            return Some((step, inner - 1));
        }
        let thread = self.steps[step].thread;
        let step = self.steps[..step].iter().rposition(|at| at.thread == thread)?;
        let count = self.deeds(step).len();
        Some((step, count.checked_sub(1)?))
    }

    /// Who wrote a value that a statement reads; nothing where that cannot be told.
    fn origin(&mut self, place: Where, read_at: Moment) -> Option<Origin> {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return None;
        }
        let thread = self.steps[read_at.0].thread;
        match place {
            Where::Result(_) => return self.before(read_at).map(Origin::Written),
            Where::Chosen => return Some(Origin::Chosen),
            Where::Shared(_) | Where::Frame { .. } => {}
        }
        // The frame in which the statement after this one of the thread is.
        let mut next_depth = {
            let before = self.steps[read_at.0].depth;
            before + self.deeds(read_at.0).get(read_at.1)?.level
        };
        let mut step = read_at.0;
        let mut most = read_at.1;
        loop {
            let (who, depth, threads) = {
                let at = &self.steps[step];
                (at.thread, at.depth, at.threads)
            };
            let starts = self.steps[step].action.spawn.is_some();
            let (concerns, may_write) = match place {
                Where::Shared(_) => {
                    (true, self.steps[step].action.shared != self.steps[step].shared)
                }
                Where::Frame { thread, .. } => {
                    (thread == who || (starts && thread.index() == threads), thread == who)
                }
                Where::Result(_) | Where::Chosen => (false, false),
            };
            let deeds = if concerns { self.deeds(step) } else { &[] };
            if deeds.is_empty() && may_write {
                return None;
            }
            for inner in (0..most.min(deeds.len())).rev() {
                let deed = &deeds[inner];
                let writes = |cell: Cell| self::place(cell, who, depth) == place;
                if let Some(write) = deed.writes.iter().find(|write| writes(write.cell)) {
                    // Who reads what nobody wrote chooses its value.
                    return Some(match write.is_settled {
                        true => Origin::Chosen,
                        false => Origin::Written((step, inner)),
                    });
                }
                if who == thread {
                    let at = depth + deed.level;
                    if let Where::Frame { depth: wanted, .. } = place
                        && at + 1 == wanted
                        && next_depth == wanted
                    {
                        // The call that made the frame.
                        return Some(Origin::Written((step, inner)));
                    }
                    next_depth = at;
                }
            }
            if let Where::Frame { thread, .. } = place
                && starts
                && thread.index() == threads
            {
                return Some(Origin::Written((step, deeds.len().saturating_sub(1))));
            }
            match step.checked_sub(1) {
                Some(before) => (step, most) = (before, usize::MAX),
                None => return Some(Origin::Start),
            }
        }
    }

    /// Where a value comes from that a thread reads: by the values that went into it, and if these come from no other thread, by all that was read for it.
    fn chain(&mut self, read: Read, moment: Moment, me: ThreadId) -> Chain {
        let by_values = self.chain_by(read.clone(), moment, me, true);
        if by_values.concerns_another {
            return by_values;
        }
        let by_all = self.chain_by(read, moment, me, false);
        if by_all.concerns_another { by_all } else { by_values }
    }

    fn chain_by(&mut self, read: Read, moment: Moment, me: ThreadId, only_values: bool) -> Chain {
        self.looks = 0;
        let link = |read, read_at, for_link, used_at| Link {
            read,
            read_at,
            origin: None,
            changed: None,
            ended: None,
            for_link,
            used_at,
        };
        let mut links = vec![link(read, moment, None, moment)];
        let mut seen: BTreeSet<(Where, Moment)> = BTreeSet::new();
        let mut open = VecDeque::from([0]);
        let (mut another, mut last) = (None, None);
        while let Some(at) = open.pop_front() {
            let (place, read_at) = (links[at].read.place, links[at].read_at);
            if !seen.insert((place, read_at)) {
                continue;
            }
            let Some(origin) = self.origin(place, read_at) else { continue };
            links[at].origin = Some(origin);
            links[at].changed = self.changed_since(&links[at]);
            if let Some(open) = links[at].read.open {
                links[at].ended = self.ended_before(open, read_at);
            }
            let is_from_another = |written: &Moment| self.steps[written.0].thread != me;
            let written = match origin {
                Origin::Written(written) => Some(written),
                Origin::Start | Origin::Chosen => None,
            };
            if links[at].changed.is_some() || written.as_ref().is_some_and(is_from_another) {
                let there = written.filter(is_from_another).map(|written| (written, place));
                another = Some((at, there.filter(|_| links[at].changed.is_none())));
                break;
            }
            let Some(written) = written else {
                last = last.or(Some(at));
                continue;
            };
            let reads = self.reads_for(place, written, only_values);
            if reads.is_empty() {
                last = last.or(Some(at));
            }
            let used_at = match place {
                Where::Shared(_) => written,
                _ => links[at].used_at,
            };
            for read in reads {
                links.push(link(read, written, Some(at), used_at));
                open.push_back(links.len() - 1);
            }
        }
        let (concerns_another, written_there) = match another {
            Some((_, written)) => (true, written),
            None => (false, None),
        };
        let start = links[0].origin.map(|_| 0);
        let mut end = another.map(|(at, _)| at).or(last).or(start);
        let mut way = BTreeSet::new();
        while let Some(at) = end {
            way.insert(at);
            end = links[at].for_link;
        }
        // Each link comes behind the one that it was read for.
        let links = links.into_iter().enumerate().filter(|(at, _)| way.contains(at));
        let links = links.map(|(_, link)| link).collect();
        Chain { links, concerns_another, written_there }
    }

    /// The procedure that came to its end without a `return`, where its result was taken.
    fn ended_before(&mut self, open: Where, read_at: Moment) -> Option<String> {
        let Origin::Written(taken) = self.origin(open, read_at)? else { return None };
        if !self.receives(taken) {
            return None;
        }
        let (step, inner) = self.before(taken)?;
        let texts = statements(self.system, &self.steps[step].action);
        texts.get(inner)?.text.strip_prefix(END_OF).map(str::to_owned)
    }

    /// What a statement reads that writes a place: what goes into the value first, then, unless only that is meant, what says where or whether.
    fn reads_for(&mut self, written: Where, moment: Moment, only_values: bool) -> Vec<Read> {
        let mut reads = self.reads(moment).unwrap_or_default();
        let (thread, depth) = (self.steps[moment.0].thread, self.steps[moment.0].depth);
        let deed = self.deeds(moment.0).get(moment.1);
        let mut from: Option<Vec<Where>> = None;
        for write in deed.into_iter().flat_map(|deed| &deed.writes) {
            if !write.is_settled && place(write.cell, thread, depth) == written {
                let cells = write.from.iter().map(|&cell| place(cell, thread, depth));
                from.get_or_insert_default().extend(cells);
            }
        }
        // Of arguments and results it is not known, and what is chosen comes from itself.
        let Some(from) = from else { return reads };
        let is_value =
            |read: &Read| from.contains(&read.place) || matches!(read.place, Where::Result(_));
        match only_values {
            true => reads.retain(is_value),
            false => reads.sort_by_key(|read| !is_value(read)),
        }
        reads
    }

    /// The links of a chain in words: of a long one, the first and the last ones.
    fn links(&self, chain: &Chain, me: Option<ThreadId>) -> Vec<String> {
        let mut links: Vec<&Link> = chain
            .links
            .iter()
            .filter(|link| link.read.told.is_some() && link.origin.is_some())
            .collect();
        let out = links.len().saturating_sub(MOST_LINKS);
        if out > 0 {
            links.drain(MOST_LINKS / 2..MOST_LINKS / 2 + out);
        }
        let mut told: Vec<String> =
            links.into_iter().filter_map(|link| self.link(link, me)).collect();
        if let Some(next) = told.get_mut(MOST_LINKS / 2).filter(|_| out > 0) {
            *next = format!("({} left out) {next}", count(out, "step"));
        }
        told
    }

    /// A value and where it comes from: `x = 1 since line 7 of writer (x := x + 1)`.
    fn link(&self, link: &Link, me: Option<ThreadId>) -> Option<String> {
        let told = link.read.told.as_ref()?;
        let is_held = told.strip_suffix(" = held").is_some_and(|name| self.holders.is_lock(name));
        let since = match link.origin? {
            Origin::Written(moment) if is_held => {
                let who = self.steps[moment.0].thread;
                let name = &self.steps[moment.0].name;
                format!("{told} by {name} since {}", self.moment(moment, Some(who)))
            }
            Origin::Chosen if link.ended.is_some() => {
                format!("{told}, since {} ended without `return`", link.ended.as_deref()?)
            }
            Origin::Start => format!("{told} from the start"),
            Origin::Chosen => format!("{told}, chosen freely"),
            Origin::Written(moment) => format!("{told} since {}", self.moment(moment, me)),
        };
        Some(match &link.changed {
            Some((moment, value)) => {
                format!("{since}, then {value} since {}", self.moment(*moment, me))
            }
            None => since,
        })
    }

    /// A statement of the run: its line, its thread unless that is the one of which is told, and its text.
    fn moment(&self, moment: Moment, me: Option<ThreadId>) -> String {
        let at = &self.steps[moment.0];
        self.told(moment, if Some(at.thread) == me { None } else { Some(&at.name) })
    }

    fn told(&self, (step, inner): Moment, thread: Option<&str>) -> String {
        self.named.borrow_mut().insert(step);
        let at = &self.steps[step];
        let texts = statements(self.system, &at.action);
        let Some(statement) = texts.get(inner).or(texts.last()) else { return at.name.clone() };
        let text = statement.text.split("  [").next().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match text.chars().count() > LONGEST_TEXT {
            true => text.chars().take(LONGEST_TEXT - 1).chain(['…']).collect(),
            false => text,
        };
        let whose = thread.map_or_else(String::new, |name| format!(" of {name}"));
        match statement.line {
            Some(line) => format!("line {line}{whose} ({text})"),
            None => format!("a step{whose} ({text})"),
        }
    }
}

/// Whether a statement sends to a channel or receives from it.
fn uses(text: &str, channel: &str) -> bool {
    ["send(", "receive("].iter().any(|call| {
        let mut after =
            text.match_indices(call).map(|(at, _)| text[at + call.len()..].trim_start());
        after.any(|rest| {
            rest.strip_prefix(channel).is_some_and(|rest| rest.trim_start().starts_with([',', ')']))
        })
    })
}

/// A channel and how many messages are in it: `c with 2 items`.
fn with_items(channel: &str, length: &Datum) -> String {
    match length.to_string().as_str() {
        "1" => format!("{channel} with 1 item"),
        length => format!("{channel} with {length} items"),
    }
}

/// Where a cell of a statement is, in the run.
fn place(cell: Cell, thread: ThreadId, depth: usize) -> Where {
    match cell {
        Cell::Shared(slot) => Where::Shared(slot),
        Cell::Own { frame, slot } => Where::Frame { thread, depth: depth + frame, slot },
    }
}
