import FireLite
import Foundation

/// The results of a search: one page of matches, and included resources.
public struct SearchResult {
    /// The search.
    public let request: SearchRequest
    let release: FHIRRelease
    /// The resources that match, in their order. With `_containedType=contained` they may be contained in others: see `container(of:)`.
    public let matches: [FHIRResource]
    /// The resources that contain matches: kept, as an object does not keep its owner.
    private let containers: [FHIRResource]
    /// The resources that `_include` and `_revinclude` add, without matches.
    public let included: [FHIRResource]
    /// The number of matches on all pages; nil if they were not counted.
    public let total: Int?
    /// The place of the next page; nil after the last one.
    public let next: SearchCursor?
    /// Parameters that were ignored.
    public let issues: [SearchError]
    /// Which elements the Bundle has; nil for all.
    let subset: SearchSubset?
    /// The base address of links and full URLs, without a slash at its end.
    let base: String?

    init(
        request: SearchRequest, release: FHIRRelease, matches: [FHIRResource], included: [FHIRResource], total: Int?, next: SearchCursor?,
        issues: [SearchError], subset: SearchSubset?, base: String?, containers: [FHIRResource] = []
    ) {
        self.request = request
        self.release = release
        self.matches = matches
        self.included = included
        self.total = total
        self.next = next
        self.issues = issues
        self.subset = subset
        self.base = base
        self.containers = containers
    }

    /// The matches of a type.
    ///
    /// - Parameter type: a generated class.
    public func matches<Resource: FHIRResource>(_ type: Resource.Type) -> [Resource] { matches.compactMap { $0 as? Resource } }

    /// The stored resource that contains a match of a search with `_containedType=contained`; nil for one that is stored on its own.
    ///
    /// - Parameter match: one of the matches.
    public func container(of match: FHIRResource) -> FHIRResource? {
        let root = match.rootObject
        return root === match ? nil : root as? FHIRResource
    }

    /// The reference to a match: `Type/id`, and `Type/id#contained` for one that another resource contains. Nil if an id is missing.
    ///
    /// - Parameter match: one of the matches.
    public func reference(to match: FHIRResource) -> String? {
        guard let container = container(of: match) else { return match.id.map { "\(match.resourceType)/\($0)" } }
        guard let id = container.id, let fragment = match.id else { return nil }
        return "\(container.resourceType)/\(id)#\(fragment)"
    }

    /// The stored resources that are matches or included, or contain a match.
    package var stored: [FHIRResource] {
        var seen: Set<ObjectIdentifier> = []
        return (matches + included).map { container(of: $0) ?? $0 }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The address of the next page; nil after the last one.
    public var nextAddress: String? { next.map { understood.after($0).address } }

    /// The search without what was ignored, as the links of a Bundle state it (FHIR, Search, Server Conformance).
    private var understood: SearchRequest { request.without(Set(issues.compactMap(\.parameter)).subtracting(SearchControl.lists)) }

    // MARK: - Bundle

    /// The results as a Bundle of type `searchset`, in JSON: with `_summary` and `_elements` applied, and an `OperationOutcome` for what was
    /// ignored.
    public var bundleJSON: String { bundleJSON { $0 } }

    /// The same, with what `replacement` returns for each resource.
    package func bundleJSON(_ replacement: (FHIRResource) throws -> FHIRResource) rethrows -> String {
        try bundleJSON(noteBytes: { _ in }, replacement)
    }

    /// The same, with what `replacement` returns for each resource.
    ///
    /// - Parameter noteBytes: gets the number of bytes of each entry, and may throw if there are too many.
    package func bundleJSON(
        noteBytes: (Int) throws -> Void, _ replacement: (FHIRResource) throws -> FHIRResource
    ) rethrows -> String {
        var members = [(name: "resourceType", json: "\"Bundle\""), (name: "type", json: "\"searchset\"")]
        if let total { members.append((name: "total", json: "\(total)")) }
        var links = [link("self", understood.address)]
        if let nextAddress { links.append(link("next", nextAddress)) }
        members.append((name: "link", json: JSONText.array(links)))
        var entries = try matches.map { try entry($0, "match", noteBytes, replacement) }
        entries += try included.map { try entry($0, "include", noteBytes, replacement) }
        if !issues.isEmpty {
            let outcome = SearchError.operationOutcome(issues, severity: "warning")
            entries.append(Self.entry("urn:uuid:" + UUID().uuidString.lowercased(), outcome, "outcome"))
        }
        // FHIR's JSON has no empty lists.
        if !entries.isEmpty { members.append((name: "entry", json: JSONText.array(entries))) }
        return JSONText.object(members)
    }

    private func link(_ relation: String, _ address: String) -> String {
        let url = base.map { $0 + "/" + address } ?? address
        return JSONText.object([(name: "relation", json: JSONText.string(relation)), (name: "url", json: JSONText.string(url))])
    }

    private func entry(
        _ resource: FHIRResource, _ mode: String, _ noteBytes: (Int) throws -> Void, _ replacement: (FHIRResource) throws -> FHIRResource
    ) rethrows -> String {
        // Without elements that are not wanted, so that their payloads are not read.
        let content = try replacement(subset?.applied(to: resource) ?? resource)
        let json = FHIRJSON.string(content)
        try noteBytes(json.utf8.count)
        return Self.entry(fullURL(of: resource), json, mode)
    }

    private static func entry(_ fullURL: String, _ resource: String, _ mode: String) -> String {
        JSONText.object([
            (name: "fullUrl", json: JSONText.string(fullURL)), (name: "resource", json: resource),
            (name: "search", json: "{\"mode\":\"\(mode)\"}"),
        ])
    }

    /// The identity of a resource in a Bundle, which FHIR wants absolute and each entry to have: without a base it is a UUID. That of a contained
    /// resource is its container's, a number sign and its own id.
    private func fullURL(of resource: FHIRResource) -> String {
        if let base, let reference = reference(to: resource) { return "\(base)/\(reference)" }
        if let container = container(of: resource), let id = resource.id { return "\(fullURL(of: container))#\(id)" }
        // A pk that an app has set may be any text.
        return "urn:uuid:" + (UUID(uuidString: resource.pk) ?? UUID()).uuidString.lowercased()
    }

    /// The results as a Bundle of the store's release.
    ///
    /// - Throws: `FHIRDecodingError` if the release has no Bundle.
    public func bundle() throws -> FHIRResource { try FHIRJSON.resource(from: Data(bundleJSON.utf8), release: release) }
}

extension SearchResult {
    /// Results that something else has found, on one page.
    package init(
        _ request: SearchRequest, release: FHIRRelease, matches: [FHIRResource], included: [FHIRResource], total: Int?, base: String?
    ) {
        var base = base
        while base?.hasSuffix("/") ?? false { base?.removeLast() }
        self.init(
            request: request, release: release, matches: matches, included: included, total: total, next: nil, issues: [], subset: nil,
            base: base)
    }
}
