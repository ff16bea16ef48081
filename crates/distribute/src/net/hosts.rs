//! # The host file
//! One line for each process: a name or an address, and a port. Process 0 is the first one. Empty lines, and what follows a `#`, say nothing.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

/// The most processes of a run.
const MOST: usize = 1024;

/// The addresses of the processes of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    /// The addresses as they were written.
    names: Vec<String>,
    /// The addresses that each name stands for.
    addresses: Vec<Vec<SocketAddr>>,
}

impl Hosts {
    /// Reads a host file, and looks its names up.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut hosts = Hosts { names: Vec::new(), addresses: Vec::new() };
        for (number, line) in (1..).zip(text.lines()) {
            let name = line.split('#').next().unwrap_or_default().trim();
            if name.is_empty() {
                continue;
            }
            if hosts.names.len() == MOST {
                return Err(format!("line {number}: there are more than {MOST} processes"));
            }
            if hosts.names.iter().any(|known| known == name) {
                return Err(format!("line {number}: {name} is there twice"));
            }
            let found = name.to_socket_addrs().map_err(|why| {
                format!("line {number}: `{name}` is no address: {why}; write name:port")
            })?;
            let found: Vec<SocketAddr> = found.collect();
            if found.iter().any(|address| address.port() == 0) {
                return Err(format!("line {number}: `{name}` has no port; write name:port"));
            }
            if found.is_empty() {
                return Err(format!("line {number}: nobody knows an address of `{name}`"));
            }
            hosts.names.push(name.to_owned());
            hosts.addresses.push(found);
        }
        match hosts.names.len() {
            0 => Err("there is no process: write a line name:port for each".to_owned()),
            _ => Ok(hosts),
        }
    }

    /// How many processes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no process at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether all processes are on this machine, and can be reached from nowhere else.
    #[must_use]
    pub fn are_local(&self) -> bool {
        self.addresses.iter().flatten().all(|address| address.ip().is_loopback())
    }

    /// The name of a process for people: its number and its address.
    #[must_use]
    pub fn name(&self, process: usize) -> String {
        let at = self.names.get(process).map_or("nowhere", String::as_str);
        format!("process {process} ({at})")
    }

    /// The addresses of a process.
    pub(super) fn of(&self, process: usize) -> &[SocketAddr] {
        self.addresses.get(process).map_or(&[], Vec::as_slice)
    }

    /// Whether some process may come from this address.
    pub(super) fn has(&self, ip: IpAddr) -> bool {
        let plain = |ip: IpAddr| ip.to_canonical();
        self.addresses.iter().flatten().any(|address| plain(address.ip()) == plain(ip))
    }
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn host_files_are_read() {
        let hosts = Hosts::parse("# two\n127.0.0.1:4000  # first\n\n[::1]:4001\n").unwrap();
        assert_eq!(hosts.len(), 2);
        assert!(hosts.are_local());
        assert_eq!(hosts.name(1), "process 1 ([::1]:4001)");
        assert!(hosts.has("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!hosts.has("192.0.2.1".parse().unwrap()));
        assert!(!Hosts::parse("192.0.2.1:4000").unwrap().are_local());
    }

    #[test]
    fn mistakes_have_lines() {
        let wrong = |text| Hosts::parse(text).unwrap_err();
        assert!(wrong("").starts_with("there is no process"));
        assert!(wrong("127.0.0.1:1\n127.0.0.1").starts_with("line 2: `127.0.0.1` is no address"));
        assert!(wrong("127.0.0.1:0").contains("no port"));
        assert!(wrong("127.0.0.1:1\n127.0.0.1:1").contains("line 2: 127.0.0.1:1 is there twice"));
        assert!(wrong("127.0.0.1:99999").contains("is no address"));
    }
}
