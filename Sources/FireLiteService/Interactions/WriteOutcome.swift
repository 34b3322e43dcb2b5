import FireLite
import FireLiteClient
import FireLiteCore
import Foundation

/// What a write did to one resource. Its version is final only after the commit.
struct WriteOutcome {
    let status: Int
    let typeName: String?
    let id: String?
    /// The stored resource; nil if there is none any more.
    let resource: FHIRResource?
    /// What the client may see of it, if that is less.
    private(set) var shown: FHIRResource?

    /// - Parameter shown: what the client may see of the resource; nil for all.
    init(_ status: Int, _ resource: FHIRResource, shown: FHIRResource? = nil) {
        self.shown = shown
        self.status = status
        typeName = resource.resourceType
        id = resource.id
        self.resource = resource
    }

    /// Something was deleted, or nothing was there to delete.
    init(deleted typeName: String, _ id: String?) {
        status = 204
        self.typeName = typeName
        self.id = id
        resource = nil
    }

    var version: Int64? { resource.flatMap { FHIRStore.revision(of: $0) } }

    /// `Location`: the address of the version, below a base.
    func location(_ base: String) -> String? {
        guard let typeName, let id, let version else { return nil }
        return "\(base)/\(typeName)/\(id)/_history/\(version)"
    }

    /// The answer after the commit (FHIR, RESTful API, Managing Return Content).
    func answer(_ call: ServiceCall, _ service: FHIRService) throws -> Answer {
        guard let resource else {
            guard call.presentation.content == .outcome else { return Answer(status) }
            return Answer(200, .json(Self.outcome("the resource is deleted")))
        }
        var fields: HTTPFields = [:]
        fields["ETag"] = version.map(EntityTag.text)
        fields["Last-Modified"] = resource.lastUpdated.map { HTTPDate.text($0) }
        if let location = location(service.base) {
            fields["Location"] = location
            // What DSTU2 has.
            if status == 201 || service.release.name == "DSTU2" { fields["Content-Location"] = location }
        }
        switch call.presentation.content {
        case .minimal: return Answer(status, fields: fields)
        case .outcome: return Answer(status, .json(Self.outcome("the resource is stored")), fields: fields)
        case .representation, nil:
            // Another request may have changed it since: what was stored is in memory.
            return Answer(status, .resource(representation ?? resource), fields: fields)
        }
    }

    /// The resource as the client sees it.
    var representation: FHIRResource? { (shown ?? resource)?.stamped(version: version) }

    static func outcome(_ text: String) -> String {
        ServiceFault.outcomeJSON([ServiceFault.Issue(severity: "information", code: "informational", text: text)])
    }
}
