import Foundation

/// How often threads began to run.
enum ThreadSwitches {
    /// How often the threads of the process, this one apart, have given the processor away: as often as they were woken. 0 where the system does
    /// not say.
    static func ofOtherThreads() -> Int {
        #if os(Linux)
            let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self").split(separator: "/").last.map {
                String($0)
            }
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return threads.filter { $0 != own }.reduce(0) { sum, thread in
                // A thread that has ended meanwhile has no file any more.
                guard let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8) else { return sum }
                let counts = text.split(separator: "\n").filter { $0.contains("ctxt_switches:") }
                return sum + counts.reduce(0) { $0 + (Int($1.split(separator: "\t").last ?? "") ?? 0) }
            }
        #else
            return 0
        #endif
    }
}
