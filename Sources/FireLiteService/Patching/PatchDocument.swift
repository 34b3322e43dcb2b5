import FireLiteClient
import FireLiteCore
import FireLiteXML
import Foundation

/// A patch in one of the forms of FHIR (FHIR, RESTful API, patch).
struct PatchDocument {
    private enum Form {
        case json(JSONPatchDocument)
        case path(FHIRPathPatchDocument)
        case xml(XMLPatchDocument)
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
        } else if type.name == XMLPatchDocument.mediaType {
            try self.init(xml: request.body, service)
        } else if ContentFormat(mediaType: type.name) != nil {
            try self.init(parameters: try ContentReader(service: service).resource(of: request), service)
        } else {
            throw ServiceFault(
                415, "not-supported",
                "a patch is application/json-patch+json, \(XMLPatchDocument.mediaType), or Parameters with a FHIRPath Patch",
                at: "http.Content-Type")
        }
    }

    init(json: Data, _ service: FHIRService) throws {
        release = service.release
        form = .json(try JSONPatchDocument(json))
    }

    init(xml: Data, _ service: FHIRService) throws {
        release = service.release
        form = .xml(try XMLPatchDocument(xml))
    }

    init(parameters: FHIRResource, _ service: FHIRService) throws {
        guard parameters.resourceType == "Parameters" else {
            throw ServiceFault(400, "invalid", "a FHIRPath Patch is a resource Parameters", at: parameters.resourceType)
        }
        release = service.release
        form = .path(try FHIRPathPatchDocument(parameters))
    }

    /// A patch as an entry of a Bundle has it: a Binary with a JSON Patch or an XML Patch, or Parameters.
    init(entry resource: FHIRResource, _ service: FHIRService) throws {
        guard resource.resourceType == "Binary" else {
            try self.init(parameters: resource, service)
            return
        }
        let text = resource.text("data") ?? resource.text("content")
        let type = MediaType(resource.text("contentType") ?? "")
        guard type.isJSONPatch || type.name == XMLPatchDocument.mediaType, let data = text.flatMap({ Data(fhirBase64: $0) }) else {
            throw ServiceFault(
                400, "invalid", "a patch in a Binary is application/json-patch+json or \(XMLPatchDocument.mediaType)",
                at: "Binary.contentType")
        }
        if type.isJSONPatch { try self.init(json: data, service) } else { try self.init(xml: data, service) }
    }

    /// Whether its outcome may tell of values of the resource, as it compares them, or selects elements by them.
    var readsValues: Bool {
        if case .json(let patch) = form { patch.tests } else { true }
    }

    /// The resource after the patch, as a new object.
    ///
    /// - Throws: `ServiceFault` with status 422 for a patch that does not apply, or leaves no valid resource.
    func applied(to resource: FHIRResource) throws -> FHIRResource {
        do {
            switch form {
            case .json(let patch): return try self.resource(try patch.applied(to: try Self.item(resource)))
            case .path(let patch): return try self.resource(try patch.applied(to: try Self.item(resource), release))
            case .xml(let patch): return try FHIRXML.resource(from: try patch.applied(to: try FHIRXML.data(resource)), release: release)
            }
        } catch let error as FHIRDecodingError {
            throw ServiceFault(422, "structure", "after the patch: \(error.message)", at: error.path.isEmpty ? nil : error.path)
        }
    }

    private static func item(_ resource: FHIRResource) throws -> JSONItem {
        do { return try JSONItemReader.read(FHIRJSON.data(resource)) } catch {
            throw ServiceFault(500, "exception", "the resource cannot be patched")
        }
    }

    private func resource(_ new: JSONItem) throws -> FHIRResource {
        guard let whole = new.pruned else { throw ServiceFault(422, "processing", "the patch leaves nothing of the resource") }
        return try FHIRJSON.resource(from: Data(whole.json.utf8), release: release)
    }
}

extension FHIRService {
    /// Whether the release has the interaction `patch`.
    var hasPatch: Bool { release.name != "DSTU2" }
}
