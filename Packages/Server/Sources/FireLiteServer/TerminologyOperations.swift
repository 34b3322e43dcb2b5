import FireLiteFHIRPath
import FireLiteKnowledge
import FireLiteService
import Foundation

/// The operations of a terminology service over the definitions of packages and of a store: `$expand`, `$validate-code`, `$batch-validate-code`, `$lookup`,
/// `$subsumes`, `$translate` and `$closure` (FHIR, Terminology Service).
///
/// Closure tables last as long as the operations: after a restart of the server a client begins its table again, as FHIR expects of it.
public struct TerminologyOperations: Sendable {
    private let store: FHIRStore
    private let knowledge: Knowledge
    private let closures = SharedClosures()

    /// Makes the operations.
    ///
    /// - Parameters:
    ///   - store: the store whose CodeSystems, ValueSets and ConceptMaps count, after those of packages.
    ///   - knowledge: the definitions of packages.
    public init(store: FHIRStore, knowledge: Knowledge) {
        self.store = store
        self.knowledge = knowledge
    }

    /// Registers the operations, with what they can do, and lets searches and views of the service ask the same definitions.
    public func add(to configuration: inout FHIRService.Configuration) {
        configuration.operations += all
        configuration.terminologyCapabilities = Self.capabilities
        // Those of packages alone: what the store has, a search looks up itself, within what its client may see.
        configuration.codesInValueSet = { try packaged.codes(inValueSet: $0) }
        configuration.relatedCodes = { try packaged.codes(relatedTo: $0, in: $1, areBelow: $2) }
        configuration.terminology = SharedTerminology(operations: self)
    }

    /// A terminology for each question, as what is stored may have changed.
    private struct SharedTerminology: FHIRPathTerminology, Sendable {
        let operations: TerminologyOperations

        func isMember(_ coded: FHIRPathValue, of valueSet: String) throws -> Bool? {
            try operations.terminology.isMember(coded, of: valueSet)
        }

        func subsumes(_ general: FHIRPathValue, _ special: FHIRPathValue) throws -> Bool? {
            try operations.terminology.subsumes(general, special)
        }

        func perform(_ operation: String, _ arguments: [[FHIRPathValue]]) throws -> FHIRResource? {
            try operations.terminology.perform(operation, arguments)
        }
    }

    /// The operations, for a service's configuration.
    public var all: [RegisteredOperation] {
        let shared = [
            operation("expand", "ValueSet", .expand, resource: "valueSet"),
            operation("validate-code", "ValueSet", .validateCode, resource: "valueSet"),
            operation("batch-validate-code", "ValueSet", .batchValidate, resource: nil), closure,
            operation("translate", "ConceptMap", .translate, resource: "conceptMap"),
        ]
        // DSTU2 defines code systems in value sets: they have no operations of their own here.
        guard store.release.hasResourceType(named: "CodeSystem") else { return shared }
        return shared + [
            operation("validate-code", "CodeSystem", .validateCodeInSystem, resource: "codeSystem"),
            operation("lookup", "CodeSystem", .lookup, resource: nil), operation("subsumes", "CodeSystem", .subsumes, resource: "system"),
        ]
    }

    /// What the operations can do, for a service's configuration (FHIR, TerminologyCapabilities).
    public static let capabilities = Data(
        """
        {"expansion":{"hierarchical":true,"paging":true,"incomplete":false,"parameter":[{"name":"url"},{"name":"valueSetVersion"},{"name":"filter"},\
        {"name":"offset"},{"name":"count"},{"name":"includeDesignations"},{"name":"activeOnly"},{"name":"excludeNested"},{"name":"displayLanguage"}],\
        "textFilter":"words that each begin a word of a display, or the code"},"codeSearch":"all","validateCode":{"translations":false},\
        "translation":{"needsMap":true},"closure":{"translation":false}}
        """.utf8)

    private var types: Set<String> { Set(["CodeSystem", "ConceptMap", "ValueSet"].filter { store.release.hasResourceType(named: $0) }) }

    /// - Parameter resource: the parameter that stands for the stored resource at which it is called; nil if it cannot be called at one.
    private func operation(_ name: String, _ type: String, _ operation: TerminologyOperation, resource: String?) -> RegisteredOperation {
        RegisteredOperation(
            name, definition: "http://hl7.org/fhir/OperationDefinition/\(type)-\(name)",
            levels: resource == nil ? [.type] : [.type, .instance], types: [type], reads: types
        ) { call in
            try answered { try terminology.perform(operation, parameters: try Self.parameters(call, resource), language: call.language) }
        }
    }

    private var closure: RegisteredOperation {
        RegisteredOperation(
            "closure", definition: "http://hl7.org/fhir/OperationDefinition/ConceptMap-closure", levels: [.system], reads: types
        ) { call in try answered { try closures.perform(call.parameters, terminology) } }
    }

    private var packaged: Terminology {
        var terminology = Terminology(release: store.release)
        terminology.add(knowledge)
        return terminology
    }

    private var terminology: Terminology {
        // A terminology keeps what it has read, and what is stored may change from call to call.
        var terminology = packaged
        terminology.add(StoredDefinitions(store))
        return terminology
    }

    private func answered(_ body: () throws -> Data) throws -> Data {
        do { return try body() } catch let error as TerminologyError {
            throw RegisteredOperation.Refusal(status: Self.status(error.code), outcome: error.operationOutcome)
        }
    }

    private static func status(_ code: TerminologyError.Code) -> Int {
        switch code {
        case .invalid, .unreadable: 400
        case .notFound: 404
        default: 422
        }
    }

    /// The parameters, with the stored resource among them.
    private static func parameters(_ call: RegisteredOperation.Call, _ name: String?) throws -> Data {
        guard let name, let resource = call.resource else { return call.parameters }
        guard var parameters = try JSONSerialization.jsonObject(with: call.parameters) as? [String: Any],
            let definition = try JSONSerialization.jsonObject(with: resource) as? [String: Any]
        else { return call.parameters }
        var items = parameters["parameter"] as? [Any] ?? []
        if name == "system" {
            items.append(["name": "tx-resource", "resource": definition])
            items.append(["name": "system", "valueUri": definition["url"] ?? ""])
        } else {
            items.append(["name": name, "resource": definition])
        }
        parameters["parameter"] = items
        return try JSONSerialization.data(withJSONObject: parameters)
    }
}

/// The closure tables of all clients.
///
/// `@unchecked Sendable`: `lock` guards `tables`.
private final class SharedClosures: @unchecked Sendable {
    private let lock = NSLock()
    private var tables = ClosureTables()

    func perform(_ parameters: Data, _ terminology: Terminology) throws -> Data {
        try lock.withLock { try tables.perform(parameters: parameters, using: terminology) }
    }
}
