//! # Portable states
//! A whole state as bytes that follow from the program alone: the same in every run, in every process and on every
//! machine. Numbers of shared states and symbols are given out as they are met, and are no part of them.
//!
//! A piece is how many words it has, then its words, least byte first. A state is its shared state, how many threads
//! there are, and for each its template, how many symbols its stack has, and these, from the top.

use selvedge_core::machine::Shared;
use selvedge_model::{Stack, State, SymbolId, TemplateId, Thread};

use super::Lowering;
use super::intern::Symbol;

impl Lowering {
    /// Writes a state as bytes that are the same in every run.
    #[must_use]
    pub fn write_state(&self, state: &State) -> Vec<u8> {
        let mut out = Vec::new();
        let states = self.states.read();
        write_piece(states.shared(state.shared), &mut out);
        write(state.threads.len() as u64, &mut out);
        for thread in &state.threads {
            write(u64::from(thread.template.0), &mut out);
            let symbols: Vec<SymbolId> = thread.stack.iter().collect();
            write(symbols.len() as u64, &mut out);
            for symbol in symbols {
                write_piece(states.symbol(symbol), &mut out);
            }
        }
        out
    }

    /// The state of these bytes; `None` if no state of this program is written so.
    #[must_use]
    pub fn read_state(&self, bytes: &[u8]) -> Option<State> {
        let rest = &mut { bytes };
        let shared = read_piece(rest)?;
        Shared::read(&self.machine.shared, &shared)?;
        let shared = self.states.write().number_shared(&shared).ok()?;
        let templates = self.program.template_names().count() as u64;
        let threads = (0..read(rest)?).map(|_| {
            let template = read(rest).filter(|&template| template < templates)?;
            let symbols = (0..read(rest)?).map(|_| {
                let words = read_piece(rest)?;
                Symbol::read(&self.machine, &words)?;
                self.states.write().number_symbol(&words).ok()
            });
            let stack = Stack::top_first(symbols.collect::<Option<Vec<_>>>()?);
            Some(Thread { template: TemplateId(u32::try_from(template).ok()?), stack })
        });
        let threads = threads.collect::<Option<Vec<_>>>()?;
        rest.is_empty().then_some(State { shared, threads })
    }
}

fn write(word: u64, out: &mut Vec<u8>) {
    out.extend(word.to_le_bytes());
}

fn write_piece(words: &[u64], out: &mut Vec<u8>) {
    write(words.len() as u64, out);
    words.iter().for_each(|&word| write(word, out));
}

fn read(rest: &mut &[u8]) -> Option<u64> {
    let (word, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    Some(u64::from_le_bytes(*word))
}

fn read_piece(rest: &mut &[u8]) -> Option<Vec<u64>> {
    let words = read(rest)?;
    // Whatever it says, there are no more than there are.
    (0..words).map(|_| read(rest)).collect()
}
