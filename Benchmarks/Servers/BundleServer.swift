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

    private static let start = Data(#"{"response":{"status":"201","etag":"W/\"1\"","location":""#.utf8)
    private static let end = Data(#"/_history/1"}},"#.utf8)
    private static let request = Array(#""request":{"method":"PUT","url":""#.utf8)

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .post, let body = request.body else { return HTTPResponse(404) }
        lock.withLock { bodies.append(body) }
        var answer = Data("{\"resourceType\":\"Bundle\",\"type\":\"transaction-response\",\"entry\":[".utf8)
        answer.reserveCapacity(body.count / 8)
        Self.forEachAddress(in: body) { address in
            answer.append(Self.start)
            answer.append(contentsOf: address)
            answer.append(Self.end)
        }
        answer.removeLast()
        answer.append(contentsOf: "]}".utf8)
        return HTTPResponse(200, body: answer)
    }

    /// Gives the address of each entry. A quotation mark in a text has a backslash before it, so what looks like a request is one.
    private static func forEachAddress(in body: Data, _ give: (UnsafeRawBufferPointer) -> Void) {
        body.withUnsafeBytes { raw in
            var place = 0
            guard let address = raw.baseAddress else { return }
            // Few characters are rarer than a brace, which is the eleventh of the request's.
            while let found = memchr(address + place, Int32(UInt8(ascii: "{")), raw.count - place) {
                let brace = UnsafeRawPointer(found) - address
                place = brace + 1
                let start = brace - 10
                guard start >= 0, start + request.count <= raw.count, memcmp(address + start, request, request.count) == 0 else { continue }
                let rest = raw[(start + request.count)...]
                give(UnsafeRawBufferPointer(rebasing: rest.prefix { $0 != UInt8(ascii: "\"") }))
            }
        }
    }
}
