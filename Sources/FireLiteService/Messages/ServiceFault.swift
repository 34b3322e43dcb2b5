import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteFHIRPath
import FireLiteTrust
import FireLiteXML
import Foundation

/// A request that is refused: the status, and what the OperationOutcome says. Texts contain no values of records.
struct ServiceFault: Error {
    /// An issue of an OperationOutcome.
    struct Issue: Sendable {
        var severity = "error"
        /// A code of FHIR's value set `issue-type`.
        let code: String
        let text: String
        /// The FHIRPath of the element, or `http.` and the name of a parameter or header field.
        var expression: String?
    }

    var status: Int
    var issues: [Issue]
    var fields: HTTPFields = [:]

    /// A refusal with one issue.
    init(_ status: Int, _ code: String, _ text: String, at expression: String? = nil, fields: HTTPFields = [:]) {
        self.status = status
        self.fields = fields
        issues = [Issue(code: code, text: text, expression: expression)]
    }

    init(_ status: Int, _ issues: [Issue]) {
        self.status = status
        self.issues = issues
    }

    /// The same refusal, about an entry of a Bundle.
    func inside(_ place: String) -> ServiceFault {
        var copy = self
        copy.issues = issues.map { issue in
            let isHeader = issue.expression?.hasPrefix("http.") ?? false
            let inner =
                isHeader
                ? nil
                : issue.expression.map {
                    "\(place).resource.ofType(\($0.prefix { $0 != "." && $0 != "[" }))" + $0.drop { $0 != "." && $0 != "[" }
                }
            return Issue(severity: issue.severity, code: issue.code, text: issue.text, expression: inner ?? place)
        }
        return copy
    }

    /// The OperationOutcome in JSON.
    var outcomeJSON: String { Self.outcomeJSON(issues) }

    static func outcomeJSON(_ issues: [Issue]) -> String {
        let items = issues.map { issue in
            JSONItem.object([
                "severity": .string(issue.severity), "code": .string(issue.code), "diagnostics": .string(issue.text),
                "expression": issue.expression.map { .array([.string($0)]) },
            ])
        }
        return JSONItem.object(["resourceType": .string("OperationOutcome"), "issue": .array(items)]).json
    }

    // MARK: - Errors

    /// The refusal that an error means. What only the server's owner can act on is a 5xx without details, which may name files.
    init(_ error: any Error) {
        switch error {
        case let fault as ServiceFault: self = fault
        case is TimeLimitExceeded: self = Self.outOfTime
        case let error as FHIRStoreError where error.code == .interrupted && FHIRStore.isOutOfTime: self = Self.outOfTime
        case let error as SearchError: self = Self.search(error)
        case let error as FHIRDecodingError:
            self.init(400, error.code == .tooDeep ? "too-long" : "structure", error.description, at: error.path.isEmpty ? nil : error.path)
        case let error as FHIRXMLError:
            self.init(error.code == .missingLibrary ? 501 : 406, "not-supported", error.message, at: error.path.isEmpty ? nil : error.path)
        case let error as FHIRStoreError: self = Self.store(error)
        case let error as FHIRPathError: self.init(400, "invalid", "the expression cannot be evaluated: \(error.message)")
        case let error as ViewError: self.init(422, "invalid", error.description, at: error.place)
        case let refusal as any ContentRefusal: self = Self.refusal(refusal)
        case is CancellationError: self.init(503, "transient", "the request was cancelled", fields: ["Retry-After": "1"])
        default: self.init(500, "exception", "the server failed; its log says why")
        }
    }

    /// The maximum number of issues of a refusal that a client gets.
    static let maximumIssues = 100

    private static func refusal(_ refusal: any ContentRefusal) -> ServiceFault {
        let issues = refusal.contentIssues.filter { $0.severity == .error }.prefix(maximumIssues)
        guard !issues.isEmpty else { return ServiceFault(422, "invalid", "the store refuses the content, as it is not valid") }
        return ServiceFault(422, issues.map { Issue(code: $0.code, text: $0.text, expression: $0.path) })
    }

    private static func search(_ error: SearchError) -> ServiceFault {
        let expression = error.parameter.map { "http.\(String($0.prefix { $0 != ":" && $0 != "." }).shortened())" }
        let (status, code) =
            switch error.code {
            case .notFound: (404, "not-found")
            case .unknownType: (error.parameter == nil ? 404 : 400, "not-supported")
            case .unknownParameter, .notSupported: (400, "not-supported")
            case .missingTerminology: (400, "not-found")
            default: (400, "invalid")
            }
        return ServiceFault(status, code, error.description, at: expression)
    }

    private static func store(_ error: FHIRStoreError) -> ServiceFault {
        switch error.code {
        case .conflict:
            ServiceFault(409, "conflict", "another request changed the resource at the same time: read it again and repeat the change")
        case .duplicateID: ServiceFault(409, "duplicate", "a resource with the type and id is stored already")
        case .busy: ServiceFault(503, "lock-error", "the store is busy: try again", fields: ["Retry-After": "1"])
        case .diskFull: ServiceFault(507, "no-store", "the disk of the server is full, so nothing was stored")
        case .readOnly: ServiceFault(405, "not-supported", "the store can only be read", fields: ["Allow": "GET, HEAD"])
        case .tooLarge: ServiceFault(413, "too-long", "the content is larger than a store can store")
        case .invalidArgument: ServiceFault(400, "invalid", error.message)
        case .closed, .interrupted: ServiceFault(503, "transient", "the server is stopping", fields: ["Retry-After": "5"])
        case .resyncRequired:
            ServiceFault(500, "exception", "the store has lost changes, so the answer might lack versions; the server's log says which")
        case .outOfMemory:
            ServiceFault(503, "throttled", "the server is short of memory: ask for less at once", fields: ["Retry-After": "5"])
        default: ServiceFault(500, "exception", "the store cannot be used (\(error.code.rawValue)); the server's log says why")
        }
    }

    static func unknownType(_ name: String, _ release: FHIRRelease) -> ServiceFault {
        ServiceFault(404, "not-supported", "'\(Self.shown(name))' is not a resource type of FHIR \(release.name)")
    }

    static let outOfTime = ServiceFault(
        503, "timeout", "the request took longer than the server allows, so it was ended and changed nothing: ask for less at once")
    static let gone = ServiceFault(410, "deleted", "the resource was deleted")
    static let notFound = ServiceFault(404, "not-found", "the server has no such resource")

    /// A word of the client's as a message shows it: it is quoted back only if it looks like a name.
    static func shown(_ text: String) -> String {
        let isName =
            text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                65...90 ~= byte || 97...122 ~= byte || 48...57 ~= byte || byte == 45 || byte == 95 || byte == 46 || byte == 36
            }
        return isName ? text : "…"
    }
}
