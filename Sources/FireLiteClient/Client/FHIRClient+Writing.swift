import FireLiteCore
import Foundation

extension FHIRClient {
    /// Creates a resource. The server gives it an id.
    ///
    /// - Parameters:
    ///   - resource: the resource, which stays as it is.
    ///   - condition: search parameters: the resource is created only if none matches them. Nil to create it anyway.
    ///   - isolation: the caller's, where the resource is encoded.
    /// - Returns: the stored resource. If one matched, ``FHIRWriteResult/isCreated`` is false.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resource: Resource, ifNoneExist condition: FHIRParameters? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> FHIRWriteResult<Resource> {
        let request = FHIRRequest.create(resource, ifNoneExist: condition)
        return try await written(Resource.self, request)
    }

    /// Stores a resource by its id: updates it, or creates it if the server lets clients choose ids.
    ///
    /// - Parameters:
    ///   - resource: the resource, which stays as it is.
    ///   - version: the version that it must still have at the server, `meta.versionId` of what was read; nil for any.
    ///   - isolation: the caller's, where the resource is encoded.
    /// - Throws: ``FHIRClientError/Code/preconditionFailed`` or ``FHIRClientError/Code/conflict`` if the version is another;
    ///   ``FHIRClientError/Code/invalidArgument`` if the resource has no id.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resource: Resource, ifMatch version: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> FHIRWriteResult<Resource> {
        let request = try FHIRRequest.update(resource, ifMatch: version)
        return try await written(Resource.self, request)
    }

    /// Stores a resource instead of the one that matches, or as a new one if none does.
    ///
    /// - Parameters:
    ///   - resource: the resource, which stays as it is.
    ///   - condition: search parameters that at most one resource matches.
    ///   - isolation: the caller's, where the resource is encoded.
    /// - Throws: ``FHIRClientError/Code/preconditionFailed`` if several match.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resource: Resource, where condition: FHIRParameters, isolation: isolated (any Actor)? = #isolation
    ) async throws -> FHIRWriteResult<Resource> {
        let request = FHIRRequest.update(resource, where: condition)
        return try await written(Resource.self, request)
    }

    /// Changes parts of a resource by a JSON Patch (RFC 6902).
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - id: its id.
    ///   - json: the patch, an array of operations.
    ///   - version: the version that it must still have at the server; nil for any.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    @discardableResult
    public func patch<Resource: FHIRResource>(
        _ type: Resource.Type, id: String, json: Data, ifMatch version: String? = nil
    ) async throws -> sending FHIRWriteResult<Resource> {
        try await written(type, try .patch(type._layout.name, id: id, json: json, ifMatch: version))
    }

    /// Changes parts of a resource by a FHIRPath Patch (<https://hl7.org/fhir/fhirpatch.html>).
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - id: its id.
    ///   - parameters: a Parameters resource with the operations.
    ///   - version: the version that it must still have at the server; nil for any.
    ///   - isolation: the caller's, where the parameters are encoded.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    @discardableResult
    public func patch<Resource: FHIRResource>(
        _ type: Resource.Type, id: String, parameters: FHIRResource, ifMatch version: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FHIRWriteResult<Resource> {
        let request = try FHIRRequest.patch(type._layout.name, id: id, parameters: parameters, ifMatch: version)
        return try await written(type, request)
    }

    /// Deletes a resource. Deleting a resource that is already deleted is not an error if the server agrees.
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - id: its id.
    ///   - version: the version that it must still have at the server; nil for any.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    public func delete(_ type: FHIRResource.Type, id: String, ifMatch version: String? = nil) async throws {
        try await deleted(.delete(type._layout.name, id: id, ifMatch: version))
    }

    /// Deletes the resource that matches.
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - condition: search parameters, at least one.
    /// - Throws: ``FHIRClientError/Code/preconditionFailed`` if several match and the server deletes only one at a time.
    public func delete(_ type: FHIRResource.Type, where condition: FHIRParameters) async throws {
        try await deleted(.delete(type._layout.name, where: condition))
    }

    /// Sends a request that deletes. What only a page says is not done, and an answer that says nothing is read back.
    private func deleted(_ request: FHIRRequest) async throws { _ = try await confirmed(request) }

    /// Sends a request that writes a resource.
    func written<Resource: FHIRResource>(
        _ type: Resource.Type, _ request: FHIRRequest
    ) async throws -> sending FHIRWriteResult<Resource> {
        let response = try await send(request)
        // An answer that is not one to this request is no success.
        _ = try request.evidence(in: response, release: release)
        let issues = OutcomeIssue.issues(in: response.body)
        let location = ResourceLocation(response.fields["Location"] ?? response.fields["Content-Location"])
        let tag = FHIRRequest.version(inEntityTag: response.fields["ETag"])
        let modified = HTTPDate.date(response.fields["Last-Modified"])
        guard !response.body.isEmpty, issues.isEmpty else {
            return FHIRWriteResult(
                status: response.status, resource: nil, id: location?.id ?? Self.id(in: request), version: tag ?? location?.version,
                lastModified: modified, issues: issues)
        }
        let resource = try decode(type, response.body, request)
        let meta = resource.child("meta")
        return FHIRWriteResult(
            status: response.status, resource: resource, id: resource.id ?? location?.id,
            version: meta?.text("versionId") ?? tag ?? location?.version,
            lastModified: meta?.instant("lastUpdated")?.date ?? modified, issues: [])
    }

    /// The id in a request's path, `Patient/1`.
    private static func id(in request: FHIRRequest) -> String? {
        let parts = request.path.split(separator: "/")
        return parts.count == 2 ? String(parts[1]) : nil
    }
}
