import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import FireLiteSearch
import Foundation

extension ReadRun {
    /// `capabilities`: what the server can do, as its release describes servers (FHIR, CapabilityStatement; in DSTU2 Conformance).
    func metadata() throws -> Answer {
        let mode = call.query.last("mode") ?? "full"
        guard mode == "full" || mode == "normative" || mode == "terminology" else {
            throw ServiceFault(400, "value", "the mode is full, normative or terminology", at: "http.mode")
        }
        if mode == "terminology" { return try terminologyCapabilities() }
        let facts = try DescriptionFacts(self)
        // The definitions that searches use are those of the release and of the store.
        let (text, tag) = try service.descriptions.text("metadata \(facts.key)") { try Description(self, facts).json() }
        let fields: HTTPFields = ["Cache-Control": "no-cache", "ETag": tag]
        if let tags = call.request.fields["If-None-Match"], tags == tag { return Answer(304, fields: fields) }
        guard let name = call.query.last("_summary"), name != "false" else { return Answer(200, .json(text), fields: fields) }
        let whole = try FHIRJSON.resource(from: Data(text.utf8), release: release)
        return Answer(200, .resource(try store.subset(of: whole, call.query.all) ?? whole), fields: fields)
    }
}

extension ReadRun {
    /// What the terminology from outside says about itself, with what names the server (FHIR, TerminologyCapabilities).
    private func terminologyCapabilities() throws -> Answer {
        guard let data = service.configuration.terminologyCapabilities, release.hasResourceType(named: "TerminologyCapabilities") else {
            throw ServiceFault(501, "not-supported", "the server has no terminology service", at: "http.mode")
        }
        let given: JSONItem
        do { given = try JSONItemReader.read(data) } catch {
            throw ServiceFault(500, "exception", "the description of the terminology is not JSON")
        }
        let own = JSONItem.object([
            "resourceType": .string("TerminologyCapabilities"), "url": .string(service.base + "/metadata?mode=terminology"),
            "version": .string(FireLiteBuild.version), "name": .string(service.configuration.name), "status": .string("active"),
            "date": .string(Description.date), "kind": .string("instance"),
            "software": .object(["name": .string("FireLite"), "version": .string(FireLiteBuild.version)]),
            "implementation": .object(["description": .string(service.configuration.name), "url": .string(service.base)]),
        ])
        let names = Set(own.members.map(\.name))
        return Answer(200, .json(JSONItem.object(own.members + given.members.filter { !names.contains($0.name) }).json))
    }
}

/// What the description of the server depends on.
struct DescriptionFacts {
    let history: TrackedTypes
    let isReadOnly: Bool
    let hasOwnParameters: Bool

    init(_ run: ReadRun) throws {
        history = try run.transaction.tracked(.history)
        isReadOnly = run.service.configuration.isReadOnly || run.store.configuration.access != .readWrite
        parameters = try run.transaction.remembered("the stored SearchParameters") { try Self.parameters(run.transaction) }
        hasOwnParameters = !parameters.isEmpty
    }

    /// A digest of the stored SearchParameters; empty without any.
    private let parameters: String

    private static func parameters(_ transaction: ReadTransaction) throws -> String {
        let count = try transaction.counts().first { $0.typeName == "SearchParameter" }?.count ?? 0
        guard count > 0 else { return "" }
        var options = SearchOptions()
        options.pageSize = count
        let stored = try transaction.search(SearchRequest(type: "SearchParameter"), options: options).matches
        let text = stored.reduce(into: Data()) { $0.append(FHIRJSON.data($1)) }
        return HashAlgorithm.sha256.digest(of: text).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    var key: String {
        let types: String = if case .only(let names) = history { names.sorted().joined(separator: ",") } else { "all" }
        return "\(types) \(isReadOnly) \(parameters)"
    }
}

/// Makes the description of the server.
private struct Description {
    private let run: ReadRun
    private let facts: DescriptionFacts
    private let release: FHIRRelease
    private let statement: Layout

    init(_ run: ReadRun, _ facts: DescriptionFacts) throws {
        self.run = run
        self.facts = facts
        release = run.release
        guard let layout = release.resourceLayout(named: "CapabilityStatement") ?? release.resourceLayout(named: "Conformance") else {
            throw ServiceFault(501, "not-supported", "FHIR \(release.name) has no description of servers")
        }
        statement = layout
    }

    private var service: FHIRService { run.service }
    private var canWrite: Bool { !facts.isReadOnly }

