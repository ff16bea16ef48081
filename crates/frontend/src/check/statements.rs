//! # Statements
//! Structure is kept, but scopes are dissolved: blocks become part of the sequence round them,
//! declarations become assignments, and `;` leaves nothing behind but its labels.

use selvedge_program::{Block, Expr, LabelId, Place, ProcId, Span, Stmt, StmtKind, Type, VarRef};

use super::counted;
use super::expressions::Typer;
use super::items::Item;
use super::procedures::Sites;
use super::scope::Mode;
use crate::Diagnostic;
use crate::syntax::{self, EffectKind, ExprKind as Written, PlaceExpr, StmtKind as Syntax};

/// Checks the body of a procedure.
pub(super) struct Body<'c, 'a> {
    /// Checks the expressions.
    pub typer: Typer<'c, 'a>,
    /// The procedure.
    pub proc: ProcId,
    /// Calls and ends, for later.
    pub sites: &'c mut Sites,
    /// The number of loops around the current statement.
    pub loops: usize,
    /// The atomic blocks round the current statement.
    pub atomics: Vec<Span>,
    /// Whether there was a label so far: what follows may be reached by jumping back.
    pub after_label: bool,
}

/// The length of the word `while`.
const LOOP_WORD: u32 = 5;

/// Statements in order, with labels that wait for the next one.
#[derive(Default)]
pub(super) struct Sequence {
    done: Block,
    waiting: Vec<(LabelId, Span)>,
}

impl Sequence {
    /// Adds a statement; it gets the labels that wait.
    pub fn push(&mut self, kind: StmtKind, span: Span) {
        let labels = self.waiting.drain(..).map(|(id, _)| id).collect();
        self.done.push(Stmt { labels, kind, span });
    }

