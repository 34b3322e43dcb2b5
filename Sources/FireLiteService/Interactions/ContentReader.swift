import FireLiteClient
import FireLiteCore
import FireLiteXML
import Foundation

/// Reads the resources that clients send, and checks them.
struct ContentReader {
    let service: FHIRService

    /// The form of a body by its field `Content-Type`. A body without one is JSON.
    ///
    /// - Throws: `ServiceFault` with status 415 for a form that the server does not read.
    func format(of request: ServiceRequest) throws -> ContentFormat {
        guard let field = request.fields["Content-Type"], !field.isEmpty else { return .json }
        let element = HeaderElement(field)
        guard let format = ContentFormat(mediaType: element.value) else {
            throw ServiceFault(
                415, "not-supported", "content is application/fhir+json or application/fhir+xml", at: "http.Content-Type")
        }
        if let charset = element.parameter("charset"), charset.lowercased() != "utf-8" {
            throw ServiceFault(415, "not-supported", "content is in UTF-8", at: "http.Content-Type")
        }
        if let version = element.parameter("fhirVersion"), !Presentation.isVersion(version, of: service.release) {
            throw ServiceFault(415, "not-supported", "the server has FHIR \(service.release.version)", at: "http.Content-Type")
        }
        return format
    }

    /// The resource in a body.
    ///
    /// - Throws: `ServiceFault`; `FHIRDecodingError`.
    func resource(of request: ServiceRequest) throws -> FHIRResource {
        let format = try format(of: request)
        guard !request.body.isEmpty else { throw ServiceFault(400, "required", "the body is empty: send a resource") }
        return switch format {
        case .json: try FHIRJSON.resource(from: request.body, release: service.release)
        case .xml: try FHIRXML.resource(from: request.body, release: service.release)
        }
    }

    /// The resource of a type in a body; of content that is no resource, a Binary (FHIR, Binary).
    ///
    /// - Parameter id: the id in the address, which such a Binary gets.
    func resource(_ type: String, of request: ServiceRequest, id: String? = nil) throws -> FHIRResource {
        if type == "Binary", let field = request.fields["Content-Type"], !field.isEmpty,
            ContentFormat(mediaType: HeaderElement(field).value) == nil, let binary = service.release.makeResource(named: type)
        {
            binary.id = id
            binary.setText("contentType", HeaderElement(field).value)
            let name = binary.layout.element(named: "data") == nil ? "content" : "data"
            binary.setText(name, request.body.fhirBase64)
            try setSecurityContext(request.fields[Self.securityContext], of: binary)
            return binary
        }
        let resource = try resource(of: request)
        guard resource.resourceType == type else {
            throw ServiceFault(400, "invalid", "the resource is not of the type \(type)", at: resource.resourceType)
        }
        return resource
    }

    /// The field with the reference that says whose a Binary is (FHIR, Binary, Security Issues).
    static let securityContext = "X-Security-Context"

    private func setSecurityContext(_ text: String?, of binary: FHIRResource) throws {
        guard let text, !text.isEmpty, let element = binary.layout.element(named: "securityContext"), let layout = element.layout else {
            return
        }
        // A reference to a resource of the server is stored like any other.
        let reference = text.hasPrefix(service.base + "/") ? String(text.dropFirst(service.base.count + 1)) : text
        guard reference.utf8.allSatisfy({ 33...126 ~= $0 }), reference.contains("/") else {
            throw ServiceFault(400, "value", "the field is a reference to a resource", at: "http.\(Self.securityContext)")
        }
        let object = layout.makeObject()
        object.setText("reference", reference)
        binary._setObject(element.slot, object)
    }

    /// Refuses content that is not valid.
    ///
    /// - Throws: `ServiceFault` with status 422.
    func check(_ resource: FHIRResource) throws {
        let issues = try self.issues(of: resource, isStored: true).filter { $0.severity == "error" }
        guard issues.isEmpty else { throw ServiceFault(422, Array(issues.prefix(ServiceFault.maximumIssues))) }
    }

    /// What is wrong with content.
    ///
    /// - Parameters:
    ///   - profiles: the canonical addresses of profiles to check, too; nil for what is checked before content is stored.
    ///   - isStored: whether the content is to be stored, which what is undecided prevents like an error.
    func issues(of resource: FHIRResource, against profiles: [String]? = nil, isStored: Bool = false) throws -> [ServiceFault.Issue] {
        let configuration = service.configuration
        if let validator = configuration.validator, configuration.storesOnlyConforming || profiles != nil {
            return try validator.issues(of: resource, against: profiles ?? []).map { issue in
                let severity = isStored && issue.isUndecided ? .error : issue.severity
                return ServiceFault.Issue(severity: severity.rawValue, code: issue.code, text: issue.text, expression: issue.path)
            }
        }
        guard configuration.validates || profiles != nil else { return [] }
        return resource.validate().map { issue in
            ServiceFault.Issue(
                severity: issue.severity == .error ? "error" : "warning", code: Self.code(issue.code), text: issue.message,
                expression: issue.path)
        }
    }

    private static func code(_ code: FHIRIssue.Code) -> String {
        switch code {
        case .missing: "required"
        case .unknownCode: "code-invalid"
        case .format: "value"
        case .constraint: "invariant"
        case .tooMany, .secondChoice, .empty: "structure"
        default: "invalid"
        }
    }
}
