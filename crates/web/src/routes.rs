//! # What is served
//! Behind the token: the page, whether the program has changed and what a page needs to know of it then, a list of runs
//! to add to, the events and the document of a run, a way to cancel it, and
//! walks by hand. Nothing else.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use selvedge_report::page::{self, Ask, Wander};

use crate::Explore;
use crate::http::{Refusal, Request, begin_events, refuse, send};
use crate::lobby::Lobby;
use crate::runs::{Run, Runs};

/// How long a reader may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// No more requests than this are answered at a time.
const MOST_ANSWERING: usize = 64;

/// No more walks than this go on at a time: each may look at many states.
const MOST_WALKING: usize = 4;

/// What the server answers requests from.
pub struct Site {
    pub explore: Arc<dyn Explore>,
    pub port: u16,
    pub token: String,
    /// How long a request may take to come in.
    pub patience: Duration,
    pub runs: Runs,
    /// Connections that have not sent a request yet.
    pub lobby: Lobby,
    /// The number of requests that are being answered.
    pub answering: AtomicUsize,
    /// The number of them that walk.
    pub walking: AtomicUsize,
}

/// Answers a request, if it is one, of a connection with this number in the lobby.
pub fn answer(site: &Site, number: u64, mut stream: TcpStream) {
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let answered = Request::read(&mut stream, site.patience).and_then(|request| {
        let route = site.route(&request)?;
        let _place = Place::take(&site.answering, MOST_ANSWERING)?;
        site.lobby.leave(number);
        Ok(site.follow(route, &request, &mut stream))
    });
    // A reader that has gone away wants no answer.
    match answered {
        Ok(Ok(())) | Ok(Err(_)) => {}
        Err((status, words)) => {
            let _ = refuse(&mut stream, status, words);
            hear_out(&mut stream);
        }
    }
}

