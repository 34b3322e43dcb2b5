import FireLiteCore
import Foundation

extension FHIRClient {
    /// The resource of an answer.
    ///
    /// - Throws: `FHIRClientError.invalidResponse`, which names the place of a mistake and not its value.
    func decode<Resource: FHIRResource>(
        _ type: Resource.Type, _ body: Data, _ request: FHIRRequest
    ) throws -> sending Resource {
        let resource: FHIRResource
        do {
            if configuration.readsLeniently {
                resource = try FHIRJSON.lenientResource(from: body, release: release).resource
            } else {
                resource = try FHIRJSON.resource(from: body, release: release)
            }
        } catch let error as FHIRDecodingError {
            throw FHIRClientError(
                .invalidResponse,
                "\(request): the answer is not valid FHIR \(release) (\(error.code.rawValue) at \(error.path), offset \(error.offset)): "
                    + "set configuration.readsLeniently to read what is valid", status: nil)
        }
        guard let resource = resource as? Resource else {
            throw FHIRClientError(
                .invalidResponse, "\(request): the answer is of type \(resource.resourceType), not \(Resource._layout.name)")
        }
        return resource
    }

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
