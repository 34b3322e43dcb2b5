import FireLite
import Foundation

/// The results of a search: one page of matches, and what comes with them.
public struct SearchResult {
    /// The search.
    public let request: SearchRequest
    let release: FHIRRelease
    /// The resources that match, in their order.
    public let matches: [FHIRResource]
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

    /// The matches of a type.
    ///
    /// - Parameter type: a generated class.
    public func matches<Resource: FHIRResource>(_ type: Resource.Type) -> [Resource] { matches.compactMap { $0 as? Resource } }

    /// The address of the next page; nil after the last one.
    public var nextAddress: String? { next.map { request.after($0).address } }

    // MARK: - Bundle

    /// The results as a Bundle of type `searchset`, in JSON: with `_summary` and `_elements` applied, and an `OperationOutcome` for what was
    /// ignored.
    public var bundleJSON: String {
        var members = [(name: "resourceType", json: "\"Bundle\""), (name: "type", json: "\"searchset\"")]
        if let total { members.append((name: "total", json: "\(total)")) }
        var links = [Self.link("self", request.address)]
        if let nextAddress { links.append(Self.link("next", nextAddress)) }
        members.append((name: "link", json: JSONText.array(links)))
        var entries = matches.map { Self.entry(FHIRJSON.string(subset?.applied(to: $0) ?? $0), "match") }
        entries += included.map { Self.entry(FHIRJSON.string(subset?.applied(to: $0) ?? $0), "include") }
        if !issues.isEmpty { entries.append(Self.entry(SearchError.operationOutcome(issues, severity: "warning"), "outcome")) }
        // FHIR's JSON has no empty lists.
        if !entries.isEmpty { members.append((name: "entry", json: JSONText.array(entries))) }
        return JSONText.object(members)
    }

    private static func link(_ relation: String, _ address: String) -> String {
        JSONText.object([(name: "relation", json: JSONText.string(relation)), (name: "url", json: JSONText.string(address))])
    }

    private static func entry(_ resource: String, _ mode: String) -> String {
        JSONText.object([(name: "resource", json: resource), (name: "search", json: "{\"mode\":\"\(mode)\"}")])
    }

    /// The results as a Bundle of the store's release.
    ///
    /// - Throws: `FHIRDecodingError` if the release has no Bundle.
    public func bundle() throws -> FHIRResource { try FHIRJSON.resource(from: Data(bundleJSON.utf8), release: release) }
}
