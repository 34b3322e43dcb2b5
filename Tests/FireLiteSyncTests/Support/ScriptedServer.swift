import Foundation
import TestSupport

/// A server on this machine whose connections a closure serves, each on a thread of its own. The closure says what it answers, byte by byte, so that any
/// fault of a server can be had.
///
/// `@unchecked Sendable`: the lock guards the variables.
final class ScriptedServer: @unchecked Sendable {
    let base: URL
    private let listener: Listener

    /// - Parameter serve: called for each connection, which is closed when it returns.
    init(_ serve: @escaping @Sendable (ScriptedConnection) -> Void) throws {
        let listener = try Listener()
        self.listener = listener
        guard let url = URL(string: "http://127.0.0.1:\(listener.port)") else { throw CocoaError(.featureUnsupported) }
        base = url
        Thread.detachNewThread { [listener] in
            while let descriptor = listener.accept() {
                Thread.detachNewThread {
                    let connection = ScriptedConnection(descriptor, listener)
                    serve(connection)
                    connection.close()
                }
            }
        }
    }

    /// Answers each request with the same text, on connections that stay open.
    convenience init(answering answer: String) throws {
        try self.init { connection in while connection.request() != nil, connection.send(answer) {} }
    }

    /// What has arrived whole, over all connections.
    var requests: [ScriptedRequest] { listener.requests }
    /// The number of connections so far.
    var connections: Int { listener.connections }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: base.absoluteString + path) else { throw CocoaError(.featureUnsupported) }
        return url
    }

    deinit { listener.stop() }
}

struct ScriptedRequest: Sendable {
    let method: String
    let target: String
    /// With names in small letters.
    let fields: [String: String]
    let body: Data
}

/// One connection, which one thread uses.
final class ScriptedConnection: Sendable {
    private let descriptor: Int32
    private let listener: Listener

    fileprivate init(_ descriptor: Int32, _ listener: Listener) {
        self.descriptor = descriptor
        self.listener = listener
    }

    /// The next request, whole; nil if the client is gone.
    func request() -> ScriptedRequest? {
        var head = Data()
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = receive(1) else { return nil }
            head += byte
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let first = lines[0].components(separatedBy: " ")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        var body = Data()
        if let length = fields["content-length"].flatMap({ Int($0) }) {
            while body.count < length {
                guard let more = receive(length - body.count) else { return nil }
                body += more
            }
        }
        let request = ScriptedRequest(method: first[0], target: first.count > 1 ? first[1] : "", fields: fields, body: body)
        listener.note(request)
        return request
    }

    /// Some bytes; nil if the client is gone.
    private func receive(_ count: Int) -> Data? {
        var bytes = [UInt8](repeating: 0, count: min(count, 1 << 16))
        let received = recv(descriptor, &bytes, bytes.count, 0)
        return received > 0 ? Data(bytes[..<received]) : nil
    }

    /// Waits until the client has closed the connection.
    func waitForTheClientToGo() { while receive(1 << 10) != nil {} }

    /// Returns false if the client is gone.
    @discardableResult
    func send(_ text: String) -> Bool { send(Data(text.utf8)) }

    @discardableResult
    func send(_ data: Data) -> Bool {
        var rest = data[...]
        // A client on a busy machine may take nothing for a while.
        var patience = 60
        while !rest.isEmpty {
            guard let sent = sendSome(rest), sent > 0 || patience > 0 else { return false }
            patience -= sent > 0 ? 0 : 1
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Sends as much as the client takes within half a second: 0 if it takes nothing, nil if it is gone.
    func sendSome(_ data: Data) -> Int? {
        var limit = timeval(tv_sec: 0, tv_usec: 500_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        let sent = data.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
        if sent >= 0 { return sent }
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
    }

    fileprivate func close() { Foundation.close(descriptor) }
}

/// `@unchecked Sendable`: the lock guards the variables.
private final class Listener: @unchecked Sendable {
    private let socket: ListeningSocket
    private let lock = NSLock()
    private var noted: [ScriptedRequest] = []
    private var accepted = 0

    init() throws { socket = try ListeningSocket() }

    var port: UInt16 { socket.port }

    func accept() -> Int32? {
        guard let connection = socket.accept() else { return nil }
        lock.withLock { accepted += 1 }
        return connection
    }

    func note(_ request: ScriptedRequest) { lock.withLock { noted.append(request) } }
    var requests: [ScriptedRequest] { lock.withLock { noted } }
    var connections: Int { lock.withLock { accepted } }

    func stop() { socket.stop() }
}
