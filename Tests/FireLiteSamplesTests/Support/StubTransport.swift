import FireLiteClient
import FireLiteSamples
import Foundation

/// A server in memory: answers by a closure and remembers what it was asked.
///
/// `@unchecked Sendable`: the lock guards the log.
final class StubTransport: HTTPTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var log: [HTTPRequest] = []
    private let answer: @Sendable (HTTPRequest, Int) throws -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest, Int) throws -> HTTPResponse) { self.answer = answer }

    /// What it was asked, in order.
    var requests: [HTTPRequest] { lock.withLock { log } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = lock.withLock {
            log.append(request)
            return log.count - 1
        }
        return try answer(request, number)
    }
}

extension HTTPRequest {
    var bodyText: String { String(decoding: body ?? Data(), as: UTF8.self) }
}