    private static func texts(_ values: [String]) -> JSONItem { .array(values.map { .string($0) }) }
    private func texts(_ values: [String]) -> JSONItem? { values.isEmpty ? nil : Self.texts(values) }
    private static func codes(_ values: [String]) -> JSONItem { .array(values.map { .object(["code": .string($0)]) }) }

    func json() throws -> String {
        let document = JSONItem.object([
            "resourceType": .string(statement.name), "url": .string(service.base + "/metadata"), "version": .string(FireLiteBuild.version),
            "name": .string(service.configuration.name), "title": .string(service.configuration.name), "status": .string("active"),
            "date": .string(Self.date), "kind": .string("instance"),
            "instantiates": texts(service.configuration.instantiates),
            "software": .object(["name": .string("FireLite"), "version": .string(FireLiteBuild.version)]),
            "implementation": .object(["description": .string(service.configuration.name), "url": .string(service.base)]),
            "fhirVersion": .string(release.version), "acceptUnknown": .string("no"),
            "format": Self.texts(["json", "xml", ContentFormat.json.mediaType(release), ContentFormat.xml.mediaType(release)]),
            "patchFormat": service.hasPatch && canWrite
                ? Self.texts([
                    "application/json-patch+json", XMLPatchDocument.mediaType, ContentFormat.json.mediaType(release),
                    ContentFormat.xml.mediaType(release),
                ])
                : nil,
            "implementationGuide": texts(service.configuration.implementationGuides + subscriptionGuides), "rest": .array([try rest()]),
        ])
        return shaped(document, statement).json
    }

    /// When this description last changed: of the program, not of the day.
    static let date = "2026-11-25"

    private func rest() throws -> JSONItem {
        var interactions = ["search-system"]
        // DSTU2 has a code for both, in `transactionMode`.
        if release.name != "DSTU2" { interactions.append("batch") }
        if canWrite { interactions.append("transaction") }
        if facts.history == .all { interactions.append("history-system") }
        let references = try references()
        let resources = try release.resourceTypeNames.filter { release.resourceLayout(named: $0)?.isResource ?? false }.map {
            try resource($0, references)
        }
        return .object([
            "mode": .string("server"), "documentation": .string(documentation), "security": security, "resource": .array(resources),
            "interaction": Self.codes(interactions), "transactionMode": .string(canWrite ? "both" : "batch"),
            "searchParam": .array([
                parameter("_id", "Resource-id", "token"), parameter("_lastUpdated", "Resource-lastUpdated", "date"),
                parameter("_tag", "Resource-tag", "token"), parameter("_profile", "Resource-profile", "uri"),
                parameter("_security", "Resource-security", "token"), parameter("_type", "Resource-type", "token"),
            ]), "operation": operations(nil),
            "compartment": Self.texts(release.compartmentTypes.map { "http://hl7.org/fhir/CompartmentDefinition/" + $0.lowercased() }),
        ])
    }

    private var documentation: String {
        let limits = service.configuration.limits
        return
            "Limits: \(limits.bodyBytes) bytes of a body, \(limits.targetBytes) bytes of an address, \(limits.entries) entries of a Bundle, "
            + "\(limits.maximumPageSize) results of a page, \(limits.included) included resources. "
            + (facts.history.isEmpty
                ? "The store keeps no history: vread has the current version, and there is no _history."
                : "The store keeps the history of resources.") + subscriptions
    }

    private var hasSubscriptions: Bool { service.hasSubscriptions(facts.history) }

    private var subscriptions: String {
        guard release.hasResourceType(named: "Subscription"), !hasSubscriptions else { return "" }
        let reason = facts.history.isEmpty ? "they need its history" : "the server has no topics for this release, or only reads"
        return " There are no subscriptions: \(reason)."
    }

    /// The guide that brings subscriptions by topic to earlier releases.
    private var subscriptionGuides: [String] {
        let guide = "http://hl7.org/fhir/uv/subscriptions-backport/ImplementationGuide/hl7.fhir.uv.subscriptions-backport"
        return hasSubscriptions && release.name != "R5" ? [guide] : []
    }

    /// The topics of the configuration, as the guide lists them. Those of the store are found as resources.
    private var topics: JSONItem? {
        let url =
            "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/capabilitystatement-subscriptiontopic-canonical"
        guard hasSubscriptions, !service.configuration.topics.isEmpty else { return nil }
        return .array(
            service.configuration.topics.map { .object(["url": .string(url), "valueCanonical": .string($0.url)]) })
    }

