import FireLiteR4
import FireLiteXML
import Foundation

@testable import FireLiteClient

/// A server in memory that speaks XML alone, in front of one that speaks JSON.
///
/// `@unchecked Sendable`: the lock guards the log.
final class XMLServer: HTTPTransport, @unchecked Sendable {
    /// What becomes of the XML of an answer.
    typealias Change = @Sendable (String) -> String

    private let server: any HTTPTransport
    private let release: FHIRRelease
    private let lock = NSLock()
    private var log: [HTTPRequest] = []
    private var refusals: [Int] = []
    private var change: Change = { $0 }
    /// Whether it refuses to answer if several media types are accepted.
    let wantsOneType: Bool

    init(_ server: any HTTPTransport, release: FHIRRelease = .r4, wantsOneType: Bool = false) {
        self.server = server
        self.release = release
        self.wantsOneType = wantsOneType
    }

    /// What it was asked, in order.
    var requests: [HTTPRequest] { lock.withLock { log } }
    /// The statuses with which it refused a format.
    var refused: [Int] { lock.withLock { refusals } }

    func changeAnswers(_ change: @escaping Change) { lock.withLock { self.change = change } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let change = lock.withLock {
            log.append(request)
            return self.change
        }
        let accepted = (request.fields["Accept"] ?? "").split(separator: ",").map { MediaType($0) }
        guard accepted.contains(where: \.isFHIRXML), !wantsOneType || accepted.count == 1 else { return refusal(406) }
        var inner = request
        if let body = request.body {
            guard MediaType(request.fields["Content-Type"] ?? "").isFHIRXML else { return refusal(415) }
            inner.body = FHIRJSON.data(try FHIRXML.resource(from: body, release: release))
            inner.fields["Content-Type"] = "application/fhir+json"
        }
        var answer = try await server.send(inner)
        guard !answer.body.isEmpty else { return answer }
        let xml = try FHIRXML.string(try FHIRJSON.resource(from: answer.body, release: release))
        answer.body = Data(change(xml).utf8)
        answer.fields["Content-Type"] = "application/fhir+xml; charset=UTF-8"
        return answer
    }

    private func refusal(_ status: Int) -> HTTPResponse {
        lock.withLock { refusals.append(status) }
        return .xml(#"<OperationOutcome><issue><severity value="error"/><code value="not-supported"/></issue></OperationOutcome>"#, status)
    }
}

extension HTTPResponse {
    /// An answer in XML, whose root element gets FHIR's namespace.
    static func xml(_ text: String, _ status: Int = 200, type: String? = "application/fhir+xml") -> HTTPResponse {
        var text = text
        if let end = text.firstIndex(where: { $0 == ">" || $0 == "/" }) {
            text.insert(contentsOf: " xmlns=\"\(FHIRXML.namespace)\"", at: end)
        }
        var fields: HTTPFields = [:]
        fields["Content-Type"] = type
        return HTTPResponse(status, fields: fields, body: Data(text.utf8))
    }
}
