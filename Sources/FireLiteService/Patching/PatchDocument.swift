import FireLiteClient
import FireLiteCore
import FireLiteXML
import Foundation

/// A patch in one of the forms of FHIR (FHIR, RESTful API, patch).
struct PatchDocument {
    private enum Form {
        case json(JSONPatchDocument)
        case path(FHIRPathPatchDocument)
    }

    private let form: Form
    private let release: FHIRRelease

    /// The patch in the body of a request.
    ///
    /// - Throws: `ServiceFault`: 415 for another form, 400 for one that is malformed.
    init(_ request: ServiceRequest, _ service: FHIRService) throws {
        guard service.hasPatch else { throw ServiceFault(405, "not-supported", "FHIR \(service.release.name) has no patch") }
        let type = MediaType(HeaderElement(request.fields["Content-Type"] ?? "").value)
        if type.isJSONPatch {
            try self.init(json: request.body, service)
        } else if ContentFormat(mediaType: type.name) != nil {
            try self.init(parameters: try ContentReader(service: service).resource(of: request), service)
        } else {
            throw ServiceFault(
                415, "not-supported", "a patch is application/json-patch+json, or Parameters with a FHIRPath Patch", at: "http.Content-Type"
            )
        }
    }

    init(json: Data, _ service: FHIRService) throws {
        release = service.release
        form = .json(try JSONPatchDocument(json))
    }

    init(parameters: FHIRResource, _ service: FHIRService) throws {
        guard parameters.resourceType == "Parameters" else {
            throw ServiceFault(400, "invalid", "a FHIRPath Patch is a resource Parameters", at: parameters.resourceType)
        }
        release = service.release
        form = .path(try FHIRPathPatchDocument(parameters))
    }

    /// A patch as an entry of a Bundle has it: a Binary with a JSON Patch, or Parameters.
    init(entry resource: FHIRResource, _ service: FHIRService) throws {
        guard resource.resourceType == "Binary" else {
            try self.init(parameters: resource, service)
            return
        }
        let text = resource.text("data") ?? resource.text("content")
        guard MediaType(resource.text("contentType") ?? "").isJSONPatch, let data = text.flatMap({ Data(fhirBase64: $0) }) else {
            throw ServiceFault(400, "invalid", "a patch in a Binary is application/json-patch+json", at: "Binary.contentType")
        }
        try self.init(json: data, service)
    }

    /// The resource after the patch, as a new object.
    ///
    /// - Throws: `ServiceFault` with status 422 for a patch that does not apply, or leaves no valid resource.
    func applied(to resource: FHIRResource) throws -> FHIRResource {
        let old: JSONItem
        do { old = try JSONItemReader.read(FHIRJSON.data(resource)) } catch {
            throw ServiceFault(500, "exception", "the resource cannot be patched")
        }
        let new =
            switch form {
            case .json(let patch): try patch.applied(to: old)
            case .path(let patch): try patch.applied(to: old, release)
            }
        guard let whole = new.pruned else { throw ServiceFault(422, "processing", "the patch leaves nothing of the resource") }
        do { return try FHIRJSON.resource(from: Data(whole.json.utf8), release: release) } catch let error as FHIRDecodingError {
            throw ServiceFault(422, "structure", "after the patch: \(error.message)", at: error.path.isEmpty ? nil : error.path)
        }
    }
}

extension FHIRService {
    /// Whether the release has the interaction `patch`.
    var hasPatch: Bool { release.name != "DSTU2" }
}
