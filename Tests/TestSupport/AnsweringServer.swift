import Foundation

/// An HTTP server on a port of the loopback interface that answers by a closure, one request for each connection.
public final class AnsweringServer: Sendable {
    /// What it answers.
    public struct Answer: Sendable {
        let status: Int
        let type: String
        let body: String

        public init(_ body: String, status: Int = 200, type: String = "application/fhir+json") {
            (self.status, self.type, self.body) = (status, type, body)
        }
    }

    /// Its address, with a path.
    public let base: String
    private let socket: ListeningSocket

    /// - Parameter answer: the answer to a method and a target, such as `/base/Patient?_count=10`.
    public init(_ answer: @escaping @Sendable (_ method: String, _ target: String) -> Answer) throws {
        let socket = try ListeningSocket()
        self.socket = socket
        base = "http://127.0.0.1:\(socket.port)/base"
        Thread.detachNewThread {
            while let connection = socket.accept() { Self.serve(FileHandle(fileDescriptor: connection, closeOnDealloc: true), answer) }
        }
    }

    /// Ends the thread that waits for connections.
    deinit { socket.stop() }

    private static func serve(_ connection: FileHandle, _ answer: (String, String) -> Answer) {
        do {
            var request = Data()
            let end = Data("\r\n\r\n".utf8)
            while request.range(of: end) == nil {
                guard let part = try connection.read(upToCount: 1), !part.isEmpty else { return }
                request += part
            }
            let words = String(decoding: request, as: UTF8.self).prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
            guard words.count == 3 else { return }
            let answer = answer(words[0], words[1])
            let head = """
                HTTP/1.1 \(answer.status) Answer\r\nContent-Type: \(answer.type)\r\nContent-Length: \(answer.body.utf8.count)\r
                Connection: close\r\n\r\n
                """
            try connection.write(contentsOf: Data((head + answer.body).utf8))
        } catch {}
    }
}
