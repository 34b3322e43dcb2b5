import FireLiteCore
import Foundation

extension FHIRClient {
    /// What an operation is called on.
    public enum OperationTarget: Sendable {
        /// The server.
        case system
        /// A type.
        case type(FHIRResource.Type)
        /// A resource.
        case resource(FHIRResource.Type, id: String)
    }

    /// Calls an operation.
    ///
    /// - Parameters:
    ///   - name: its name, `validate` or `$validate`.
    ///   - target: what it is called on.
    ///   - parameters: a Parameters resource, or the operation's only parameter; nil to pass `query` alone, by GET.
    ///   - query: simple parameters, in the address.
    ///   - isolation: the caller's, where the parameters are encoded.
    /// - Returns: the result, of any type; nil if there is none.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    public func operation(
        _ name: String, on target: OperationTarget = .system, _ parameters: FHIRResource? = nil, query: FHIRParameters = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FHIRResource? {
        let request = try Self.operation(name, target: target, body: parameters.map { FHIRJSON.data($0) }, query: query, release: release)
        return try await operationResult(request)
    }

    private func operationResult(_ request: FHIRRequest) async throws -> sending FHIRResource? {
        let response = try await send(request)
        return response.body.isEmpty ? nil : try decode(FHIRResource.self, response.body, request)
    }

    private static func operation(
        _ name: String, target: OperationTarget, body: Data?, query: FHIRParameters, release: FHIRRelease
    ) throws -> FHIRRequest {
        let name = name.hasPrefix("$") ? String(name.dropFirst()) : name
        guard !name.isEmpty, name.utf8.allSatisfy({ 65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 || $0 == 45 || $0 == 95 }) else {
            throw FHIRClientError(.invalidArgument, "the name of an operation has letters, digits, hyphens and underscores")
        }
        let path =
            switch target {
            case .system: "$" + name
            case .type(let type): type._layout.name + "/$" + name
            case .resource(let type, let id): try FHIRRequest.path(type._layout.name, id) + "/$" + name
            }
        guard let body else { return FHIRRequest(.get, path, parameters: query) }
        return FHIRRequest(.post, path, parameters: query, fields: FHIRRequest.contentFields(release), body: body)
    }
}
