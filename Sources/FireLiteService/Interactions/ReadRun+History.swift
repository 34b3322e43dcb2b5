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
        let at = try moment("_at")
        guard let type, let id else { return try longHistory(type, since, at) }
        var entries: [HistoryEntry] = []
        for version in try transaction.history(typeName: type, id: id) where version.id != nil {
            entries.append(HistoryEntry(version: version, isDeletion: false, time: try storedAt(version)))
            if version.isDeleted { entries.append(HistoryEntry(version: version, isDeletion: true, time: version.replacedAt)) }
        }
        if call.access.scopes != nil { entries = try entries.filter(isVisible) }
        if entries.isEmpty { throw ServiceFault.notFound }
        if let since { entries = entries.filter { $0.time.map { $0 >= since.start } ?? false } }
        if let at { entries = entries.filter { isCurrent($0, at) } }
        entries.sort { $1.place.lexicographicallyPrecedes($0.place) }
        let total = entries.count
        if let text = try cursorText() {
            let place = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            entries = entries.filter { $0.place.lexicographicallyPrecedes(place) }
        }
        let size = try pageSize()
        let page = entries.prefix(size)
        let next = entries.count > size && size > 0 ? page.last : nil
        return Answer(200, .json(try bundle(page, total: total, next: next?.place.joined(separator: " "), type, id)))
    }

    /// The rows of a history that a page looks at, at most: of a token that may see few of them, pages are short.
    private static let maximumEvents = 10_000

    /// The history of the system or a type, without a total, which only a count of all could give.
    private func longHistory(_ type: String?, _ since: DateSpan?, _ at: DateSpan?) throws -> Answer {
        var scan = HistoryScan(store: store, type: type)
        scan.since = since.map { Self.milliseconds($0.start) }
        scan.span = at.map { Self.milliseconds($0.start)..<max(Self.milliseconds($0.end), Self.milliseconds($0.start)) }
        var place = HistoryScan.Place()
        if let text = try cursorText() {
            guard let known = HistoryScan.Place(text) else { throw Self.noCursor }
            place = known
        }
        let size = try pageSize()
        var page: [HistoryEntry] = []
        var next: HistoryScan.Place?
        guard size > 0, try scan.isPossible else { return Answer(200, .json(try bundle([], total: nil, next: nil, type, nil))) }
        var versions: [String: [ResourceVersion]] = [:]
        var seen = 0
        try scan.forEach(after: place) { event in
            guard page.count < size, seen < Self.maximumEvents else {
                next = place
                return false
            }
            seen += 1
            place = event.place
            guard let entry = try entry(of: event, &versions), since.map({ isSince($0, entry) }) ?? true,
                at.map({ isCurrent(entry, $0) }) ?? true, try call.access.scopes == nil || isVisible(entry)
            else { return true }
            page.append(entry)
            return true
        }
        return Answer(200, .json(try bundle(page[...], total: nil, next: next?.text, type, nil)))
    }

    private func isSince(_ since: DateSpan, _ entry: HistoryEntry) -> Bool { entry.time.map { $0 >= since.start } ?? false }

    /// The entry of an event; nil for content of a resource that has no id.
    private func entry(of event: HistoryScan.Event, _ known: inout [String: [ResourceVersion]]) throws -> HistoryEntry? {
        var key = event.key
        if key == nil, let resource = try transaction.resource(number: event.root), let id = resource.id {
            key = (resource.resourceType, id)
        }
        guard let key else { return nil }
        let name = "\(key.type)/\(key.id)"
        let versions = try known[name] ?? transaction.history(typeName: key.type, id: key.id)
        known[name] = versions
        func isAt(_ date: Date?, _ time: Int64?) -> Bool { date.map(Self.milliseconds) == time }
        guard let version = versions.first(where: { $0.version == event.version && isAt($0.replacedAt, event.replaced) }) else {
            return nil
        }
        return HistoryEntry(
            version: version, isDeletion: event.isDeletion,
            time: event.isDeletion ? version.replacedAt : try storedAt(version))
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(max(min((date.timeIntervalSince1970 * 1_000).rounded(), 9e17), -9e17))
    }

    private static var noCursor: ServiceFault { ServiceFault(400, "invalid", "this is not a cursor", at: "http._cursor") }

    private func cursorText() throws -> String? {
        guard let text = call.query.last(Self.cursor) else { return nil }
        guard let data = Data(base64URL: text), let place = String(data: data, encoding: .utf8) else { throw Self.noCursor }
        return place
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
        _ entries: ArraySlice<HistoryEntry>, total: Int?, next: String?, _ type: String?, _ id: String?
    ) throws -> String {
        let path = [service.base, type, id, "_history"].compactMap { $0 }.joined(separator: "/")
        func link(_ relation: String, _ parameters: [SearchRequest.Parameter]) -> JSONItem {
            let query = QueryItems.encoded(parameters)
            return .object(["relation": .string(relation), "url": .string(query.isEmpty ? path : path + "?" + query)])
        }
        var links = [link("self", call.query.all)]
        if let next {
            let place = Data(next.utf8).base64URL
            links.append(
                link("next", call.query.all.filter { $0.name != Self.cursor } + [SearchRequest.Parameter(name: Self.cursor, value: place)]))
        }
        var members = [
            (name: "resourceType", json: "\"Bundle\""), (name: "type", json: "\"history\""),
            (name: "link", json: JSONItem.array(links).json),
        ]
        if let total { members.insert((name: "total", json: "\(total)"), at: 2) }
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
