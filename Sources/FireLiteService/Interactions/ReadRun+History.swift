import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// An entry of a history: a version that was stored, or a deletion.
private struct HistoryEntry {
    let type: String
    let id: String
    let version: Int64
    let isDeletion: Bool
    /// When it happened; nil if that was before the history was kept.
    let time: Date?
    /// When another version replaced it, or it was deleted; nil for the current one.
    let replaced: Date?
    let content: Content

    enum Content {
        case place(VersionPlace)
        case version(ResourceVersion)
    }

    /// Its place in the order of a history, the newest first: time, then what identifies the version.
    var place: [String] {
        let milliseconds = time.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) } ?? 0
        func wide(_ number: Int64) -> String { String(repeating: "0", count: max(0, 20 - String(number).count)) + String(number) }
        return [wide(max(milliseconds, 0)), wide(version), isDeletion ? "1" : "0", type, id]
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
        guard let type, let id else { return try longHistory(type, since: since, at: at) }
        // A row that is lost may have been one of any resource.
        if let lost = try transaction.lostChanges(after: 0, through: .max) { throw lost.error }
        let history = ResourceHistory(store: store, transaction: transaction, type: type, id: id)
        if try history.isPossible {
            let roots = try history.roots
            if try history.total > 1 { return try longHistory(type, since: since, at: at, of: id, history: history, roots: roots) }
        }
        return try shortHistory(type, id, since: since, at: at)
    }

    /// The history of a resource of which only the content is known, or of a store that keeps no history.
    private func shortHistory(_ type: String, _ id: String, since: DateSpan?, at: DateSpan?) throws -> Answer {
        var entries: [HistoryEntry] = []
        for version in try transaction.history(typeName: type, id: id) {
            guard let known = version.id else { continue }
            func entry(isDeletion: Bool, _ time: Date?) -> HistoryEntry {
                HistoryEntry(
                    type: version.typeName, id: known, version: version.version, isDeletion: isDeletion, time: time,
                    replaced: version.replacedAt, content: .version(version))
            }
            entries.append(entry(isDeletion: false, try version.storedAt ?? transaction.resource(at: version)?.lastUpdated))
            if version.isDeleted { entries.append(entry(isDeletion: true, version.replacedAt)) }
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

    /// A history by pages: of the system or a type without a total, which only a count of all could give; of one resource.
    private func longHistory(
        _ type: String?, since: DateSpan?, at: DateSpan?, of id: String? = nil, history: ResourceHistory? = nil, roots: [Int64]? = nil
    ) throws -> Answer {
        var scan = HistoryScan(store: store, type: type)
        scan.roots = roots
        scan.since = since.map { Self.milliseconds($0.start) }
        scan.span = at.map { Self.milliseconds($0.start)..<max(Self.milliseconds($0.end), Self.milliseconds($0.start)) }
        if call.access.scopes != nil, let type, let id, try seen(.read, { try transaction.resource(typeName: type, id: id) }) == nil {
            throw ServiceFault.notFound
        }
        let isWhole = since == nil && at == nil && call.access.scopes == nil
        let total = try isWhole ? history?.total : nil
        var place = HistoryScan.Place()
        if let text = try cursorText() {
            guard let known = HistoryScan.Place(text) else { throw Self.noCursor }
            place = known
        }
        let size = try pageSize()
        var page: [HistoryEntry] = []
        var next: HistoryScan.Place?
        guard size > 0, try scan.isPossible else { return Answer(200, .json(try bundle([], total: total, next: nil, type, id))) }
        var seen = 0
        let start = place
        try scan.forEach(after: place) { event in
            guard page.count < size, seen < Self.maximumEvents else {
                next = place
                return false
            }
            seen += 1
            place = event.place
            guard let entry = try entry(of: event), since.map({ isSince($0, entry) }) ?? true,
                at.map({ isCurrent(entry, $0) }) ?? true, try call.access.scopes == nil || isVisible(entry)
            else { return true }
            page.append(entry)
            return true
        }
        if id == nil { try requireWhole(scan, from: start, to: next) }
        return Answer(200, .json(try bundle(page[...], total: total, next: next?.text, type, id)))
    }

    /// Refuses a page if the log has lost rows between those that it looked at: a version may be missing in it.
    ///
    /// - Parameters:
    ///   - start: the place after which the page begins.
    ///   - next: where it ends; nil if it is the last one.
    private func requireWhole(_ scan: HistoryScan, from start: HistoryScan.Place, to next: HistoryScan.Place?) throws {
        // What was there before the history has no rows but those that earlier pages passed.
        guard !start.isBefore else { return }
        let isCut = next.map { !$0.isBefore } ?? false
        let first = isCut ? next?.sequence ?? 0 : try scan.floor
        if let lost = try transaction.lostChanges(after: first, through: start.sequence) { throw lost.error }
    }

    private func isSince(_ since: DateSpan, _ entry: HistoryEntry) -> Bool { entry.time.map { $0 >= since.start } ?? false }

    /// The entry of an event; nil for content of a resource that has no id.
    private func entry(of event: HistoryScan.Event) throws -> HistoryEntry? {
        var key = event.key
        var time = event.time
        if key == nil || time == nil, !event.isDeletion, let resource = try store.content(at: event.content, transaction) {
            if key == nil, let id = resource.id { key = (resource.resourceType, id) }
            // What was there before the history says itself when it was changed.
            if time == nil { time = resource.lastUpdated.map(Self.milliseconds) }
        }
        guard let key else { return nil }
        func date(_ milliseconds: Int64?) -> Date? { milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000) } }
        return HistoryEntry(
            type: key.type, id: key.id, version: event.version, isDeletion: event.isDeletion, time: date(time),
            replaced: date(event.replaced),
            content: .place(event.content))
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

    private func content(of entry: HistoryEntry) throws -> FHIRResource? {
        switch entry.content {
        case .place(let place): try store.content(at: place, transaction)
        case .version(let version): try transaction.resource(at: version)
        }
    }

    private func isVisible(_ entry: HistoryEntry) throws -> Bool {
        // Nobody can tell whose a deleted resource was by now.
        guard !entry.isDeletion, let content = try content(of: entry) else { return false }
        return try isVisible(entry.type, entry.id, content, isCurrent: entry.replaced == nil)
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
        let literal = text.replacingBytes(" ", with: "+")
        guard let span = FHIRDateTime(literal)?.span else {
            throw ServiceFault(400, "value", "the value is a date or an instant", at: "http.\(name)")
        }
        return DateSpan(start: span.utc.start.date, end: span.utc.end.date)
    }

    /// Whether a version was current at some time in a span.
    private func isCurrent(_ entry: HistoryEntry, _ span: DateSpan) -> Bool {
        if entry.isDeletion { return entry.time.map { $0 < span.end && $0 >= span.start } ?? false }
        return entry.time ?? .distantPast < span.end && entry.replaced ?? .distantFuture > span.start
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
        let path = "\(entry.type)/\(entry.id)"
        var members = [(name: "fullUrl", json: JSONText.string("\(service.base)/\(path)"))]
        var isFirst = false
        if !entry.isDeletion, let content = try content(of: entry) {
            isFirst = version == 1
            let stamped = try shown(content, version: version, storedAt: entry.time, isCurrent: entry.replaced == nil)
            let part = try store.subset(of: stamped, call.query.all) ?? stamped
            let json = FHIRJSON.string(part)
            try size.add(json.utf8.count)
            members.append((name: "resource", json: json))
        }
        // The file does not keep how a version came. An id that the service cannot have given, came with an update.
        let isCreation = isFirst && RandomUUID.isText(entry.id)
        let method = entry.isDeletion ? "DELETE" : isCreation ? "POST" : "PUT"
        let request = JSONItem.object(["method": .string(method), "url": .string(isCreation ? entry.type : path)])
        let status = entry.isDeletion ? "204" : isFirst ? "201" : "200"
        let response = JSONItem.object([
            "status": .string(status), "location": entry.isDeletion ? nil : .string("\(path)/_history/\(version)"),
            "etag": entry.isDeletion ? nil : .string(EntityTag.text(version)),
            "lastModified": entry.time.map { .string(FHIRInstant($0).literal) },
        ])
        members += [(name: "request", json: request.json), (name: "response", json: response.json)]
        return JSONText.object(members)
    }
}
