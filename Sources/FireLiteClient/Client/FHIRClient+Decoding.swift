import FireLiteCore
import FireLiteXML
import Foundation

extension FHIRClient {
    /// The resource of an answer.
    ///
    /// - Throws: `FHIRClientError.invalidResponse`, which names the place of a mistake and not its value.
    func decode<Resource: FHIRResource>(
        _ type: Resource.Type, _ body: Data, _ request: FHIRRequest, leniently: Bool = false
    ) throws -> sending Resource {
        let resource: FHIRResource
        do { resource = try read(body, leniently: leniently) } catch let error as FHIRDecodingError {
            let place = error.path.isEmpty ? "at offset \(error.offset)" : "at \(error.path), offset \(error.offset)"
            throw FHIRClientError(
                .invalidResponse, "\(request): the answer is not valid FHIR \(release) (\(error.code.rawValue) \(place))",
                remedy: .readLeniently, status: nil)
        }
        guard let resource = resource as? Resource else {
            throw FHIRClientError(
                .invalidResponse, "\(request): the answer is of type \(resource.resourceType), not \(Resource._layout.name)")
        }
        return resource
    }

    /// Reads a resource as the client is set to.
    ///
    /// - Parameter json: JSON, or what could not be made JSON.
    /// - Throws: `FHIRDecodingError`; `FHIRXMLError`.
    package func read(_ json: Data, leniently: Bool = false) throws -> sending FHIRResource {
        let leniently = leniently || configuration.readsLeniently
        // What is left of XML is not valid, so it is read for its mistake, or leniently.
        if json.isXML {
            return leniently
                ? try FHIRXML.lenientResource(from: json, release: release).resource : try FHIRXML.resource(from: json, release: release)
        }
        if leniently { return try FHIRJSON.lenientResource(from: json, release: release).resource }
        return try FHIRJSON.resource(from: json, release: release)
    }

    /// The resource in an answer, of any type.
    package func decodedResource(_ body: Data) throws -> sending FHIRResource { try decode(FHIRResource.self, body, FHIRRequest(.get, "")) }

    /// Sends a request and decodes the answer, away from the caller's actor.
    func resource<Resource: FHIRResource>(_ type: Resource.Type, _ request: FHIRRequest) async throws -> sending Resource {
        try decode(type, try await send(request).body, request)
    }

    /// The class of a resource type of the release.
    func type(named name: String) throws -> FHIRResource.Type {
        guard let type = release.resourceType(named: name) else {
            throw FHIRClientError(.invalidArgument, "FHIR \(release) has no resource type of this name")
        }
        return type
    }
}
