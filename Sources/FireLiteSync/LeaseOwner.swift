import Foundation

/// Who holds a lease on a server: one outbox or sync of one process on one machine.
struct LeaseOwner: Sendable, Hashable {
    /// The machine since it was started; in a container, with the container's own numbers of processes.
    let machine: String
    let process: Int32
    let id: String

    init() {
        machine = Self.here
        process = getpid()
        id = UUID().uuidString.lowercased()
    }

    /// Reads what `text` has written.
    init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 3, let process = Int32(parts[1]) else { return nil }
        (machine, self.process, id) = (parts[0], process, parts[2])
    }

    var text: String { "\(machine) \(process) \(id)" }

    /// Whether the process has ended. False if that cannot be known from here.
    var hasEnded: Bool { machine == Self.here && kill(process, 0) != 0 && errno == ESRCH }

    private static let here = (name + container).filter { !$0.isWhitespace }

    private static var name: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var container: String {
        #if os(Linux) || os(Android)
            do {
                return try "/" + WholeFile.text("/proc/sys/kernel/random/boot_id") + "/"
                    + FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
            } catch {
                // Without them no other process is known to have ended: its lease runs out.
                return "/" + UUID().uuidString
            }
        #else
            return ""
        #endif
    }
}
