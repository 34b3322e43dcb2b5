import FireLiteSync
import Foundation

/// A FHIR server in this process that says at once that it has done everything in a Bundle, and keeps the Bundles as they came.
///
/// `@unchecked Sendable`: the lock guards the Bundles.
final class BundleServer: HTTPTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var bodies: [Data] = []

    /// The Bundles.
    var received: [Data] { lock.withLock { bodies } }

    private static let answer = Array(#"{"response":{"status":"201","etag":"W/\"1\""}},"#.utf8)
    private static let request = Array(#""request":{"method":"#.utf8)

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .post, let body = request.body else { return HTTPResponse(404) }
        lock.withLock { bodies.append(body) }
        let count = Self.entries(in: body)
        var answer = Data("{\"resourceType\":\"Bundle\",\"type\":\"transaction-response\",\"entry\":[".utf8)
        answer.reserveCapacity(answer.count + count * Self.answer.count + 2)
        for _ in 0..<count { answer.append(contentsOf: Self.answer) }
        answer.removeLast()
        answer.append(contentsOf: "]}".utf8)
        return HTTPResponse(200, body: answer)
    }

    /// The number of entries: a quotation mark in a text has a backslash before it, so what looks like a request is one.
    private static func entries(in body: Data) -> Int {
        body.withUnsafeBytes { raw in
            var (count, place) = (0, 0)
            guard let address = raw.baseAddress else { return 0 }
            // Few characters are rarer than a brace, which is the eleventh of the request's.
            while let found = memchr(address + place, Int32(UInt8(ascii: "{")), raw.count - place) {
                let brace = UnsafeRawPointer(found) - address
                place = brace + 1
                let start = brace - 10
                guard start >= 0, start + request.count <= raw.count, memcmp(address + start, request, request.count) == 0 else { continue }
                count += 1
            }
            return count
        }
    }
}
