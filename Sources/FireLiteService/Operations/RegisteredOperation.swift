import FireLiteCore
import Foundation

/// An operation that a service gets from outside, such as those of a terminology. It is in `metadata` like the service's own.
///
/// ```swift
/// configuration.operations = [
///     RegisteredOperation("ping", definition: "http://example.org/ping", levels: [.system]) { _ in Data(#"{"resourceType":"Parameters"}"#.utf8) }
/// ]
/// ```
public struct RegisteredOperation: Sendable {
    /// Where an operation can be called.
    public enum Level: Sendable, Hashable {
        /// At the base.
        case system
        /// At a resource type.
        case type
        /// At a stored resource.
        case instance
    }

    /// A call of an operation. Its description shows no parameters.
    public struct Call: Sendable, CustomStringConvertible, CustomReflectable {
        /// The type at which it was called; nil at the base.
        public let typeName: String?
        /// The JSON of the stored resource at which it was called; nil elsewhere.
        public let resource: Data?
        /// The JSON of a resource Parameters: those in the body, and those in the address as `valueString`. A body that is another resource is the
        /// parameter with the name of its type, `valueSet`.
        public let parameters: Data
        /// The field `Accept-Language`.
        public let language: String?

        /// The type at which it was called.
        public var description: String { "call\(typeName.map { " at \($0)" } ?? "")" }

        /// Shows only the description.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Why an operation has no answer.
    public struct Refusal: Error, Sendable {
        let status: Int
        let outcome: Data

        /// A refusal.
        ///
        /// - Parameters:
        ///   - status: the status, 400 or more.
        ///   - outcome: the JSON of an OperationOutcome, without values of records.
        public init(status: Int, outcome: Data) {
            self.status = max(status, 400)
            self.outcome = outcome
        }
    }

    /// Its name without the dollar sign.
    public let name: String
    /// The canonical address of its OperationDefinition.
    public let definition: String
    /// Where it can be called.
    public let levels: Set<Level>
    /// The types that have it; nil for all.
    public let types: Set<String>?
    /// The types of stored resources that it may look at, whatever it is called at. A token with scopes must permit to read all of each.
    public let reads: Set<String>
    let perform: @Sendable (Call) throws -> Data

    /// An operation.
    ///
    /// - Parameters:
    ///   - name: its name without the dollar sign. Of operations with the same name and place the service's own counts, then the first.
    ///   - definition: the canonical address of its OperationDefinition.
    ///   - levels: where it can be called.
    ///   - types: the types that have it; nil for all. Default: all.
    ///   - reads: the types of stored resources that it may look at. Default: none.
    ///   - perform: performs it, and returns the JSON of a resource. It changes nothing. It is called on a thread that may wait, and may throw
    ///     ``Refusal``; other errors are status 500.
    public init(
        _ name: String, definition: String, levels: Set<Level>, types: Set<String>? = nil, reads: Set<String> = [],
        perform: @escaping @Sendable (Call) throws -> Data
    ) {
        self.name = name
        self.definition = definition
        self.levels = levels
        self.types = types
        self.reads = reads
        self.perform = perform
    }
}

extension FHIRService {
    /// Answers an operation that was registered.
    func registered(
        _ operation: RegisteredOperation, type: String?, id: String?, call: ServiceCall
    ) async throws -> ServiceResponse {
        try requireScopes(for: operation, call)
        return try await store.reading(until: deadline) {
            var resource: Data?
            if let type, let id {
                resource = try self.read { transaction in
                    let run = ReadRun(self, call, transaction)
                    return FHIRJSON.data(try self.shown(try transaction.whole(try run.resource(type, id)), to: call.access, transaction))
                }
            }
            let parameters = try self.parameters(of: call)
            do {
                let answer = try operation.perform(
                    .init(typeName: type, resource: resource, parameters: parameters, language: call.request.fields["Accept-Language"]))
                return try Answer(200, .json(String(decoding: answer, as: UTF8.self))).response(call.presentation, self.release)
            } catch let refusal as RegisteredOperation.Refusal {
                let outcome = Answer(refusal.status, .json(String(decoding: refusal.outcome, as: UTF8.self)))
                return try outcome.response(call.presentation, self.release)
            }
        }
    }

    /// What an operation looks at, it does below what hides resources.
    private func requireScopes(for operation: RegisteredOperation, _ call: ServiceCall) throws {
        guard let scopes = call.access.scopes else { return }
        let isPermitted = operation.reads.allSatisfy { type in
            scopes.contains { $0.context != .patient && $0.conditions.isEmpty && $0.permits(.read, type) }
        }
        guard isPermitted else {
            let types = operation.reads.sorted().joined(separator: ", ")
            throw ServiceFault(403, "forbidden", "the operation needs a token that permits to read \(types) without conditions")
        }
    }

    private func parameters(of call: ServiceCall) throws -> Data {
        var items = call.query.conditions.map { item in
            JSONItem.object(["name": .string(item.name), "valueString": .string(item.value)])
        }
        if call.request.method == .post, !call.request.body.isEmpty {
            let body = try ContentReader(service: self).resource(of: call.request)
            let json: JSONItem
            do { json = try JSONItemReader.read(FHIRJSON.data(body)) } catch {
                throw ServiceFault(400, "structure", "the body cannot be read")
            }
            if body.resourceType == "Parameters" {
                items += json["parameter"]?.items ?? []
            } else {
                let name = body.resourceType.prefix(1).lowercased() + body.resourceType.dropFirst()
                items.append(.object(["name": .string(name), "resource": json]))
            }
        }
        let parameters = JSONItem.object([
            "resourceType": .string("Parameters"), "parameter": items.isEmpty ? nil : .array(items),
        ])
        return Data(parameters.json.utf8)
    }
}