    private var security: JSONItem? {
        guard service.configuration.authorizer != nil else { return nil }
        let system =
            release.name == "DSTU2" || release.name == "STU3"
            ? "http://hl7.org/fhir/restful-security-service"
            : "http://terminology.hl7.org/CodeSystem/restful-security-service"
        let coding = JSONItem.object(["system": .string(system), "code": .string("SMART-on-FHIR")])
        return .object(["service": .array([.object(["coding": .array([coding])])])])
    }

    private func parameter(_ name: String, _ url: String, _ type: String) -> JSONItem {
        .object(["name": .string(name), "definition": .string("http://hl7.org/fhir/SearchParameter/" + url), "type": .string(type)])
    }

    // MARK: - Types

    /// The reference parameters that lead to a type, by the type.
    private func references() throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for name in release.resourceTypeNames {
            guard let layout = release.resourceLayout(named: name) else { continue }
            for parameter in try run.transaction.searchParameters(of: layout) where parameter.kind == "reference" {
                for target in parameter.targets { found[target, default: []].append("\(name):\(parameter.code)") }
            }
        }
        return found
    }

    private func resource(_ name: String, _ references: [String: [String]]) throws -> JSONItem {
        guard let layout = release.resourceLayout(named: name) else { return .object([:]) }
        let hasHistory = facts.history.contains(name)
        var interactions = ["read", "vread", "search-type"]
        if canWrite {
            interactions += ["create", "update", "delete"]
            if service.hasPatch { interactions.append("patch") }
        }
        if hasHistory { interactions += ["history-instance", "history-type"] }
        let parameters = try run.transaction.searchParameters(of: layout)
        let includes = parameters.filter { $0.kind == "reference" }.map { "\(name):\($0.code)" }
        let isOld = release.name == "DSTU2" || release.name == "STU3"
        let profile = "http://hl7.org/fhir/StructureDefinition/" + name
        return .object([
            "extension": name == "Subscription" ? topics : nil, "type": .string(name),
            "profile": isOld ? .object(["reference": .string(profile)]) : .string(profile),
            "supportedProfile": texts(service.configuration.supportedProfiles[name] ?? []),
            "interaction": Self.codes(interactions), "versioning": .string("versioned"), "readHistory": .bool(hasHistory),
            "updateCreate": .bool(canWrite), "conditionalCreate": .bool(canWrite), "conditionalRead": .string("full-support"),
            "conditionalUpdate": .bool(canWrite), "conditionalPatch": .bool(canWrite && service.hasPatch),
            "conditionalDelete": .string(deletions),
            "referencePolicy": Self.texts(["literal", "logical", "local"]),
            "searchInclude": includes.isEmpty ? nil : Self.texts(["*"] + includes),
            "searchRevInclude": references[name].map { Self.texts($0) },
            "searchParam": parameters.isEmpty
                ? nil
                : .array(
                    parameters.map {
                        .object(["name": .string($0.code), "definition": .string($0.url), "type": .string($0.kind)])
                    }), "operation": operations(name),
        ])
    }

    private var deletions: String { !canWrite ? "not-supported" : service.configuration.conditionalDeletions > 1 ? "multiple" : "single" }

    private func operations(_ type: String?) -> JSONItem? {
        let found = ServiceOperation.all(of: service).filter {
            $0.isOffered(by: service, canWrite: canWrite) && $0.applies(to: type, release)
        }
        guard !found.isEmpty else { return nil }
        let isOld = release.name == "DSTU2" || release.name == "STU3"
        return .array(
            found.map { operation in
                .object([
                    "name": .string(operation.name),
                    "definition": isOld ? .object(["reference": .string(operation.definition)]) : .string(operation.definition),
                ])
            })
    }

    // MARK: - Shapes

    /// The JSON without members that a class of the release lacks.
    private func shaped(_ item: JSONItem, _ layout: Layout) -> JSONItem {
        switch item.content {
        case .array(let items): return .array(items.map { shaped($0, layout) })
        case .object(let members):
            return .object(
                members.compactMap { member -> JSONItem.Member? in
                    if member.name == "resourceType" { return member }
                    guard let element = layout.element(named: member.name) else { return nil }
                    guard let inner = element.layout else { return member }
                    return JSONItem.Member(name: member.name, value: shaped(member.value, inner))
                })
        default: return item
        }
    }
}
