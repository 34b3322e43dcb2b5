import FireLiteCore
import Foundation

extension FHIRClient {
    /// Searches for resources of a type.
    ///
    /// ```swift
    /// for try await page in client.search(Patient.self, ["name": "Smith"]) { show(page.matches) }
    /// ```
    /// - Parameters:
    ///   - type: the class.
    ///   - parameters: search parameters; none for every resource of the type.
    ///   - usesPost: whether the parameters are sent in the body, so that they appear in no log of addresses.
    /// - Returns: the pages. Nothing is sent before the first one is asked for.
    public func search<Resource: FHIRResource>(
        _ type: Resource.Type, _ parameters: FHIRParameters = [:], usesPost: Bool = false
    ) -> FHIRPages<Resource> {
        FHIRPages(client: self, request: Self.search(type._layout.name, parameters, usesPost), start: nil)
    }

    /// Searches for resources of a type by its name.
    ///
    /// - Parameters:
    ///   - typeName: the type.
    ///   - parameters: search parameters; none for every resource of the type.
    ///   - usesPost: whether the parameters are sent in the body.
    /// - Returns: the pages, with the resources of the type as matches.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if the release has no such type.
    public func search(
        typeName: String, _ parameters: FHIRParameters = [:], usesPost: Bool = false
    ) throws -> FHIRPages<FHIRResource> {
        FHIRPages(client: self, request: Self.search(try type(named: typeName)._layout.name, parameters, usesPost), start: nil)
    }

    /// Goes on with a search at one of its pages, also in another run of the program.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - page: what ``FHIRPage/next`` was.
    public func search<Resource: FHIRResource>(_ type: Resource.Type, from page: URL) -> FHIRPages<Resource> {
        FHIRPages(client: self, request: FHIRRequest(.get, type._layout.name), start: page)
    }

    /// The number of resources that match, without reading them.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - parameters: search parameters; none for every resource of the type.
    /// - Returns: nil if the server does not say.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    public func count(_ type: FHIRResource.Type, _ parameters: FHIRParameters = [:]) async throws -> Int? {
        try await bundle(Self.search(type._layout.name, parameters + ["_summary": "count"], false), at: nil).total
    }

    /// Every resource about one: the operation `$everything`.
    ///
    /// - Parameters:
    ///   - type: Patient, Encounter or another class that the server offers it for.
    ///   - id: the resource's id; nil for all of the type.
    ///   - parameters: the operation's parameters, `["_since": "2024-01-01"]`.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if that is no id.
    public func everything(
        _ type: FHIRResource.Type, id: String?, _ parameters: FHIRParameters = [:]
    ) throws -> FHIRPages<FHIRResource> {
        let path = try id.map { try FHIRRequest.path(type._layout.name, $0) } ?? type._layout.name
        return FHIRPages(client: self, request: FHIRRequest(.get, path + "/$everything", parameters: parameters), start: nil)
    }

    private static func search(_ typeName: String, _ parameters: FHIRParameters, _ usesPost: Bool) -> FHIRRequest {
        guard usesPost else { return FHIRRequest(.get, typeName, parameters: parameters) }
        return FHIRRequest(
            .post, typeName + "/_search", fields: ["Content-Type": MediaType.form],
            body: Data(parameters.query.utf8), isRepeatable: true)
    }
}
