//! # Memory
//! How many bytes there are. How many are in use is known by the allocator, which a library does not choose: see
//! [`Budget::memory_in_use`](selvedge_model::Budget::memory_in_use).

use std::fs;

/// What a run may use unless somebody says otherwise: 80 % of the memory of the machine, or of what
/// its control group or `ulimit -v` leaves, if that is less. Nothing where it is not known.
#[must_use]
pub fn default_memory_limit() -> Option<usize> {
    let of_group = ["/sys/fs/cgroup/memory.max".to_owned()]
        .into_iter()
        .chain(own_group().map(|group| format!("/sys/fs/cgroup{group}/memory.max")))
        .chain(["/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned()])
        .filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let of_process = fs::read_to_string("/proc/self/limits").ok();
    let of_process = of_process.and_then(|text| address_space(&text));
    let least: u64 = machine.into_iter().chain(of_process).chain(of_group).min()?;
    usize::try_from(least / 5 * 4).ok()
}

/// The control group of this process, if there is one for all resources.
fn own_group() -> Option<String> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    text.lines().find_map(|line| line.strip_prefix("0::")).map(str::to_owned)
}

/// The memory of the machine in bytes: `MemTotal:  8000000 kB`.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// How much a process may address, in bytes: `Max address space  8000000  unlimited  bytes`.
fn address_space(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_read() {
        assert_eq!(total("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
        assert_eq!(total("MemTotal: many\n"), None);
        assert_eq!(total(""), None);
    }

    #[test]
    fn a_limit_of_the_process_is_read() {
        let limits =
            |soft| format!("Max cpu time  1 2 seconds\nMax address space  {soft}  9 bytes\n");
        assert_eq!(address_space(&limits("4096")), Some(4096));
        assert_eq!(address_space(&limits("unlimited")), None);
    }
}
