import Foundation

/// What the figures were measured on.
enum MachineFacts {
    /// Name and value of each fact.
    static func all(sqlite: String) -> [(name: String, value: String)] {
        [
            ("processor", processor), ("cores", "\(ProcessInfo.processInfo.activeProcessorCount)"),
            ("memory", "\(Int((Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded())) GiB"), ("system", system),
            ("SQLite", sqlite), ("Swift", swift), ("build", build),
        ]
    }

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("CPU part") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    /// The kernel's name, its version and the architecture.
    private static var system: String {
        var name = utsname()
        uname(&name)
        func text<Tuple>(_ tuple: Tuple) -> String {
            withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
    }

    private static var swift: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #elseif compiler(>=6.2)
            "6.2"
        #else
            "6.1"
        #endif
    }

    private static var build: String {
        var isDebug = false
        assert(
            {
                isDebug = true
                return true
            }())
        return isDebug ? "debug: the figures mean nothing" : "release"
    }
}
