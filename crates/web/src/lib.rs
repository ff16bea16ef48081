//! # The explorer's page
//!
//! A small server for one person on one machine: it listens on the loopback interface, at a port and
//! with a token that nobody can guess, and serves one page and the runs that the page asks for.
//!
//! **What it never does.** It reads and writes no files: what is explored comes as an [`Explore`], and no request
//! names a file. It answers no request without the token, none that names another host
//! (a page from elsewhere whose name was made to lead here), and nothing that is not listed in
//! `routes`.
//!
//! **Pages do not disturb each other.** Every run has its own number, budget and flag to cancel it;
//! when the page that listens to a run goes away, the run ends.
//!
//! **Silence costs nothing.** A connection that sends no request, or half of one, keeps no place from those that do (see
//! `lobby`), and does not delay the end.
//!
//! Why it is written by hand is in `docs/decisions/0025-page.md`.
//!
//! ```
//! let server = selvedge_web::Server::bind()?;
//! let url = server.url();
//! let (host, token) = url.trim_start_matches("http://").split_once('/').unwrap();
//! assert!(host.starts_with("127.0.0.1:") && token.len() > 32); // nobody can guess it
//! println!("the page will be at {url}, once somebody calls `serve`");
//! # Ok::<(), std::io::Error>(())
//! ```

mod http;
mod lobby;
mod routes;
mod runs;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use selvedge_report::page::{Ask, Document, Live, Look, Setup, Wander};

use lobby::Lobby;
use runs::Runs;

/// A callback for events of a run.
pub type Tell = Arc<dyn Fn(Live) + Send + Sync>;

/// What can be explored: one program, which may become another while the page is open.
pub trait Explore: Send + Sync {
    /// Counts how often the program has become another one.
    fn revision(&self) -> u64;

    /// The data for a page that is opened, or whose program has changed.
    fn setup(&self) -> Setup;

    /// Answers a question, or says what is wrong with it. Ends soon after the flag is set. A document that is not
    /// complete yet, but has the answer, may be shown before.
    fn answer(
        &self,
        ask: &Ask,
        cancelled: &Arc<AtomicBool>,
        tell: &Tell,
        answered: &dyn Fn(Document),
    ) -> Result<Document, String>;

    /// Goes where a page wants to go and says what is seen there, or what is wrong with the way.
    fn walk(&self, wander: &Wander) -> Result<Look, String>;

    /// How many bytes are in use.
    fn memory(&self) -> u64;
}

/// How long to wait for runs to end when the server does.
const FAREWELL: Duration = Duration::from_millis(250);

/// A server that is ready to be asked.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    patience: Duration,
    stopped: Arc<AtomicBool>,
}

/// Ends a server from elsewhere.
#[derive(Clone)]
pub struct Stopper {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Stopper {
    /// Ends it: runs are cancelled, and [`Server::serve`] returns.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // The server waits for a connection: make one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_millis(100));
    }
}

impl Server {
    /// Listens on the loopback interface, at a port that is free.
    pub fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let token = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let patience = http::PATIENCE;
        Ok(Server { listener, address, token, patience, stopped: Arc::default() })
    }

    /// Waits so long for each request to come in, and not ten seconds.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The address of the page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// A handle that ends the server.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper { address: self.address, stopped: Arc::clone(&self.stopped) }
    }

    /// Answers requests until the server is ended.
    pub fn serve(self, explore: Arc<dyn Explore>) {
        let site = Arc::new(routes::Site {
            explore,
            port: self.address.port(),
            token: self.token,
            patience: self.patience,
            runs: Runs::default(),
            lobby: Lobby::default(),
            answering: AtomicUsize::new(0),
            walking: AtomicUsize::new(0),
        });
        for stream in self.listener.incoming() {
            if self.stopped.load(Ordering::SeqCst) {
                break;
            }
            let entered = stream.and_then(|stream| Ok((site.lobby.enter(&stream)?, stream)));
            let started = entered.and_then(|(number, stream)| {
                let answering = Arc::clone(&site);
                let answer = move || {
                    routes::answer(&answering, number, stream);
                    answering.lobby.leave(number);
                };
                thread::Builder::new().spawn(answer).inspect_err(|_| site.lobby.leave(number))
            });
            if started.is_err() {
                // There are no more files or threads to be had; perhaps soon.
                thread::sleep(Duration::from_millis(50));
            }
        }
        site.lobby.close();
        site.runs.cancel_all(FAREWELL);
    }
}
