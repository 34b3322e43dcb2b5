import FireLiteCore
import Foundation

extension FHIRClient {
    /// Reads a resource.
    ///
    /// - Throws: ``FHIRClientError/Code/notFound``, ``FHIRClientError/Code/gone`` and others; ``AuthorizationError``.
    public func read<Resource: FHIRResource>(_ type: Resource.Type, id: String) async throws -> sending Resource {
        try await resource(type, try .read(type._layout.name, id: id))
    }

    /// Reads a resource by the name of its type.
    ///
    /// - Throws: as ``read(_:id:)``.
    public func read(typeName: String, id: String) async throws -> sending FHIRResource {
        try await resource(FHIRResource.self, try .read(typeName, id: id))
    }

    /// Reads a version of a resource.
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - id: its id.
    ///   - version: the version's id.
    /// - Throws: as ``read(_:id:)``.
    public func read<Resource: FHIRResource>(_ type: Resource.Type, id: String, version: String) async throws -> sending Resource {
        try await resource(type, try .read(type._layout.name, id: id, version: version))
    }

    /// Reads a resource unless the server still has a version.
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - id: its id.
    ///   - version: the known version's id.
    /// - Returns: nil if the server still has that version.
    /// - Throws: as ``read(_:id:)``.
    public func read<Resource: FHIRResource>(
        _ type: Resource.Type, id: String, unlessVersion version: String
    ) async throws -> sending Resource? {
        var request = try FHIRRequest.read(type._layout.name, id: id)
        request.fields["If-None-Match"] = FHIRRequest.entityTag(version)
        let response = try await send(request)
        if response.status == 304 { return nil }
        return try decode(type, response.body, request)
    }

    /// The server's CapabilityStatement, or Conformance in DSTU2.
    ///
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    public func capabilities() async throws -> sending FHIRResource {
        try await resource(FHIRResource.self, FHIRRequest(.get, "metadata"))
    }

    /// The server's CapabilityStatement.
    ///
    /// - Parameter type: CapabilityStatement, or Conformance in DSTU2.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    public func capabilities<Statement: FHIRResource>(_ type: Statement.Type) async throws -> sending Statement {
        try await resource(type, FHIRRequest(.get, "metadata"))
    }
}
