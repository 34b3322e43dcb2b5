import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// An entry of a history: a version that was stored, or a deletion.
private struct HistoryEntry {
    let version: ResourceVersion
    let isDeletion: Bool
    /// When it happened; nil if that was before the history was kept.
    let time: Date?

    /// Its place in the order of a history, the newest first: time, then what identifies the version.
    var place: [String] {
        let milliseconds = time.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) } ?? 0
        func wide(_ number: Int64) -> String { String(repeating: "0", count: max(0, 20 - String(number).count)) + String(number) }
        return [wide(max(milliseconds, 0)), wide(version.version), isDeletion ? "1" : "0", version.typeName, version.id ?? ""]
    }
}

extension ReadRun {
    /// The parameter with a place in a history.
    private static let cursor = "_cursor"

    /// `history` of an instance, a type and the system (FHIR, RESTful API, History).
    func history(_ type: String?, _ id: String?) throws -> Answer {
        try call.require(.read, type)
        let since = try moment("_since")
        var entries: [HistoryEntry] = []
        for version in try versions(type, id, since) where version.id != nil {
            entries.append(HistoryEntry(version: version, isDeletion: false, time: try storedAt(version)))
            if version.isDeleted { entries.append(HistoryEntry(version: version, isDeletion: true, time: version.replacedAt)) }
        }
        if call.access.scopes != nil { entries = try entries.filter(isVisible) }
        if id != nil, entries.isEmpty { throw ServiceFault.notFound }
        if let since { entries = entries.filter { $0.time.map { $0 >= since.start } ?? false } }
        if let at = try moment("_at") { entries = entries.filter { isCurrent($0, at) } }
        entries.sort { $1.place.lexicographicallyPrecedes($0.place) }
        let total = entries.count
        if let text = call.query.last(Self.cursor) {
            guard let data = Data(base64URL: text) else { throw ServiceFault(400, "invalid", "this is not a cursor", at: "http._cursor") }
            let place = String(decoding: data, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            entries = entries.filter { $0.place.lexicographicallyPrecedes(place) }
        }
        let size = try pageSize()
        let page = entries.prefix(size)
        let next = entries.count > size && size > 0 ? page.last : nil
        return Answer(200, .json(try bundle(page, total: total, next: next, type, id)))
    }

    private func versions(_ type: String?, _ id: String?, _ since: DateSpan?) throws -> [ResourceVersion] {
        if let type, let id { return try transaction.history(typeName: type, id: id) }
        return try transaction.history(typeName: type, since: since?.start ?? .distantPast)
    }

    /// When a version was stored: by the history, or as its content says.
    private func storedAt(_ version: ResourceVersion) throws -> Date? {
        if let time = version.storedAt { return time }
        return try transaction.resource(at: version)?.lastUpdated
    }

    private func isVisible(_ entry: HistoryEntry) throws -> Bool {
        // Nobody can tell whose a deleted resource was by now.
        guard !entry.isDeletion, let content = try transaction.resource(at: entry.version) else { return false }
        return try isVisible(entry.version, content)
    }

    // MARK: - Parameters

    private struct DateSpan {
        let start: Date
        let end: Date
    }

    /// The time of a parameter, which may be a part of a date.
    private func moment(_ name: String) throws -> DateSpan? {
        guard let text = call.query.last(name) else { return nil }
        // A plus sign that was not encoded is a blank by now.
        let literal = text.replacing(" ", with: "+")
        guard let span = FHIRDateTime(literal)?.span else {
            throw ServiceFault(400, "value", "the value is a date or an instant", at: "http.\(name)")
        }
        return DateSpan(start: span.utc.start.date, end: span.utc.end.date)
    }

    /// Whether a version was current at some time in a span.
    private func isCurrent(_ entry: HistoryEntry, _ span: DateSpan) -> Bool {
        if entry.isDeletion { return entry.time.map { $0 < span.end && $0 >= span.start } ?? false }
        return entry.time ?? .distantPast < span.end && entry.version.replacedAt ?? .distantFuture > span.start
    }

    private func pageSize() throws -> Int {
        let limits = service.configuration.limits
        guard let text = call.query.last("_count") else { return limits.pageSize }
        guard let number = Int(text), number >= 0 else {
            throw ServiceFault(400, "value", "the value is a number, 0 or more", at: "http._count")
        }
        return min(number, limits.maximumPageSize)
    }

    // MARK: - Bundle

    private func bundle(
        _ entries: ArraySlice<HistoryEntry>, total: Int, next: HistoryEntry?, _ type: String?, _ id: String?
    ) throws -> String {
        let path = [service.base, type, id, "_history"].compactMap { $0 }.joined(separator: "/")
        func link(_ relation: String, _ parameters: [SearchRequest.Parameter]) -> JSONItem {
            let query = QueryItems.encoded(parameters)
            return .object(["relation": .string(relation), "url": .string(query.isEmpty ? path : path + "?" + query)])
        }
        var links = [link("self", call.query.all)]
        if let next {
            let place = Data(next.place.joined(separator: " ").utf8).base64URL
            links.append(
                link("next", call.query.all.filter { $0.name != Self.cursor } + [SearchRequest.Parameter(name: Self.cursor, value: place)]))
        }
        var members = [
            (name: "resourceType", json: "\"Bundle\""), (name: "type", json: "\"history\""), (name: "total", json: "\(total)"),
            (name: "link", json: JSONItem.array(links).json),
        ]
        let items = try entries.map(entry)
        if !items.isEmpty { members.append((name: "entry", json: JSONText.array(items))) }
        return JSONText.object(members)
    }

    private func entry(_ entry: HistoryEntry) throws -> String {
        let version = entry.version
        let path = "\(version.typeName)/\(version.id ?? "")"
        var members = [(name: "fullUrl", json: JSONText.string("\(service.base)/\(path)"))]
        var isFirst = false
        if !entry.isDeletion, let content = try transaction.resource(at: version) {
            isFirst = version.version == 1
            let stamped = try transaction.whole(content).stamped(version: version.version, storedAt: entry.time)
            let part = try store.subset(of: stamped, call.query.all) ?? stamped
            members.append((name: "resource", json: FHIRJSON.string(part)))
        }
        let method = entry.isDeletion ? "DELETE" : isFirst ? "POST" : "PUT"
        let request = JSONItem.object(["method": .string(method), "url": .string(isFirst ? version.typeName : path)])
        let status = entry.isDeletion ? "204" : isFirst ? "201" : "200"
        let response = JSONItem.object([
            "status": .string(status), "location": entry.isDeletion ? nil : .string("\(path)/_history/\(version.version)"),
            "etag": entry.isDeletion ? nil : .string(EntityTag.text(version.version)),
            "lastModified": entry.time.map { .string(FHIRInstant($0).literal) },
        ])
        members += [(name: "request", json: request.json), (name: "response", json: response.json)]
        return JSONText.object(members)
    }
}
