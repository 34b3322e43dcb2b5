import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

extension ReadRun {
    /// The operations below, which entries of a batch or transaction can call, too.
    static let entryOperations: Set<String> = ["everything", "validate", "meta", "lastn", "docref", "status"]

    /// Answers an operation that reads.
    func operation(_ name: String, _ type: String?, _ id: String?) throws -> Answer {
        switch (name, type, id) {
        case ("everything", let type?, let id?): return try everything(type, id)
        case ("validate", let type?, let id): return try validate(type, id)
        case ("meta", let type, let id): return try meta(type, id)
        case ("lastn", "Observation"?, nil): return try lastObservations()
        case ("docref", "DocumentReference"?, nil): return try documentReferences()
        case ("status", "Subscription"?, let id): return try subscriptionStatus(id)
        default: throw ServiceFault(404, "not-supported", "there is no such operation here")
        }
    }

    /// The parameters of an operation: those of the address, and those of a resource Parameters in the body with simple values.
    func parameters() throws -> QueryItems {
        var items = call.query
        guard call.request.method == .post, !call.request.body.isEmpty else { return items }
        let body = try ContentReader(service: service).resource(of: call.request)
        guard body.resourceType == "Parameters" else {
            throw ServiceFault(400, "invalid", "the body of the operation is a resource Parameters", at: body.resourceType)
        }
        for parameter in body.children("parameter") {
            guard let name = parameter.text("name") else { continue }
            for element in parameter.layout.elements where element.choice?.name == "value[x]" && element.primitive != nil {
                guard let primitive = element.primitive, let text = parameter.plainValue(element.slot)?.literal(primitive) else { continue }
                items.append(name, text)
            }
        }
        return items
    }

    /// `$everything` (FHIR, Patient, Operation $everything).
    private func everything(_ type: String, _ id: String) throws -> Answer {
        try call.require(.read, type)
        // What the client may not read is not there.
        _ = try resource(type, id)
        let items = try parameters()
        var request = SearchRequest(everythingOf: SearchRequest.Compartment(type: type, id: id))
        for item in items.all { request = request.where(item.name, item.value) }
        return try bundle(of: request, items, permission: .read)
    }

    /// `$lastn` (FHIR, Observation, Operation $lastn): the latest observations of each code.
    private func lastObservations() throws -> Answer {
        try call.require(.search, "Observation")
        let items = try parameters()
        let number = items.last("max").map { Int($0) } ?? 1
        guard let number, number > 0 else { throw ServiceFault(400, "value", "max is a number, 1 or more", at: "http.max") }
        // A search ignores a parameter without a value, and would find everybody's observations; so would one for what is missing, or not so.
        let isLimited = items.all.contains { item in
            let name = item.name.prefix { $0 != ":" && $0 != "." }
            return (name == "patient" || name == "subject") && !item.value.isEmpty
                && ![":missing", ":not"].contains { item.name.hasSuffix($0) }
        }
        guard isLimited else {
            throw ServiceFault(400, "required", "$lastn needs the parameter patient or subject", at: "http.patient")
        }
        var request = SearchRequest(type: "Observation").sort("-date").count(service.configuration.limits.included + 1)
        for item in items.all where !["max", "_sort", "_count"].contains(item.name) { request = request.where(item.name, item.value) }
        let result = try seen(.search) { try transaction.search(request, options: options(items)) }
        guard result.next == nil else {
            throw ServiceFault(
                400, "too-costly", "more than \(service.configuration.limits.included) observations match: name codes or a category")
        }
        var counts: [String: (number: Int, lastDate: String)] = [:]
        let latest = result.matches.filter { observation in
            let key = Self.codeKey(observation)
            let date = observation.text("effectiveDateTime") ?? observation.text("effectiveInstant") ?? ""
            let known = counts[key] ?? (0, "")
            // Several of the same moment count as one (the operation's definition).
            let isTie = known.number > 0 && !date.isEmpty && known.lastDate == date
            guard known.number < number || isTie else { return false }
            counts[key] = (isTie ? known.number : known.number + 1, date)
            return true
        }
        let page = SearchResult(
            request, release: release, matches: latest, included: result.included, total: latest.count, base: service.base)
        var versions: [String: Int64] = [:]
        for resource in page.stored { versions[Self.key(resource)] = FHIRStore.revision(of: resource) }
        let json = try page.bundleJSON(noteBytes: size.add) { try transaction.whole($0).stamped(version: versions[Self.key($0)]) }
        return Answer(200, .json(json))
    }

    private static func codeKey(_ observation: FHIRResource) -> String {
        guard let code = observation.child("code") else { return "" }
        let codings = code.children("coding").map { ($0.text("system") ?? "") + "|" + ($0.text("code") ?? "") }.sorted()
        return codings.isEmpty ? code.text("text") ?? "" : codings.joined(separator: ",")
    }

    // MARK: - Validation

