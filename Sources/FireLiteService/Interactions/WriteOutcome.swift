import FireLite
import FireLiteClient
import FireLiteCore
import Foundation

/// What a write did to one resource. Its version is final only after the commit.
struct WriteOutcome {
    private(set) var status: Int
    let typeName: String?
    let id: String?
    /// The stored resource; nil if there is none any more, or if the answer needs no more of it than its version.
    let resource: FHIRResource?
    /// What the client may see of it, if that is less.
    private(set) var shown: FHIRResource?
    /// Whether the client may read the resource; otherwise answers do not contain it.
    var isReadable = true
    /// The version of a resource that is no object of the store, and when it was stored.
    private var created: (version: Int64, at: String)?

    /// - Parameter shown: what the client may see of the resource; nil for all.
    init(_ status: Int, _ resource: FHIRResource, shown: FHIRResource? = nil) {
        self.shown = shown
        self.status = status
        typeName = resource.resourceType
        id = resource.id
        self.resource = resource
    }

    /// A resource was created.
    ///
    /// - Parameters:
    ///   - time: the literal of its `meta.lastUpdated`.
    ///   - content: the resource, if the answer is to contain it.
    init(created typeName: String, _ id: String, version: Int64, at time: String, content: FHIRResource?) {
        status = 201
        self.typeName = typeName
        self.id = id
        resource = content
        created = (version, time)
    }

    /// Something was deleted, or nothing was there to delete.
    init(deleted typeName: String, _ id: String?) {
        status = 204
        self.typeName = typeName
        self.id = id
        resource = nil
    }

    var version: Int64? { created?.version ?? resource.flatMap { FHIRStore.revision(of: $0) } }

    /// `meta.lastUpdated`; nil if there is no resource any more.
    var updated: String? { created?.at ?? resource?.child("meta")?.instant("lastUpdated")?.literal }

    /// Whether there is a resource.
    var isStored: Bool { created != nil || resource != nil }

    /// The outcome of an entry whose condition finds what this one created.
    var found: WriteOutcome {
        var outcome = self
        outcome.status = 200
        return outcome
    }

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
        case .representation where !isReadable, nil where !isReadable: return Answer(status, fields: fields)
        case .representation, nil:
            // Another request may have changed it since: what was stored is in memory.
            return Answer(status, .resource(representation ?? resource), fields: fields)
        }
    }

    /// The resource as the client sees it.
    var representation: FHIRResource? { isReadable ? (shown ?? resource)?.stamped(version: version) : nil }

    static func outcome(_ text: String) -> String {
        ServiceFault.outcomeJSON([ServiceFault.Issue(severity: "information", code: "informational", text: text)])
    }
}
