// The program, with colours: the line that is executed is lit, every thread's place is marked and the values that its line is about
// stand beside it; the lines are marked of which a proof says something.

/** The words of a language, by the ending of a file. A test holds them against the lexers. */
const WORDS = {
  weave: "acquire and assert assume async atomic atomic_begin atomic_end barrier bool boolean break call cas chan condition const constrain continue "
    + "either else end_thread enum exists fair false fetch_and_add for forall goto havoc if int invariant join local lock mutex none not notify "
    + "notify_all or predicate proc receive ref release return schoose semaphore send shared skip start_thread struct thread tid true tryreceive trylock trysend unlock var void "
    + "wait when while any i8 i16 i32 i64 u8 u16 u32 u64",
  bp: "F T abortif assert assume atomic_begin atomic_end begin bool call choose check constrain dead decl dfs do else elsif end end_thread "
    + "enforce false fi goto if od return schoose skip start_thread sync_begin sync_end then thread_create true void while",
  c: "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short "
    + "signed sizeof static struct switch typedef union unsigned void volatile while _Atomic _Bool _Noreturn _Static_assert _Thread_local assert",
};

/** How far behind a word is looked at. */
const FAR = 40;

/** Words of `.weave` that are names elsewhere, with what follows them where they are words. */
const BEFORE = {
  weave: [
    [new Set(["shared", "local", "var", "proc", "mutex", "call"]), /^\s+(?!(?:and|or|constrain)\b)[A-Za-z_$]/],
    [new Set(["fair"]), /^\s*\*(?!\s*(?!(?:and|or|constrain)\b)[\w$(!~#'*-])/],
  ],
};

/** The text as lines of pieces, each with a class or none. Comments may go on over lines. */
function coloured(text, file) {
  const ending = file.slice(file.lastIndexOf(".") + 1);
  const language = ending === "i" ? "c" : ending;
  const words = new Set((WORDS[language] || "").split(" "));
  const comment = WORDS[language] ? /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/ : /#[^\n]*/;
  const token = new RegExp(`(${comment.source})|("(?:[^"\\\\\\n]|\\\\.)*")|([A-Za-z_$][\\w$]*)|(\\d[\\w.]*)`, "g");
  const isWord = (word, end) => words.has(word)
    && (BEFORE[language] || []).every(([those, follows]) => !those.has(word) || follows.test(text.slice(end, end + FAR))
      || word === "mutex" && /[\w\]]\s*:\s*$/.test(text.slice(Math.max(0, end - FAR), end - word.length)));
  const lines = [[]];
  const add = (piece, name) => piece.split("\n").forEach((part, index) => {
    if (index > 0) lines.push([]);
    if (part) lines[lines.length - 1].push([part, name]);
  });
  let at = 0;
  for (const found of text.matchAll(token)) {
    const [all, isComment, isText, isName] = found;
    const end = found.index + all.length;
    add(text.slice(at, found.index), null);
    add(all, isComment ? "tok-comment" : isText ? "tok-text" : isName ? (isWord(all, end) ? "tok-word" : null) : "tok-number");
    at = end;
  }
  add(text.slice(at), null);
  return lines;
}

/** The pieces of a line before the comment at its end, and that comment with the space before it. */
function withTail(pieces) {
  const last = pieces[pieces.length - 1];
  if (pieces.length < 2 || last[1] !== "tok-comment") return [pieces, []];
  const code = pieces.slice(0, -1);
  const [text, name] = code[code.length - 1];
  const space = name ? "" : text.match(/\s*$/)[0];
  if (!space) return [code, [last]];
  const rest = text.slice(0, text.length - space.length);
  return [[...code.slice(0, -1), ...(rest ? [[rest, name]] : [])], [[space, null], last]];
}

class SourceView {
  constructor(holder, text, file, chosen) {
    this.texts = text.replace(/\n$/, "").split("\n");
    const pieces = coloured(text.replace(/\n$/, ""), file);
    this.beside = this.texts.map(() => null);
    const shown = ([part, name]) => (name ? make("span", { class: name }, part) : part);
    this.lines = this.texts.map((_, index) => {
      const [code, tail] = withTail(pieces[index]);
      return make("div", {},
        make("span", { class: "n", "aria-hidden": "true" }, String(index + 1)),
        make("span", { class: "t" }, ...(code.length ? code.map(shown) : [" "])),
        tail.length ? make("span", { class: "tail" }, ...tail.map(shown)) : null);
    });
    this.lit = null;
    this.chosen = null;
    this.places = [];
    this.height = 0;
    this.code = make("div", { class: "code", tabindex: "0", role: "region", "aria-label": "Text of the program" }, ...this.lines);
    this.code.addEventListener("click", (event) => {
      const index = this.lines.findIndex((line) => line.contains(event.target));
      if (index >= 0) chosen(index + 1);
    });
    this.code.addEventListener("scroll", beforeFrame(() => { this.top = this.code.scrollTop; }));
    this.code.addEventListener("dblclick", (event) => {
      const index = this.lines.findIndex((line) => line.contains(event.target));
      if (index >= 0 && page.walker) page.walker.wander({ kind: "line", line: index + 1 });
    });
    const wrap = make("button", { type: "button", id: "wrap", class: "small", "aria-pressed": "false", title: "Wrap long lines, or scroll them" }, "wrap");
    wrap.addEventListener("click", () => {
      const on = this.code.classList.toggle("wrapped");
      wrap.setAttribute("aria-pressed", String(on));
    });
    put(holder, make("div", { class: "head" }, make("h2", {}, "Program"), wrap), this.code);
  }

  node(line) {
    return line ? this.lines[line - 1] || null : null;
  }

  light(line) {
    const node = this.node(line);
    if (node === this.lit) return;
    if (this.lit) this.lit.classList.remove("lit");
    this.lit = node;
    if (!node) return;
    node.classList.add("lit");
    this.reveal(node);
  }

  /** Marks where threads stand: a list of names, lines and values, by thread. */
  stand(places) {
    const key = (place) => (place ? `${place.line} ${place.values}` : "");
    const stale = new Set();
    for (let thread = 0; thread < Math.max(places.length, this.places.length); thread++) {
      const [was, is] = [this.places[thread], places[thread]];
      if (key(was) === key(is)) continue;
      for (const place of [was, is]) if (place && place.line) stale.add(place.line);
    }
    this.places = places;
    for (const line of stale) this.label(line, places.flatMap((place, thread) => (place && place.line === line ? [[thread, place]] : [])));
  }

  /** Puts the threads that stand at a line beside it, with the values that it is about. */
  label(line, here) {
    const node = this.node(line);
    if (!node) return;
    if (this.beside[line - 1]) this.beside[line - 1].remove();
    this.beside[line - 1] = null;
    node.classList.toggle("standing", here.length > 0);
    if (!here.length) return;
    const chip = ([thread, { name }]) => make("span", { class: `at ${threadClass(thread)}`, title: `${name} stands here` }, name);
    // Threads that see the same values say them once.
    const groups = new Map();
    for (const [thread, place] of here.slice(0, 4)) groups.set(place.values, [...(groups.get(place.values) || []), [thread, place]]);
    const told = [...groups].flatMap(([values, threads]) => [make("span", { class: "marks" }, ...threads.map(chip)), values ? make("span", { class: "vals" }, values) : null]);
    const beside = make("span", { class: "beside" }, ...told, here.length > 4 ? `+${here.length - 4}` : null);
    this.beside[line - 1] = beside;
    // Before a comment at the end of the line: what is executed is never far from its values.
    node.querySelector(".t").after(beside);
  }

  choose(line) {
    if (this.chosen) this.chosen.classList.remove("chosen");
    this.chosen = this.node(line);
    if (this.chosen) this.chosen.classList.add("chosen");
  }

  mark(lines) {
    for (const line of lines) {
      const node = this.node(line);
      if (node) node.classList.add("known");
    }
  }

  /** Fades the lines that no schedule executes. */
  fade(lines) {
    for (const line of lines) {
      const node = this.node(line);
      if (!node) continue;
      node.classList.add("never");
      node.title = "No schedule executes this line";
    }
  }

  measure() {
    this.height = 0;
  }

  /** Scrolls the text, never the page. Unless they are wrapped, all lines have one height: to ask for each would cost a layout. */
  reveal(node) {
    const { code } = this;
    const isWrapped = code.classList.contains("wrapped");
    if (!this.height || isWrapped) {
      this.height = this.lines[0].offsetHeight;
      this.room = code.clientHeight;
      this.top = code.scrollTop;
    }
    const at = isWrapped ? node.offsetTop : this.lines.indexOf(node) * this.height;
    // Lines where threads stand may take two lines each.
    const most = at + (isWrapped ? 0 : new Set(this.places.flatMap((place) => (place && place.line ? [place.line] : []))).size * this.height);
    if (at < this.top || most > this.top + this.room - 2 * this.height) {
      this.top = Math.max(0, Math.round(at - this.room / 2));
      code.scrollTop = this.top;
    }
  }
}
