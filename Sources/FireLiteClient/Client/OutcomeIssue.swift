import Foundation

/// An issue of an OperationOutcome: what a server says about a request.
///
/// It is the server's text and may repeat values of records. Descriptions of errors therefore leave it out.
public struct OutcomeIssue: Sendable, Hashable, Codable {
    /// `fatal`, `error`, `warning`, `information` or `success`.
    public let severity: String
    /// The type of issue, `not-found`.
    public let code: String
    /// Codes of its details.
    public let detailCodes: [String]
    /// The text of its details.
    public let details: String?
    /// More about it.
    public let diagnostics: String?
    /// The FHIRPath of the elements concerned; the XPath, in DSTU2.
    public let expression: [String]

    /// Creates an issue.
    ///
    /// - Parameters:
    ///   - severity: `fatal`, `error`, `warning`, `information` or `success`.
    ///   - code: the type of issue.
    ///   - detailCodes: codes of its details.
    ///   - details: the text of its details.
    ///   - diagnostics: more about it.
    ///   - expression: the FHIRPath of the elements concerned.
    package init(
        severity: String, code: String, detailCodes: [String] = [], details: String? = nil, diagnostics: String? = nil,
        expression: [String] = []
    ) {
        self.severity = severity
        self.code = code
        self.detailCodes = detailCodes
        self.details = details
        self.diagnostics = diagnostics
        self.expression = expression
    }

    /// The issues of an OperationOutcome of any release; empty for anything else.
    package static func issues(in json: Data) -> [OutcomeIssue] { readable(in: json) ?? [] }

    /// The issues of an OperationOutcome of any release; nil for anything else, and if it cannot be read.
    static func readable(in json: Data) -> [OutcomeIssue]? {
        struct Outcome: Decodable {
            struct Coding: Decodable { let code: String? }
            struct Details: Decodable {
                let coding: [Coding]?
                let text: String?
            }
            struct Issue: Decodable {
                let severity: String?
                let code: String?
                let details: Details?
                let diagnostics: String?
                let expression: [String]?
                let location: [String]?
            }
            let resourceType: String
            let issue: [Issue]?
        }
        guard json.first == UInt8(ascii: "{") || json.prefix(64).contains(UInt8(ascii: "{")) else { return nil }
        do {
            let outcome = try JSONDecoder().decode(Outcome.self, from: json)
            guard outcome.resourceType == "OperationOutcome" else { return nil }
            return (outcome.issue ?? []).map {
                OutcomeIssue(
                    severity: $0.severity ?? "error", code: $0.code ?? "unknown",
                    detailCodes: $0.details?.coding?.compactMap(\.code) ?? [], details: $0.details?.text, diagnostics: $0.diagnostics,
                    expression: $0.expression ?? $0.location ?? [])
            }
        } catch { return nil }
    }
}
