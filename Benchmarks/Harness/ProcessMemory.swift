import Foundation

/// How much memory the process has had in use at most.
enum ProcessMemory {
    /// Resets the count if the system can do that; otherwise it continues from the start of the process.
    static func resetPeak() {
        #if os(Linux)
            // "5" resets the peak resident set size (proc_pid_clear_refs(5)).
            let descriptor = open("/proc/self/clear_refs", O_WRONLY)
            guard descriptor >= 0 else { return }
            _ = "5".withCString { write(descriptor, $0, 1) }
            close(descriptor)
        #endif
    }

    /// Gives freed memory back to the system, where its allocator can.
    static func giveBack() {
        #if os(Linux)
            // glibc's malloc_trim(3), which Swift's module of it leaves out.
            guard let symbol = dlsym(nil, "malloc_trim") else { return }
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
        #endif
    }

    /// The peak in mebibytes.
    static var peakMB: Double {
        #if os(Linux)
            return Double(statusKilobytes("VmHWM")) / 1_024
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return Double(usage.ru_maxrss) / 1_048_576
        #endif
    }

    /// What is in use now, in mebibytes; 0 where the system does not say.
    static var currentMB: Double { Double(statusKilobytes("VmRSS")) / 1_024 }

    private static func statusKilobytes(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }
}
