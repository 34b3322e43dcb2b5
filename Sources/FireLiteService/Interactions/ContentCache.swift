import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// The JSON of stored resources, as clients that see whole resources get it.
///
/// What is kept of a resource is found by what the store has of it in the snapshot of the request, so that a commit of any process makes it stale; whether a
/// client may see the resource is decided before. It holds no resources of types that clients see in different ways.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class ContentCache: @unchecked Sendable {
    /// A resource in JSON.
    struct Content: Sendable {
        let type: String
        let id: String
        let json: Data
        /// The time of `meta.lastUpdated`.
        let updated: Date?
        /// The header fields `ETag` and `Last-Modified`.
        let tag: String
        let modified: String?

        var reference: String { "\(type)/\(id)" }
    }

    private let lock = NSLock()
    /// What was used lately, and what was used before: the latter is discarded when the former is full.
    private var recent: [StoredContent: Content] = [:]
    private var earlier: [StoredContent: Content] = [:]
    private var recentBytes = 0
    /// Half of the limit of all that is kept, in bytes.
    private let half: Int

    /// What an entry takes besides its JSON, about.
    private static let overhead = 512
    /// Longer resources are not kept.
    private static let longest = 64 << 10

    /// - Parameter limit: the limit of memory, in bytes.
    init(limit: Int) { half = limit / 2 }

    /// What is kept of a resource; nil for nothing.
    subscript(stored: StoredContent) -> Content? {
        lock.withLock {
            if let known = recent[stored] { return known }
            guard let known = earlier.removeValue(forKey: stored) else { return nil }
            insert(known, stored)
            return known
        }
    }

    /// Keeps a resource, unless it is long.
    func keep(_ content: Content, _ stored: StoredContent) {
        guard content.json.count <= Self.longest, half > 0 else { return }
        lock.withLock { insert(content, stored) }
    }

    private func insert(_ content: Content, _ stored: StoredContent) {
        if recent.updateValue(content, forKey: stored) == nil { recentBytes += content.json.count + Self.overhead }
        guard recentBytes > half else { return }
        earlier = recent
        recent = [:]
        recentBytes = 0
    }
}

extension ReadRun {
    /// Whether clients see resources of a type in the same way. Of subscriptions only their owners see all.
    private static func isShared(_ type: String) -> Bool { type != "Subscription" }

    /// Whether the client asks for whole resources in JSON without blanks.
    private var wantsPlainJSON: Bool { call.presentation.format == .json && !call.presentation.isPretty }

    /// The answer to a `read` from the bytes of the resource; nil if it needs the resource.
    func plainRead(_ type: String, _ id: String) throws -> Answer? {
        guard wantsPlainJSON, Self.isShared(type), type != "Binary", !call.query.all.contains(where: { Self.subsetting.contains($0.name) })
        else { return nil }
        try call.require(.read, type)
        guard let stored = try seen(.read, { try transaction.storedContent(typeName: type, id: id) }) else { return nil }
        let content: ContentCache.Content
        if let known = service.contents[stored], known.type == type, known.id == id {
            content = known
        } else {
            let resource = try resource(type, id)
            content = try encoded(resource, stored)
        }
        var fields: HTTPFields = ["ETag": content.tag]
        if let modified = content.modified { fields["Last-Modified"] = modified }
        if isUnchanged(stored.revision, content.updated) { return Answer(304, fields: fields) }
        return Answer(200, .bytes(content.json), fields: fields)
    }

    /// The parameters that leave out parts of a resource.
    private static let subsetting: Set<String> = ["_summary", "_elements"]

    /// The Bundle of a page of matches; nil if one of them has no id.
    func bundle(_ page: MatchPage) throws -> Data? { try encoded(page.keys).map { page.json($0) } }

    /// The matches of a search with these keys, in their order; nil if one has no id.
    private func encoded(_ keys: [Int64]) throws -> [MatchPage.Match]? {
        let stored = try transaction.storedContents(keys: keys)
        var matches = stored.map { one in
            one.flatMap { service.contents[$0] }.map { MatchPage.Match(reference: $0.reference, json: $0.json) }
        }
        for match in matches { if let match { try size.add(match.json.count) } }
        let missing = matches.indices.filter { matches[$0] == nil }
        guard !missing.isEmpty else { return matches.compactMap { $0 } }
        var places: [Int64: Int] = [:]
        for place in missing { places[keys[place]] = place }
        for resource in try transaction.resources(keys: missing.map { keys[$0] }) {
            try transaction.checkCancellation()
            guard let key = transaction.key(of: resource), let place = places[key], let id = resource.id else { return nil }
            if let stored = stored[place], Self.isShared(resource.resourceType) {
                let content = try encoded(resource, stored)
                try size.add(content.json.count)
                matches[place] = MatchPage.Match(reference: content.reference, json: content.json)
            } else {
                let json = FHIRJSON.data(try shown(resource, version: FHIRStore.revision(of: resource)))
                try size.add(json.count)
                matches[place] = MatchPage.Match(reference: "\(resource.resourceType)/\(id)", json: json)
            }
        }
        // Resources without registration or rows are skipped, as by `resources(keys:)`.
        return matches.compactMap { $0 }
    }

    /// Encodes a resource, and keeps what is encoded.
    private func encoded(_ resource: FHIRResource, _ stored: StoredContent) throws -> ContentCache.Content {
        let whole = try shown(resource, version: stored.revision)
        let updated = resource.lastUpdated
        let content = ContentCache.Content(
            type: resource.resourceType, id: resource.id ?? "", json: FHIRJSON.data(whole), updated: updated,
            tag: EntityTag.text(stored.revision), modified: updated.map { HTTPDate.text($0) })
        service.contents.keep(content, stored)
        return content
    }
}
