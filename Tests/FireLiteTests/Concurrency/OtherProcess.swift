import Foundation
import Testing

/// A second process, whose every step the test decides: it does what a line says and answers with one (`StoreServer`).
final class OtherProcess {
    private let child: Process
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()

    struct Silence: Error {}

    /// Starts the process, which has no store yet.
    init() throws {
        // A process that has died must make a test fail, not end all of them.
        signal(SIGPIPE, SIG_IGN)
        child = try ChildProgram.process(["serve"], output: output)
        child.standardInput = input
        try child.run()
    }

    /// Starts the process and opens the store in it.
    convenience init(path: String, busyTimeout: Int = 60_000) throws {
        try self.init()
        try expect("open \(path) \(busyTimeout)", "open")
    }

    deinit { if child.isRunning { kill(child.processIdentifier, SIGKILL) } }

    /// Sends a line without waiting for the answer.
    func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits for the next answer.
    ///
    /// - Throws: `Silence` where none comes for a minute, so that a failure is no hang.
    func answer() throws -> String {
        while true {
            if let end = received.firstIndex(of: 10) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var descriptor = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, 60_000)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw Silence() }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(descriptor.fd, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Silence() }
            received.append(contentsOf: bytes[..<count])
        }
    }

    /// Sends a line and returns the answer.
    func ask(_ line: String) throws -> String {
        try tell(line)
        return try answer()
    }

    /// Expects that to be the next answer.
    func expectAnswer(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try answer()
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    /// Sends a line and expects that to be the answer.
    func expect(_ line: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try tell(line)
        try expectAnswer(expected, sourceLocation: sourceLocation)
    }

    /// Kills the process with whatever it has under way, and waits until it is gone.
    func die() {
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
    }

    /// Lets the process end by itself.
    func end() throws {
        try input.fileHandleForWriting.close()
        child.waitUntilExit()
        #expect(child.terminationReason == .exit && child.terminationStatus == 0)
    }
}