    /// The sequence as a block. Labels at its end stand before a `skip`.
    pub fn finish(mut self) -> Block {
        if let Some((_, span)) = self.waiting.last() {
            self.push(StmtKind::Skip, *span);
        }
        self.done
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// A checker that has seen nothing yet.
    pub fn new(typer: Typer<'c, 'a>, proc: ProcId, sites: &'c mut Sites) -> Self {
        Body { typer, proc, sites, loops: 0, atomics: Vec::new(), after_label: false }
    }

    /// Checks the body.
    pub fn check(mut self, body: &'a [syntax::Stmt]) -> Block {
        self.block(body)
    }

    /// A block with a scope of its own.
    fn block(&mut self, stmts: &'a [syntax::Stmt]) -> Block {
        let mut sequence = Sequence::default();
        self.inside(stmts, &mut sequence);
        sequence.finish()
    }

    /// The statements of a block, as part of the sequence round it.
    pub fn inside(&mut self, stmts: &'a [syntax::Stmt], sequence: &mut Sequence) {
        let mark = self.typer.scope.mark();
        for stmt in stmts {
            if !self.typer.items.lasts() {
                break;
            }
            self.statement(stmt, sequence);
        }
        self.typer.scope.leave(mark);
    }

    fn statement(&mut self, stmt: &'a syntax::Stmt, sequence: &mut Sequence) {
        let survey = &self.typer.items.proc(self.proc).survey;
        for name in &stmt.labels {
            self.after_label = true;
            sequence.waiting.extend(survey.find(&name.text).map(|id| (id, name.span)));
        }
        self.make_calls(stmt, sequence);
        match &stmt.kind {
            Syntax::Empty => {}
            Syntax::Block(stmts) => {
                self.inside(stmts, sequence);
                self.declare_counter(stmt.span, stmts);
            }
            Syntax::Local(decl) => self.declaration(decl, stmt.span, sequence),
            Syntax::Together { variables, effect, is_set } => {
                self.together(variables, effect.as_ref(), *is_set, stmt.span, sequence);
            }
            Syntax::Wait(what, lock) => self.wait(what, lock.as_ref(), stmt.span, sequence),
            _ => {
                if let Some(kind) = self.loop_with_calls(stmt) {
                    // Its condition is a statement inside of it; this one is the word alone.
                    let word = Span { end: stmt.span.start + LOOP_WORD, ..stmt.span };
                    sequence.push(kind, word);
                } else if let Some(kind) = self.kind(stmt) {
                    sequence.push(kind, stmt.span);
                }
            }
        }
    }

    /// A statement that stays one.
    fn kind(&mut self, stmt: &'a syntax::Stmt) -> Option<StmtKind> {
        Some(match &stmt.kind {
            Syntax::Empty
            | Syntax::Block(_)
            | Syntax::Local(_)
            | Syntax::Together { .. }
            | Syntax::Wait(..) => return None,
            Syntax::Skip => StmtKind::Skip,
            Syntax::Assign { targets, values, constrain } => {
                return self.assignment(targets, values, constrain.as_ref(), stmt.span);
            }
            Syntax::Effect { targets, effect } => {
                let places = self.targets(targets);
                if let ([target], EffectKind::Async(..)) = (&targets[..], &effect.kind) {
                    self.typer.declare_instead(&target.name, "tid");
                }
                return self.effect(places, effect);
            }
            Syntax::Havoc(places) => {
                let places: Vec<_> = places.iter().map(|p| self.typer.whole(p)).collect();
                let places: Vec<Vec<Place>> = places.into_iter().collect::<Option<_>>()?;
                let places = places.concat();
                self.has_any_value(&places)?;
                StmtKind::Havoc(places)
            }
            Syntax::Assume(expr) => StmtKind::Assume(self.typer.required(expr, "assume")?),
            Syntax::Assert(expr, text) => {
                if let Some(text) = text {
                    self.sites.texts.insert(stmt.span, text.clone());
                }
                StmtKind::Assert(self.typer.required(expr, "assert")?)
            }
            Syntax::If { cond, then, otherwise } => {
                let cond = self.cond(cond);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                StmtKind::If { cond: cond?, then, otherwise }
            }
            Syntax::While { cond, body } => {
                let cond = self.cond(cond);
                self.loops += 1;
                let body = self.block(body);
                self.loops -= 1;
                StmtKind::While { cond: cond?, body }
            }
            Syntax::Choose(branches) => {
                let blocks: Vec<Block> = branches.iter().map(|branch| self.block(branch)).collect();
                if self.atomics.is_empty() {
                    self.commits_early(&blocks);
                }
                self.one_branch(branches, stmt.span);
                StmtKind::Choose(blocks)
            }
            Syntax::Goto(names) => return self.goto(names),
            Syntax::Break => self.in_loop("break", StmtKind::Break, stmt.span)?,
            Syntax::Continue => self.in_loop("continue", StmtKind::Continue, stmt.span)?,
            Syntax::Return(values) => return self.returned(values, stmt.span),
            Syntax::Atomic(body) => {
                self.atomics.push(stmt.span);
                let body = self.block(body);
                self.atomics.pop();
                StmtKind::Atomic(body)
            }
            Syntax::AtomicBegin => StmtKind::AtomicBegin,
            Syntax::AtomicEnd => StmtKind::AtomicEnd,
            Syntax::Acquire(place) => self.acquire(place, stmt.span)?,
            Syntax::Release(place) => self.release(place, stmt.span)?,
            Syntax::Notify(place) => self.notify(place, false, stmt.span)?,
            Syntax::NotifyAll(place) => self.notify(place, true, stmt.span)?,
            Syntax::StartThread(label) => StmtKind::StartThread(self.start(label)?),
            Syntax::EndThread => {
                self.sites.ends.push((self.proc, stmt.span));
                StmtKind::EndThread
            }
            Syntax::Join(thread) => {
                let before = self.typer.problems.len();
                let joined = self.typer.expect(thread, &Type::ThreadId);
                if joined.is_none() {
                    self.explain_joined(thread, before);
                }
                StmtKind::Join(joined?)
            }
        })
    }

    /// Says how a thread is waited for, where a procedure or a `thread` is joined by its name.
    fn explain_joined(&mut self, thread: &syntax::Expr, before: usize) {
        let Written::Place(place) = &thread.kind else { return };
        let (items, name) = (self.typer.items, &place.name.text);
        let Some(problem) = self.typer.problems.get_mut(before) else { return };
        if problem.label.span != place.name.span || !place.indices.is_empty() {
            return;
        }
        let hint = match items.find(name) {
            Some(Item::Proc(id)) => {
                let args = if items.proc(id).params.is_empty() { "" } else { "…" };
                format!("write `tid t := async {name}({args});` to start it, and `join t;` to wait for its end")
            }
            None if items.threads.iter().any(|thread| thread.name.text == *name) => {
                "only a thread that a statement started is waited for: `tid t := async f();`, then `join t;`"
                    .to_owned()
            }
            _ => return,
        };
        problem.hint = Some(hint);
    }

    /// Where the variable that a `for` counts with is unknown: says how it is declared there.
    fn declare_counter(&mut self, span: Span, stmts: &[syntax::Stmt]) {
        let [first, syntax::Stmt { kind: Syntax::While { cond, .. }, span: inner, .. }] = stmts
        else {
            return;
        };
        let Syntax::Assign { targets, .. } = &first.kind else { return };
        let (true, [target]) = (*inner == span, targets.as_slice()) else { return };
        let last = match cond {
            syntax::Cond::Expr(syntax::Expr { kind: Written::Binary(_, _, right), .. }) => {
                match &right.kind {
                    Written::Int(n) => n.to_string(),
                    Written::Place(place) if place.indices.is_empty() => place.name.text.clone(),
                    _ => "9".to_owned(),
                }
            }
            _ => "9".to_owned(),
        };
        self.typer.declare_counter(&target.name, &last);
    }

    /// Warns of a choice that is none.
    fn one_branch(&mut self, branches: &[Vec<syntax::Stmt>], span: Span) {
        let [branch] = branches else { return };
        // A branch with a guard is made by the parser, and ends with a jump to a label that is written nowhere.
        let is_guarded = branch.last().is_some_and(|last| match &last.kind {
            Syntax::Goto(labels) => labels.iter().any(|label| label.span.start == label.span.end),
            _ => false,
        });
        if !is_guarded {
            self.typer.problems.push(
                Diagnostic::warning(span, "a choice with one branch is no choice")
                    .hint("write `or` before the next branch: `either { … } or { … }`"),
            );
        }
    }

    /// Warns of branches that begin with waiting for what other threads do: they are chosen before.
    fn commits_early(&mut self, blocks: &[Block]) {
        let waits = |block: &Block| match block.first().map(|first| (&first.kind, first.span)) {
            Some((StmtKind::Assume(e), span)) if e.reads_shared() => Some(span),
            _ => None,
        };
        if let Some(span) = blocks.iter().find_map(waits)
            && blocks.len() > 1
        {
            self.typer.problems.push(
                Diagnostic::warning(span, "this branch is chosen before its condition is looked at")
                    .hint("a thread that chose it waits here, whatever the other branches could do; `either when e { … } \
                           or when f { … }` chooses among the branches whose conditions hold"),
            );
        }
    }

    fn assignment(
        &mut self,
        targets: &'a [PlaceExpr],
        values: &'a [syntax::Expr],
        constrain: Option<&'a syntax::Expr>,
        span: Span,
    ) -> Option<StmtKind> {
        if targets.len() == values.len()
            && targets.iter().any(|target| self.typer.rest_of(target).is_some())
        {
            return self.arrays(targets, values, constrain);
        }
        let places = self.targets(targets);
        let values = self.values(&places, values, span);
        if let ([target], Some([value])) = (targets, values.as_deref())
            && matches!(value.ty, Type::Int | Type::Range { .. })
        {
            self.typer.declare_instead(&target.name, "int[0..9]");
        }
        let constrain = self.constrained(constrain);
        let targets = places.into_iter().collect::<Option<_>>()?;
        Some(StmtKind::Assign { targets, values: values?, constrain: constrain? })
    }

    /// Checks the condition after an assignment.
    fn constrained(&mut self, constrain: Option<&'a syntax::Expr>) -> Option<Option<Expr>> {
        let Some(expr) = constrain else { return Some(None) };
        self.typer.scope.mode = Mode::Constrain;
        let expr = self.typer.condition(expr);
        self.typer.scope.mode = Mode::Body;
        expr.map(Some)
    }

    /// An assignment of whole arrays, or of rows of them, element by element.
    fn arrays(
        &mut self,
        targets: &'a [PlaceExpr],
        values: &'a [syntax::Expr],
        constrain: Option<&'a syntax::Expr>,
    ) -> Option<StmtKind> {
        let (mut places, mut written) = (Some(Vec::new()), Some(Vec::new()));
        for (target, value) in targets.iter().zip(values) {
            let (place, value) = match self.typer.rest_of(target) {
                Some(ty) => {
                    let place = self.typer.slice(target);
                    (place, self.typer.elements_of(value, &ty, &target.name))
                }
                None => {
                    let place = self.typer.scalar(target);
                    let value = match &place {
                        Some(place) => {
                            let declared = self.typer.declared(place.var);
                            self.typer.stored(value, &place.ty, declared)
                        }
                        None => self.typer.infer(value),
                    };
                    (place.map(|place| vec![place]), value.map(|value| vec![value]))
                }
            };
            places = places.zip(place).map(|(all, more)| [all, more].concat());
            written = written.zip(value).map(|(all, more)| [all, more].concat());
        }
        let constrain = self.constrained(constrain);
        Some(StmtKind::Assign { targets: places?, values: written?, constrain: constrain? })
    }

    /// One value for each place.
    fn values(
        &mut self,
        places: &[Option<Place>],
        values: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Vec<Expr>> {
        if places.len() != values.len() {
            values.iter().for_each(|value| drop(self.typer.infer(value)));
            let given = counted(values.len(), "value", "values");
            let wanted = counted(places.len(), "variable", "variables");
            self.typer.problems.push(
                Diagnostic::error(span, format!("{given} for {wanted}"))
                    .hint("an assignment has one value for each variable: `x, y := 1, 2;`"),
            );
            return None;
        }
        let stored = |(place, value): (&Option<Place>, &'a syntax::Expr)| match place {
            Some(place) => {
                let declared = self.typer.declared(place.var);
                self.typer.stored(value, &place.ty, declared)
            }
            None => self.typer.infer(value),
        };
        let values: Vec<Option<Expr>> = places.iter().zip(values).map(stored).collect();
        values.into_iter().collect()
    }

    /// Checks the left side of `:=`: variables that hold values, none of them twice.
    fn targets(&mut self, targets: &'a [PlaceExpr]) -> Vec<Option<Place>> {
        let places: Vec<Option<Place>> =
            targets.iter().map(|target| self.typer.scalar(target)).collect();
        let mut seen: Vec<(VarRef, Span)> = Vec::new();
        for place in places.iter().flatten().filter(|p| p.indices.is_empty()) {
            match seen.iter().find(|(var, _)| *var == place.var) {
                None => seen.push((place.var, place.span)),
                Some((_, first)) => {
                    let name = self.typer.name_of(place.var);
                    self.typer.problems.push(
                        Diagnostic::error(
                            place.span,
                            format!("`{name}` is assigned twice at once"),
                        )
                        .related(*first, "assigned here")
                        .hint("it can have only one of the values"),
                    );
                }
            }
        }
        places
    }

    /// Whether this is the body of a thread, and no procedure.
    fn is_thread(&self) -> bool {
        let items = self.typer.items;
        items.threads.iter().any(|t| items.find_body(&t.name.text) == Some(self.proc))
    }

    fn returned(&mut self, values: &'a [syntax::Expr], span: Span) -> Option<StmtKind> {
        let proc = self.typer.items.proc(self.proc);
        let (types, name) = (&proc.result_types, &proc.name.text);
        if types.len() != values.len() {
            values.iter().for_each(|value| drop(self.typer.infer(value)));
            let has = counted(types.len(), "result", "results");
            let given = counted(values.len(), "value is", "values are");
            let mut problem =
                Diagnostic::error(span, format!("`{name}` has {has}, but {given} returned"))
                    .related(proc.name.span, "declared here");
            if values.is_empty() {
                problem =
                    problem.hint(format!("write `return {};`", vec!["…"; types.len()].join(", ")));
            } else if types.is_empty() && self.is_thread() {
                problem = problem.hint(
                    "a thread returns nothing: `return;` ends it, and what it found is written to a shared variable",
                );
            } else if types.is_empty() {
                problem = problem
                    .hint("the type of the result stands before the name, in the place of `void`");
            } else {
                let known = types.iter().flatten().map(|ty| self.typer.items.type_name(ty));
                let more = std::iter::repeat("int".to_owned());
                let types: Vec<String> = known.chain(more).take(values.len()).collect();
                problem = problem.hint(match types.as_slice() {
                    [one] => format!("return one value, or declare it as `{one} {name}(…)`"),
                    several => {
                        let several = several.join(", ");
                        format!(
                            "leave out what is too many, or declare it as `({several}) {name}(…)`"
                        )
                    }
                });
            }
            self.typer.problems.push(problem);
            return None;
        }
        let typed: Vec<Option<Expr>> = values
            .iter()
            .zip(types)
            .zip(proc.results)
            .map(|((value, ty), declared)| match ty {
                Some(ty) => self.typer.stored(value, ty, declared.span),
                None => self.typer.infer(value),
            })
            .collect();
        Some(StmtKind::Return(typed.into_iter().collect::<Option<_>>()?))
    }

    /// Whether "any value" makes sense for all places: a thread id is never made up.
    fn has_any_value(&mut self, places: &[Place]) -> Option<()> {
        let thread = places.iter().find(|place| place.ty == Type::ThreadId);
        let Some(place) = thread else { return Some(()) };
        let name = self.typer.name_of(place.var);
        self.typer.problems.push(
            Diagnostic::error(place.span, format!("`{name}` cannot be any thread"))
                .hint("thread ids come from `async`; `none` is no thread"),
        );
        None
    }
}
