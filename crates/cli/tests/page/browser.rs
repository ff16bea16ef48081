//! A headless Chromium, driven over WebDriver: HTTP and JSON, by hand. Without one, tests say that they
//! are skipped.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything on a page may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window. It ends with the value.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
    /// One at a time: what is measured is one page.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

impl Browser {
    /// A browser, or nothing where there is none.
    pub fn start() -> Option<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let is_there = |name: &str| Command::new(name).arg("--version").output().is_ok();
        if !is_there("chromedriver") || !is_there("chromium") {
            eprintln!("skipped: there is no chromium with chromium-driver to test the page in");
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("selvedge-page-{}-{number}", std::process::id());
        let profile = std::env::temp_dir().join(name);
        fs::create_dir_all(&profile).unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            let (_, port) = line.rsplit_once("successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        thread::spawn(move || lines.for_each(drop));
        let mut browser = Browser {
            driver,
            port: port.unwrap(),
            session: String::new(),
            profile: profile.clone(),
            _alone: alone,
        };
        let data = format!("--user-data-dir={}", profile.display());
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            &data,
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "goog:chromeOptions": { "args": arguments },
        } } });
        let answer = browser.call("POST", "/session", &wanted);
        browser.session =
            answer["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        Some(browser)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert_ne!(reader.read_line(&mut line).unwrap(), 0, "{method} {path}: no answer");
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer["value"]["error"].is_null(), "{method} {path}: {}", answer["value"]);
        answer["value"].clone()
    }

    fn post(&self, command: &str, body: &Value) -> Value {
        self.call("POST", &format!("/session/{}/{command}", self.session), body)
    }

    /// Opens an address.
    pub fn open(&self, url: &str) {
        self.post("url", &json!({ "url": url }));
    }

    /// Opens a second window, and looks at it.
    pub fn new_window(&self) -> Value {
        let handle = self.post("window/new", &json!({ "type": "window" }))["handle"].clone();
        self.look_at(&handle);
        handle
    }

    /// The window that is looked at.
    pub fn window(&self) -> Value {
        self.call("GET", &format!("/session/{}/window", self.session), &Value::Null)
    }

    /// Looks at a window.
    pub fn look_at(&self, handle: &Value) {
        self.post("window", &json!({ "handle": handle }));
    }

    /// Runs a script, and gives what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The text of the element that a selector finds; nothing if it is not there, or hidden.
    pub fn text(&self, selector: &str) -> String {
        let script = format!(
            "const e = document.querySelector({}); return e && e.offsetParent !== null ? e.innerText : ''",
            json!(selector)
        );
        self.run(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    pub fn wait_for(&self, condition: &str) {
        let end = Instant::now() + PATIENCE;
        while self.run(&format!("return Boolean({condition})")) != Value::Bool(true) {
            let page = self.run("return document.body.innerText");
            assert!(Instant::now() < end, "waited in vain for {condition} on\n{page}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks at the element that a selector finds, as a person would.
    pub fn click(&self, selector: &str) {
        // The player stays at the lower edge of the window: what is there is behind it.
        let element = self.find(selector);
        let center = "scrollIntoView({ block: 'center' })";
        self.run(&format!("document.querySelector({}).{center}", json!(selector)));
        self.post(&format!("element/{element}/click"), &json!({}));
    }

    /// Types keys into the element that a selector finds.
    pub fn keys(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.post(&format!("element/{element}/value"), &json!({ "text": text }));
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post("element", &json!({ "using": "css selector", "value": selector }));
        let id = found.as_object().and_then(|object| object.values().next()?.as_str());
        id.unwrap_or_else(|| panic!("{selector}: {found}")).to_owned()
    }

    /// Makes the window so wide.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Light or dark, as the system would say.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Counts what a script makes the page do: the pieces of its own code that are executed, each as often as that happens, and the
    /// changes of its elements. How fast the machine is does not matter.
    pub fn work(&self, script: &str) -> u64 {
        self.devtools("Profiler.enable", &json!({}));
        let counted = json!({ "callCount": true, "detailed": true });
        self.devtools("Profiler.startPreciseCoverage", &counted);
        let changes = self.run(&format!(
            "const observer = new MutationObserver(() => {{}}); \
             observer.observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }}); \
             {script}; document.body.offsetHeight; \
             return observer.takeRecords().reduce((sum, r) => sum + 1 + r.addedNodes.length + r.removedNodes.length, 0)"
        ));
        let taken = self.devtools("Profiler.takePreciseCoverage", &json!({}));
        self.devtools("Profiler.stopPreciseCoverage", &json!({}));
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let of_page = |script: &Value| script["url"].as_str().is_some_and(|url| !url.is_empty());
        let scripts = list(&taken["result"]).into_iter().filter(of_page);
        let functions = scripts.flat_map(|script| list(&script["functions"]));
        let pieces = functions.flat_map(|function| list(&function["ranges"]));
        let executed: u64 = pieces.filter_map(|piece| piece["count"].as_u64()).sum();
        assert!(executed > 0, "no code of the page was counted");
        executed + changes.as_u64().unwrap()
    }

    /// Writes a picture of the whole page to `target/screenshots`.
    pub fn screenshot(&self, name: &str, width: u32) {
        self.resize(width, 900);
        let height =
            self.run("return document.documentElement.scrollHeight").as_u64().unwrap_or(900);
        self.resize(width, height.clamp(400, 6000) as u32);
        thread::sleep(Duration::from_millis(150));
        let wide = self.run("return document.documentElement.scrollWidth").as_u64();
        let image = self.devtools("Page.captureScreenshot", &json!({ "format": "png" }));
        let bytes = base64(image["data"].as_str().unwrap());
        assert_eq!(&bytes[..4], b"\x89PNG");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("screenshots");
        fs::create_dir_all(&target).unwrap();
        fs::write(target.join(format!("{name}-{width}.png")), bytes).unwrap();
        self.resize(width, 900);
        assert_eq!(wide, Some(u64::from(width)), "{name} does not fit into {width} pixels");
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.post("se/log", &json!({ "type": kind }));
        log.as_array().cloned().unwrap_or_default()
    }

    /// Nothing may have gone wrong on any page so far.
    pub fn no_errors(&self) {
        let is_wrong =
            |entry: &&Value| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING"));
        let log = self.log("browser");
        let wrong: Vec<_> = log.iter().filter(is_wrong).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// What pages from the disk asked for, themselves included, since this was last asked.
    pub fn requests(&self) -> Vec<String> {
        let request = |entry: &Value| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            let is_request = message["method"] == "Network.requestWillBeSent";
            let url = message["params"]["request"]["url"].as_str()?;
            let by = message["params"]["documentURL"].as_str()?;
            (is_request && by.starts_with("file:")).then(|| url.chars().take(200).collect())
        };
        self.log("performance").iter().filter_map(request).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser goes with its session, also when a test has failed.
        let delete = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
            stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
            let (session, port) = (&self.session, self.port);
            write!(stream, "DELETE /session/{session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
                .ok()?;
            stream.read(&mut [0; 64]).ok()
        };
        delete();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(digit).map(u32::from).collect();
    let mut bytes = Vec::new();
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().fold(0, |bits, d| bits << 6 | d) << (6 * (4 - chunk.len()));
        bytes.extend(bits.to_be_bytes()[1..chunk.len()].iter());
    }
    bytes
}
