//! # Commands and answers
//! The first worker hears what is asked and tells all others; what they answer comes back to it. Both ways are streams of a small dataflow of their own, so that
//! a worker hears of the end of a run while it explores.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender};

use timely::dataflow::InputHandleVec;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Exchange, Input, Inspect};
use timely::worker::Worker;

use crate::mail::{Command, Reply, Said};

/// The two ends of what is asked and answered, at the first worker.
pub(crate) struct Desk {
    pub commands: Receiver<Command>,
    pub replies: Sender<Reply>,
}

/// Hears commands and answers them.
pub(crate) struct Control {
    commands: InputHandleVec<u64, Command>,
    replies: InputHandleVec<u64, Reply>,
    heard: Rc<RefCell<VecDeque<Command>>>,
    /// Commands from the caller; only the first worker has it.
    asked: Option<Receiver<Command>>,
    worker: u64,
}

impl Control {
    /// Builds the dataflow. The first worker has the desk.
    pub fn new(worker: &mut Worker, desk: Option<Desk>) -> Self {
        let heard: Rc<RefCell<VecDeque<Command>>> = Rc::default();
        let (asked, told) = match desk {
            Some(Desk { commands, replies }) => (Some(commands), Some(replies)),
            None => (None, None),
        };
        let index = worker.index() as u64;
        let (commands, replies) = worker.dataflow::<u64, _, _>(|scope| {
            let (commands, stream) = scope.new_input::<Vec<Command>>();
            let to = Rc::clone(&heard);
            stream.broadcast().inspect(move |command| to.borrow_mut().push_back(command.clone()));
            let (replies, stream) = scope.new_input::<Vec<Reply>>();
            stream.exchange(|_| 0).inspect(move |reply: &Reply| {
                if let Some(told) = &told {
                    // An error means that the caller does not wait any more.
                    let _ = told.send(reply.clone());
                }
            });
            (commands, replies)
        });
        Control { commands, replies, heard, asked, worker: index }
    }

    /// Passes on what was asked.
    pub fn pass_on(&mut self) {
        if let Some(asked) = &self.asked {
            let mut is_any = false;
            while let Ok(command) = asked.try_recv() {
                self.commands.send(command);
                is_any = true;
            }
            if is_any {
                let later = self.commands.time() + 1;
                self.commands.advance_to(later);
            }
        }
    }

    /// The next command, if one has come.
    pub fn next(&self) -> Option<Command> {
        self.heard.borrow_mut().pop_front()
    }

    /// Whether what is being done is to end at once. If so, that was heard.
    pub fn is_aborted(&self) -> bool {
        let mut heard = self.heard.borrow_mut();
        let is_abort = matches!(heard.front(), Some(Command::Abort));
        if is_abort {
            heard.pop_front();
        }
        is_abort
    }

    /// Sends a reply to the caller.
    pub fn say(&mut self, said: Said) {
        self.replies.send(Reply { worker: self.worker, said });
        // A channel to other workers passes on what it has when time goes on.
        let later = self.replies.time() + 1;
        self.replies.advance_to(later);
    }
}
