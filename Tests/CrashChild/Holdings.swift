import FireLiteSQLite
import Foundation

/// What this process has open of files and of SQLite.
struct Holdings: Equatable {
    let descriptors: Int
    /// Zero growth means that no connection and no statement is left: each has memory of its own.
    let sqliteBytes: Int64

    static func now() throws -> Holdings {
        Holdings(descriptors: try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count, sqliteBytes: sqlite3_memory_used())
    }

    /// Waits until the process holds no more than `baseline`: what worked for a task is let go of a moment after its result is there.
    ///
    /// - Returns: what it holds; `baseline` unless something is left after 20 seconds.
    static func settled(at baseline: Holdings) throws -> Holdings {
        let limit = Date(timeIntervalSinceNow: 20)
        var holdings = try now()
        while holdings != baseline, Date() < limit {
            sched_yield()
            holdings = try now()
        }
        return holdings
    }

    /// How much memory the process has in use, in megabytes; 0 where the system does not tell.
    static var residentMegabytes: Int { residentBytes / 1_000_000 }

    /// The same in bytes.
    static var residentBytes: Int {
        guard let file = FileHandle(forReadingAtPath: "/proc/self/statm") else { return 0 }
        let words = String(decoding: file.availableData, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }
}