    /// `$validate` (FHIR, Resource, Operation $validate).
    private func validate(_ type: String, _ id: String?) throws -> Answer {
        let reader = ContentReader(service: service)
        var issues: [ServiceFault.Issue] = []
        var asksForProfiles = false
        do {
            let (resource, mode, profiles) = try validated(type, id, reader)
            asksForProfiles = !profiles.isEmpty
            if mode == "delete" {
                if let id { _ = try self.resource(type, id) }
            } else if let resource {
                issues = try reader.issues(of: resource, against: profiles)
                if mode == "create", resource.id != nil {
                    issues.append(
                        .init(severity: "information", code: "informational", text: "the server ignores the id of a resource to create"))
                }
                if mode == "update", resource.id == nil {
                    issues.append(.init(code: "required", text: "a resource to update has an id", expression: "\(type).id"))
                }
            }
        } catch let error as FHIRDecodingError {
            issues = ServiceFault(error).issues
        }
        if issues.isEmpty { issues = [.init(severity: "information", code: "informational", text: "no issue was found")] }
        if asksForProfiles, service.configuration.validator == nil {
            issues.append(
                .init(severity: "warning", code: "not-supported", text: "the server checks the base definition only, and no profile"))
        }
        return Answer(200, .json(ServiceFault.outcomeJSON(issues)))
    }

    private func validated(_ type: String, _ id: String?, _ reader: ContentReader) throws -> (
        resource: FHIRResource?, mode: String?, profiles: [String]
    ) {
        var mode = call.query.last("mode")
        var profiles = call.query.values("profile")
        guard call.request.method == .post, !call.request.body.isEmpty else {
            guard let id else { throw ServiceFault(400, "required", "the operation needs a resource") }
            return (try transaction.whole(try self.resource(type, id)), mode, profiles)
        }
        var resource: FHIRResource? = try reader.resource(of: call.request)
        if resource?.resourceType == "Parameters", type != "Parameters" {
            let parameters = resource?.children("parameter") ?? []
            mode = parameters.first { $0.text("name") == "mode" }?.text("valueCode") ?? mode
            profiles += parameters.filter { $0.text("name") == "profile" }.compactMap { parameter in
                parameter.text("valueUri") ?? parameter.text("valueCanonical") ?? parameter.text("valueString")
            }
            resource = parameters.first { $0.text("name") == "resource" }?.child("resource") as? FHIRResource
            if resource == nil, let id { resource = try transaction.whole(try self.resource(type, id)) }
            if resource == nil, mode != "delete" { throw ServiceFault(400, "required", "the operation needs the parameter resource") }
        }
        if let resource, resource.resourceType != type {
            throw ServiceFault(400, "invalid", "the resource is not of the type \(type)", at: resource.resourceType)
        }
        return (resource, mode, profiles)
    }

    // MARK: - Meta

    /// `$meta` (FHIR, Resource, Operation $meta): of a resource, or the profiles, tags and labels in use.
    private func meta(_ type: String?, _ id: String?) throws -> Answer {
        if let type, let id {
            let resource = try resource(type, id)
            return Self.metaAnswer(resource.stamped(version: FHIRStore.revision(of: resource)))
        }
        try call.require(.read, type)
        guard call.access.scopes == nil else {
            throw ServiceFault(403, "forbidden", "$meta of several resources needs a token that permits everything")
        }
        var collected = MetaCollection()
        let types = try type.map { [$0] } ?? transaction.counts().map(\.typeName)
        for name in types {
            try transaction.forEach(typeName: name) { resource in if let meta = resource.child("meta") { collected.add(meta) } }
        }
        return Self.parameters(collected.json)
    }

    static func metaAnswer(_ resource: FHIRResource) -> Answer { parameters(resource.child("meta").map { FHIRJSON.string($0) } ?? "{}") }

    private static func parameters(_ meta: String) -> Answer {
        // An object without members is no value.
        let value = meta == "{}" ? "" : ",\"valueMeta\":\(meta)"
        return Answer(200, .json("{\"resourceType\":\"Parameters\",\"parameter\":[{\"name\":\"return\"\(value)}]}"))
    }
}

/// Collects what several elements `meta` have.
struct MetaCollection {
    private var profiles: Set<String> = []
    private var codings: [String: Set<String>] = ["security": [], "tag": []]

    mutating func add(_ meta: FHIRObject) {
        profiles.formUnion(meta.texts("profile"))
        for name in ["security", "tag"] { for coding in meta.children(name) { codings[name]?.insert(FHIRJSON.string(coding)) } }
    }

    var json: String {
        var members: [(name: String, json: String)] = []
        if !profiles.isEmpty { members.append((name: "profile", json: JSONText.array(profiles.sorted().map { JSONText.string($0) }))) }
        for name in ["security", "tag"] {
            guard let values = codings[name], !values.isEmpty else { continue }
            members.append((name: name, json: JSONText.array(values.sorted())))
        }
        return JSONText.object(members)
    }
}
