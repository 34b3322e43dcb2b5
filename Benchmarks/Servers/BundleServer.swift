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

    private static let answer = Data(#"{"response":{"status":"201","etag":"W/\"1\""}},"#.utf8)
    private static let end = Data(#","response":{"status":"201","etag":"W/\"1\""}},"#.utf8)
    private static let resource = Array(#""resource":"#.utf8)
    private static let request = Array(#""request":{"method":"#.utf8)

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .post, let body = request.body else { return HTTPResponse(404) }
        lock.withLock { bodies.append(body) }
        let returnsResources = request.fields["Prefer"] == "return=representation"
        var answer = Data("{\"resourceType\":\"Bundle\",\"type\":\"transaction-response\",\"entry\":[".utf8)
        answer.reserveCapacity(returnsResources ? body.count * 3 / 2 : body.count / 8)
        try Self.forEachResource(in: body) { resource in
            guard returnsResources else { return answer.append(Self.answer) }
            answer.append(contentsOf: #"{"resource":"#.utf8)
            // They have the version 1 and a time already.
            answer.append(contentsOf: resource)
            answer.append(Self.end)
        }
        answer.removeLast()
        answer.append(contentsOf: "]}".utf8)
        return HTTPResponse(200, body: answer)
    }

    /// Gives the text of each entry's resource, which stands before the request. A quotation mark in a text has a backslash before it, so what looks
    /// like a request is one.
    private static func forEachResource(in body: Data, _ give: (UnsafeRawBufferPointer) -> Void) throws {
        try body.withUnsafeBytes { raw in
            var (place, first) = (0, 0)
            guard let address = raw.baseAddress else { return }
            // Few characters are rarer than a brace, which is the eleventh of the request's.
            while let found = memchr(address + place, Int32(UInt8(ascii: "{")), raw.count - place) {
                let brace = UnsafeRawPointer(found) - address
                place = brace + 1
                let start = brace - 10
                guard start >= 0, start + request.count <= raw.count, memcmp(address + start, request, request.count) == 0 else { continue }
                // It is what an entry begins with, or follows its address.
                while memcmp(address + first, resource, resource.count) != 0 {
                    first += 1
                    guard first + resource.count < start else {
                        throw BenchmarkFailure("an entry of a Bundle has no resource before its request")
                    }
                }
                give(UnsafeRawBufferPointer(rebasing: raw[first + resource.count..<start - 1]))
                first = place
            }
        }
    }
}
