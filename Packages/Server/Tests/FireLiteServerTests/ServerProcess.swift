import FireLiteReleases
import FireLiteService
import Foundation
import Testing

/// `firelite-server` as a process of its own, and what tests do with it.
///
/// `@unchecked Sendable`: nothing of it changes after `init`, and `Process` may be asked from several threads.
final class ServerProcess: @unchecked Sendable {
    let process = Process()
    let base: String
    private let token: String
    private let output = Pipe()

    /// The executable beside the tests.
    static var executable: URL {
        get throws {
            let bundles = ProcessInfo.processInfo.arguments.map { URL(fileURLWithPath: $0) } + [Bundle.main.bundleURL]
            let places =
                bundles.flatMap { [$0.deletingLastPathComponent(), $0] }
                + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            let found = places.map { $0.appendingPathComponent("firelite-server") }.first {
                FileManager.default.isExecutableFile(atPath: $0.path)
            }
            return try #require(found, "firelite-server is not beside the tests")
        }
    }

    /// Starts a server, and returns when it listens.
    ///
    /// - Parameters:
    ///   - database: the file of the store.
    ///   - arguments: further arguments.
    ///   - shell: commands of a shell before it becomes the server; nil for none.
    init(_ database: String, _ arguments: [String] = [], shell: String? = nil) throws {
        let own = ["--database", database, "--release", "R4", "--port", "0"] + arguments
        let path = try Self.executable.path
        if let shell {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["unshare", "-m", "sh", "-c", shell + "; exec \"$0\" \"$@\"", path] + own
        } else {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = own
        }
        process.standardOutput = output
        try process.run()
        var greeting = ""
        while greeting.split(separator: "\n").count < 2 || !greeting.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw POSIXError(.ESRCH) }
            greeting += String(decoding: data, as: UTF8.self)
        }
        let lines = greeting.split(separator: "\n")
        base = String(try #require(lines[0].split(separator: " ").last))
        token = String(try #require(lines[1].split(separator: " ").last))
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var port: Int { URL(string: base)?.port ?? 0 }

    /// The field with the token.
    var authorization: String { "Bearer \(token)" }

    var tokenText: String { token }

    func send(_ method: HTTPMethod, _ path: String, _ fields: HTTPFields = [:], body: String? = nil) async throws -> HTTPResponse {
        var fields = fields
        fields["Authorization"] = authorization
        if body != nil { fields["Content-Type"] = "application/fhir+json" }
        let url = try #require(URL(string: base + path))
        return try await StandardTransport.shared.send(HTTPRequest(method, url, fields: fields, body: body.map { Data($0.utf8) }))
    }

    /// Ends the process with a signal, and waits for its end.
    @discardableResult
    func end(_ signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// A folder for the files of a test.
struct TestFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("FireLiteServer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { url.appendingPathComponent(name).path }

    func remove() { try? FileManager.default.removeItem(at: url) }
}

/// A connection whose bytes a test writes itself.
///
/// `@unchecked Sendable`: its descriptor never changes, and the system lets several threads use it.
final class RawConnection: @unchecked Sendable {
    private let descriptor: Int32

    /// - Throws: an error if nobody listens.
    init(port: Int) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(port).bigEndian
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    /// Sends a text, and returns whether the system took it.
    @discardableResult
    func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        #if canImport(Darwin)
            return Darwin.send(descriptor, bytes, bytes.count, 0) == bytes.count
        #else
            return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        #endif
    }

    /// Waits for bytes, or the end of the connection.
    ///
    /// - Parameter milliseconds: how long to wait; -1 for as long as it takes.
    /// - Returns: the bytes that came; empty at the end; nil if nothing came.
    func read(milliseconds: Int32 = -1) -> [UInt8]? {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : []
    }

    /// Waits like a client on a slow line.
    static func pause(milliseconds: Int) { poll(nil, 0, Int32(milliseconds)) }

    /// What comes until the other side ends the connection.
    func rest() -> String { String(decoding: restBytes(), as: UTF8.self) }

    func restBytes() -> Data {
        var all = Data()
        while let bytes = read(), !bytes.isEmpty { all += bytes }
        return all
    }
}
