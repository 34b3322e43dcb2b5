import FireLiteSync
import Foundation

/// A server in memory: answers by a closure and remembers what it was asked.
///
/// `@unchecked Sendable`: the lock guards the log.
final class StubServer: HTTPTransport, @unchecked Sendable {
    typealias Answer = @Sendable (_ request: HTTPRequest, _ number: Int) async throws -> HTTPResponse

    private let lock = NSLock()
    private var log: [HTTPRequest] = []
    private let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// What it was asked, in order.
    var requests: [HTTPRequest] { lock.withLock { log } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = lock.withLock {
            log.append(request)
            return log.count - 1
        }
        return try await answer(request, number)
    }
}

extension HTTPResponse {
    static func json(_ text: String, _ status: Int = 200, _ fields: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status, fields: fields, body: Data(text.utf8))
    }
}

extension HTTPRequest {
    var text: String { String(decoding: body ?? Data(), as: UTF8.self) }

    /// The values of a form.
    var form: [String: String] {
        let pairs = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1].removingPercentEncoding ?? "" : "") }) { $1 }
    }
}