/// A place among those that are answered, until it is dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(taken: &'a AtomicUsize, most: usize) -> Result<Self, Refusal> {
        let place = Place(taken);
        match taken.fetch_add(1, Ordering::SeqCst) >= most {
            true => Err((503, "too many connections")),
            false => Ok(place),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Reads a little of what is still to come: who closes at once may take back the answer.
fn hear_out(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let mut buffer = [0; 4096];
    for _ in 0..32 {
        if !matches!(stream.read(&mut buffer), Ok(1..)) {
            break;
        }
    }
}

/// A resource that a request asks for.
enum Route {
    Page,
    Revision,
    Setup,
    Start(Ask),
    Walk(Wander),
    Events(Arc<Run>),
    Document(Arc<Run>),
    Cancel(Arc<Run>),
}

impl Site {
    fn route(&self, request: &Request) -> Result<Route, Refusal> {
        self.admit(request)?;
        let path = request.path.strip_prefix('/').unwrap_or_default();
        let (token, path) = path.split_once('/').unwrap_or((path, ""));
        if !same(token, &self.token) {
            return Err((403, "this address has no token, or not the right one"));
        }
        let parts: Vec<&str> = path.split('/').collect();
        let run = |number: &str| {
            let number = number.parse().ok();
            number.and_then(|n| self.runs.get(n)).ok_or((404, "there is no such run"))
        };
        let (method, route) = match parts[..] {
            [""] if request.path.ends_with('/') => ("GET", Ok(Route::Page)),
            ["revision"] => ("GET", Ok(Route::Revision)),
            ["setup"] => ("GET", Ok(Route::Setup)),
            ["runs"] => ("POST", Err(BodyKind::Run)),
            ["walk"] => ("POST", Err(BodyKind::Walk)),
            ["runs", number, "events"] => ("GET", Ok(Route::Events(run(number)?))),
            ["runs", number, "document"] => ("GET", Ok(Route::Document(run(number)?))),
            ["runs", number, "cancel"] => ("POST", Ok(Route::Cancel(run(number)?))),
            _ => return Err((404, "there is nothing at this address")),
        };
        if request.method != method {
            return Err((405, "this is asked in another way"));
        }
        if method == "POST" {
            match request.only("content-type")? {
                Some("application/json") => {}
                _ => return Err((415, "the body has to be JSON")),
            }
        }
        route.or_else(|asked| asked.read(&request.body))
    }

    /// Only who came here by the name of this machine is let in.
    fn admit(&self, request: &Request) -> Result<(), Refusal> {
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = request.only("host")?.unwrap_or_default();
        if !names.iter().any(|name| name == host) {
            return Err((403, "this is not the host that was asked for"));
        }
        match request.only("origin")? {
            Some(origin) if origin != format!("http://{host}") => {
                Err((403, "another page asked for this"))
            }
            _ => Ok(()),
        }
    }

    fn follow(&self, route: Route, request: &Request, stream: &mut TcpStream) -> io::Result<()> {
        const JSON: &str = "application/json";
        match route {
            Route::Page => {
                let page = page::live(&self.explore.setup());
                send(stream, 200, "text/html; charset=utf-8", page.as_bytes())
            }
            Route::Revision => {
                let revision = format!("{{\"revision\":{}}}", self.explore.revision());
                send(stream, 200, JSON, revision.as_bytes())
            }
            Route::Setup => send(stream, 200, JSON, self.explore.setup().to_json().as_bytes()),
            Route::Start(ask) => match self.runs.start(&self.explore, ask) {
                Some(number) => send(stream, 200, JSON, format!("{{\"run\":{number}}}").as_bytes()),
                None => refuse(stream, 503, "too many runs at a time: cancel one"),
            },
            Route::Walk(wander) => {
                let Ok(_place) = Place::take(&self.walking, MOST_WALKING) else {
                    return refuse(stream, 503, "too many walks at a time");
                };
                match self.explore.walk(&wander) {
                    Ok(look) => send(stream, 200, JSON, look.to_json().as_bytes()),
                    Err(why) => refuse(stream, 400, &why),
                }
            }
            Route::Events(run) => {
                let last = request.only("last-event-id").ok().flatten();
                let next = last
                    .and_then(|id| id.parse::<usize>().ok())
                    .map_or(0, |id| id.saturating_add(1));
                run.listen();
                let told = self.tell(&run, next, stream);
                run.leave();
                told
            }
            Route::Document(run) => match run.document() {
                Some(document) => send(stream, 200, JSON, document.as_bytes()),
                None => refuse(stream, 404, "there is no document yet"),
            },
            Route::Cancel(run) => {
                run.cancel();
                send(stream, 200, JSON, b"{}")
            }
        }
    }

    fn tell(&self, run: &Run, mut next: usize, stream: &mut TcpStream) -> io::Result<()> {
        begin_events(stream)?;
        loop {
            let (events, is_done) = run.events_from(next);
            if events.is_empty() && is_done {
                return Ok(());
            }
            let mut text = String::new();
            for event in &events {
                text += &format!("id: {next}\ndata: {event}\n\n");
                next += 1;
            }
            if events.is_empty() {
                text = format!("data: {}\n\n", run.tick(self.explore.memory()).to_json());
            }
            stream.write_all(text.as_bytes())?;
            stream.flush()?;
        }
    }
}

/// What the body of a request says.
enum BodyKind {
    Run,
    Walk,
}

impl BodyKind {
    fn read(self, body: &[u8]) -> Result<Route, Refusal> {
        let text = std::str::from_utf8(body).unwrap_or_default();
        match self {
            BodyKind::Run => {
                Ask::from_json(text).map(Route::Start).ok_or((400, "the body is no question"))
            }
            BodyKind::Walk => {
                Wander::from_json(text).map(Route::Walk).ok_or((400, "the body is no way to go"))
            }
        }
    }
}

/// Whether two texts are equal; how long that takes does not depend on where they differ.
fn same(a: &str, b: &str) -> bool {
    let differ = |(x, y): (u8, u8)| x ^ y;
    a.len() == b.len() && a.bytes().zip(b.bytes()).map(differ).fold(0, |all, one| all | one) == 0
}
