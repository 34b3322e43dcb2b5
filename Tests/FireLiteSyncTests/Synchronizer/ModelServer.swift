import FireLiteCore
import FireLiteR4
import Foundation

@testable import FireLiteClient
@testable import FireLiteSync

/// A FHIR server in memory that does what the standard says, and faults on purpose.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ModelServer: HTTPTransport, @unchecked Sendable {
    struct Version: Sendable {
        let number: Int
        let time: Int64
        /// The content with its meta; nil of a deletion.
        let json: String?
        let method: String
    }

    /// What the tests set.
    struct Behavior: Sendable {
        var hasTransactions = true
        var hasBatches = true
        var hasHistory = true
        var sorts = true
        var patchFormats: [String] = []
        /// The status with which a resource is refused; nil to accept it.
        var refuses: @Sendable (FHIRResource) -> Int? = { _ in nil }
        /// Whether a target of a reference must exist.
        var checksReferences = false
        /// Whether PUT replaces what there is although it must not: not every server knows `If-None-Match`.
        var ignoresIfNoneMatch = false
        /// Whether answers to writes have no versions.
        var hidesVersions = false
        /// Whether answers to writes are empty, as with `Prefer: return=minimal`.
        var returnsNothing = false
        /// What the server adds to each new resource.
        var adds: @Sendable (FHIRResource) -> Void = { _ in }
        /// What the server changes in each state that it stores.
        var changes: @Sendable (FHIRResource) -> Void = { _ in }
        /// Whether self links repeat `_sort` although it is ignored.
        var echoesSort = false
        /// Whether `_count`, `_since` and `_lastUpdated`, or `_elements` are ignored.
        var ignoresCount = false
        var ignoresSince = false
        /// Whether Bundles have no total.
        var hidesTotals = false
        /// Whether an empty list is written as such, which is not valid.
        var writesEmptyLists = false
        /// The types of its CapabilityStatement.
        var types = ["Patient", "Observation", "Encounter", "Basic"]
        /// Parameters of searches that are ignored, and not in the self link.
        var ignored: Set<String> = []
        /// How much the server's clock is ahead of the one by which changes are dated, in milliseconds.
        var clockSkew: Int64 = 0
        /// The text that comes instead of a resource; nil for the resource.
        var garbles: @Sendable (SyncKey, String) -> String? = { _, _ in nil }
        /// Called before each request with its number; a response or an error goes back instead of an answer.
        var before: (@Sendable (HTTPRequest, Int) throws -> HTTPResponse?)?
        /// Called after each request with its number; what it throws goes back although the request was done.
        var after: (@Sendable (HTTPRequest, Int) throws -> Void)?
    }

    let release: FHIRRelease
    private let lock = NSLock()
    private var versions: [SyncKey: [Version]] = [:]
    private var time: Int64 = 1_700_000_000_000
    private var log: [HTTPRequest] = []
    private var nextID = 0
    private var state = Behavior()

    init(release: FHIRRelease = .r4) { self.release = release }

    var behavior: Behavior {
        get { lock.withLock { state } }
        set { lock.withLock { state = newValue } }
    }
    var requests: [HTTPRequest] { lock.withLock { log } }
    /// The writes that were asked for.
    var writes: [HTTPRequest] { requests.filter { $0.method != .get } }
    /// What every resource is now, without meta.
    var contents: [String: String] {
        lock.withLock { Dictionary(uniqueKeysWithValues: current.map { ($0.key.path, Self.plain($0.json)) }) }
    }
    var history: [SyncKey: [Version]] { lock.withLock { versions } }

    /// The server's time, which every write moves on.
    var now: Int64 { lock.withLock { time } }

    /// The versions of resources that have more than are known.
    func newVersions(after known: [SyncKey: Int]) -> [SyncKey: [Version]] {
        lock.withLock { versions.filter { $0.value.count > known[$0.key] ?? 0 } }
    }
    func exists(_ key: SyncKey) -> Bool { lock.withLock { versions[key]?.last?.json != nil } }

    private var current: [(key: SyncKey, json: String)] {
        versions.compactMap { key, all in all.last?.json.map { (key, $0) } }
    }

    /// JSON that the library wrote, without meta, which follows the type and the id.
    static func plain(_ json: String) -> String {
        var json = json
        let range: Swift.Range<Int>? = json.withUTF8 { bytes in
            var place = 1
            var start = 0
            while place < bytes.count, bytes[place] == UInt8(ascii: "\"") {
                start = place
                let name = skipText(bytes, &place)
                guard place < bytes.count, bytes[place] == UInt8(ascii: ":") else { return nil }
                place += 1
                if name.elementsEqual("meta".utf8), place < bytes.count, bytes[place] == UInt8(ascii: "{") {
                    skipObject(bytes, &place)
                    return start - 1..<place
                }
                guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
                _ = skipText(bytes, &place)
                place += 1
            }
            return nil
        }
        guard let range else { return json }
        let utf8 = json.utf8
        let first = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        json.removeSubrange(first..<utf8.index(first, offsetBy: range.count))
        return json
    }

    /// - Returns: the text between the quotation marks.
    private static func skipText(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> UnsafeBufferPointer<UInt8>.SubSequence {
        let start = place + 1
        place = start
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        place += 1
        return bytes[start..<min(place - 1, bytes.count)]
    }

    private static func skipObject(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) {
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                _ = skipText(bytes, &place)
                continue
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            default: break
            }
            place += 1
            if depth == 0 { return }
        }
    }

    func clear() { lock.withLock { log = [] } }

    /// Another client writes.
    func put(_ resource: FHIRResource) {
        lock.withLock {
            time += 1_000
            _ = store(SyncKey(typeName: resource.resourceType, id: resource.id ?? "x"), resource, "PUT")
        }
    }

    func remove(_ typeName: String, _ id: String) {
        lock.withLock {
            time += 1_000
            let key = SyncKey(typeName: typeName, id: id)
            versions[key, default: []].append(Version(number: (versions[key]?.count ?? 0) + 1, time: time, json: nil, method: "DELETE"))
        }
    }

    func version(_ typeName: String, _ id: String) -> Int {
        lock.withLock { versions[SyncKey(typeName: typeName, id: id)]?.last?.number ?? 0 }
    }

    // MARK: - Answers

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (number, behavior) = lock.withLock {
            log.append(request)
            return (log.count - 1, state)
        }
        if let answer = try behavior.before?(request, number) { return answer }
        let answer = self.answer(request)
        try behavior.after?(request, number)
        return answer
    }

    /// Does what a request asks for.
    func answer(_ request: HTTPRequest) -> HTTPResponse {
        lock.withLock {
            guard let components = URLComponents(url: request.url, resolvingAgainstBaseURL: false) else { return HTTPResponse(400) }
            let path = Array(components.path.split(separator: "/").map(String.init).dropFirst())
            let query = components.queryItems ?? []
            if request.method == .get, !state.ignored.isEmpty {
                var used = components
                used.queryItems = query.filter { !state.ignored.contains($0.name) }
                return read(path, used.queryItems ?? [], used.url ?? request.url)
            }
            if request.method == .get { return read(path, query, request.url) }
            time += 1
            if path.isEmpty, request.method == .post { return bundle(request) }
            let answer = write(request.method.rawValue, path, query, resource(request.body), request.fields)
            if answer.status >= 400 { return outcome(answer.status) }
            var fields: HTTPFields = [:]
            if let version = answer.version, !state.hidesVersions { fields["ETag"] = "W/\"\(version)\"" }
            if let key = answer.key { fields["Location"] = "\(testBase.absoluteString)/\(key.path)/_history/\(answer.version ?? 0)" }
            if state.hidesVersions { fields["Location"] = answer.key.map { "\(testBase.absoluteString)/\($0.path)" } }
            guard !state.returnsNothing, !state.hidesVersions, let key = answer.key, let json = versions[key]?.last?.json else {
                return HTTPResponse(answer.status, fields: fields)
            }
            return .json(state.garbles(key, json) ?? json, answer.status, fields)
        }
    }

    private func outcome(_ status: Int) -> HTTPResponse {
        .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid","diagnostics":"no"}]}"#, status)
    }

    // MARK: - Writing

    private struct Answer {
        var status: Int
        var key: SyncKey?
        var version: Int?
    }

    private func store(_ key: SyncKey, _ resource: FHIRResource, _ method: String) -> Int {
        let number = (versions[key]?.last?.number ?? 0) + 1
        if versions[key]?.last?.json == nil { state.adds(resource) }
        state.changes(resource)
        if let slot = resource.layout.element(named: "meta")?.slot, let layout = resource.layout.elements[slot].layout {
            let meta = resource.child("meta") ?? layout.makeObject()
            if let slot = meta.layout.element(named: "versionId")?.slot { meta._setString(slot, "\(number)") }
            if let slot = meta.layout.element(named: "lastUpdated")?.slot { meta._setInstant(slot, FHIRInstant(ServerTime.instant(time))) }
            resource._setObject(slot, meta)
        }
        resource.id = key.id
        versions[key, default: []].append(Version(number: number, time: time, json: FHIRJSON.string(resource), method: method))
        return number
    }

    private func write(
        _ method: String, _ path: [String], _ query: [URLQueryItem], _ resource: FHIRResource?, _ fields: HTTPFields, refers: Bool = true
    ) -> Answer {
        guard let typeName = path.first else { return Answer(status: 405) }
        if method == "POST" {
            guard let resource else { return Answer(status: 400) }
            if let status = state.refuses(resource) { return Answer(status: status) }
            if let condition = fields["If-None-Exist"], let code = condition.removingPercentEncoding?.split(separator: "|").last,
                let same = current.first(where: { $0.key.typeName == typeName && $0.json.contains("\"code\":\"\(code)\"") })
            {
                return Answer(status: 200, key: same.key, version: versions[same.key]?.last?.number)
            }
            if refers, let status = check(resource) { return Answer(status: status) }
            nextID += 1
            let key = SyncKey(typeName: typeName, id: "server-\(nextID)")
            return Answer(status: 201, key: key, version: store(key, resource, "POST"))
        }
        guard path.count == 2 else { return Answer(status: 405) }
        let key = SyncKey(typeName: typeName, id: path[1])
        let last = versions[key]?.last
        if let tag = fields["If-Match"], FHIRRequest.version(inEntityTag: tag) != (last?.json == nil ? nil : last.map { "\($0.number)" }) {
            return Answer(status: 412)
        }
        if method == "DELETE" {
            guard let last else { return Answer(status: 404) }
            guard last.json != nil else { return Answer(status: 204, key: key) }
            if refers, state.checksReferences, current.contains(where: { $0.json.contains("\"reference\":\"\(key.path)\"") }) {
                return Answer(status: 409)
            }
            versions[key, default: []].append(Version(number: last.number + 1, time: time, json: nil, method: "DELETE"))
            return Answer(status: 204, key: key, version: last.number + 1)
        }
        if fields["If-None-Match"] == "*", last?.json != nil, !state.ignoresIfNoneMatch { return Answer(status: 412) }
        guard let resource else { return Answer(status: 400) }
        if method == "PATCH" {
            // What the patch says is not done; there is a new version.
            guard let json = last?.json, let same = self.resource(Data(json.utf8)) else { return Answer(status: 404) }
            return Answer(status: 200, key: key, version: store(key, same, "PATCH"))
        }
        if let status = state.refuses(resource) { return Answer(status: status) }
        if refers, let status = check(resource) { return Answer(status: status) }
        return Answer(status: last?.json == nil ? 201 : 200, key: key, version: store(key, resource, "PUT"))
    }

    private func resource(_ body: Data?) -> FHIRResource? {
        do { return try FHIRJSON.resource(from: body ?? Data(), release: release) } catch { return nil }
    }

    private func check(_ resource: FHIRResource) -> Int? {
        guard state.checksReferences else { return nil }
        for key in ReferenceScan.keys(in: FHIRJSON.string(resource), base: testBase.absoluteString) where key.id != resource.id {
            if versions[key]?.last?.json == nil { return 409 }
        }
        return nil
    }

    private func bundle(_ request: HTTPRequest) -> HTTPResponse {
        guard let bundle = resource(request.body), bundle.resourceType == "Bundle" else { return HTTPResponse(400) }
        let isTransaction = bundle.text("type") == "transaction"
        guard isTransaction ? state.hasTransactions : state.hasBatches else { return HTTPResponse(404) }
        let saved = versions
        var links: [String: String] = [:]
        var answers: [Answer] = []
        // References within the Bundle become those of the new resources.
        let entries = bundle.children("entry")
        for entry in entries {
            guard let request = entry.child("request"), request.text("method") == "POST", let url = entry.text("fullUrl") else { continue }
            nextID += 1
            links[url] = "\(request.text("url") ?? "")/server-\(nextID)"
        }
        nextID -= links.count
        for entry in entries {
            guard let request = entry.child("request") else { return HTTPResponse(400) }
            var fields: HTTPFields = [:]
            fields["If-Match"] = request.text("ifMatch")
            fields["If-None-Match"] = request.text("ifNoneMatch")
            fields["If-None-Exist"] = request.text("ifNoneExist")
            var resource = entry.takeResource("resource")
            if !links.isEmpty, var text = resource.map({ FHIRJSON.string($0) }) {
                for (link, path) in links {
                    text = text.replacingOccurrences(of: "\"reference\":\"\(link)\"", with: "\"reference\":\"\(path)\"")
                }
                resource = self.resource(Data(text.utf8))
            }
            let path = (request.text("url") ?? "").split(separator: "/").map(String.init)
            let answer = write(request.text("method") ?? "", path, [], resource, fields, refers: !isTransaction)
            if isTransaction, answer.status >= 400 {
                versions = saved
                return outcome(answer.status)
            }
            answers.append(answer)
        }
        if isTransaction, state.checksReferences {
            for (_, json) in current where ReferenceScan.keys(in: json, base: "").contains(where: { versions[$0]?.last?.json == nil }) {
                versions = saved
                return outcome(409)
            }
        }
        let asksForResources = request.fields["Prefer"] == "return=representation" && !state.returnsNothing && !state.hidesVersions
        let results = answers.map { answer in
            var members = [#""status":"\#(answer.status)""#]
            if let key = answer.key { members.append(#""location":"\#(key.path)/_history/\#(answer.version ?? 0)""#) }
            if let version = answer.version, !state.hidesVersions { members.append(#""etag":"W/\"\#(version)\"""#) }
            let resource = asksForResources ? answer.key.flatMap { shown($0) }.map { "\"resource\":\($0)," } : nil
            return #"{\#(resource ?? "")"response":{\#(members.joined(separator: ","))}}"#
        }
        let kind = isTransaction ? "transaction" : "batch"
        return .json(#"{"resourceType":"Bundle","type":"\#(kind)-response","entry":[\#(results.joined(separator: ","))]}"#)
    }

    /// A resource as it is returned; nil of one that was deleted or cannot be read.
    private func shown(_ key: SyncKey) -> String? {
        guard let json = versions[key]?.last?.json else { return nil }
        return state.garbles(key, json) == nil ? json : nil
    }

    // MARK: - Reading

    private func read(_ path: [String], _ query: [URLQueryItem], _ url: URL) -> HTTPResponse {
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        if path == ["metadata"] { return capabilities }
        let typeName = path.first ?? ""
        if path.last == "_history" {
            guard state.hasHistory else { return HTTPResponse(405) }
            if path.count == 3, versions[SyncKey(typeName: typeName, id: path[1])] == nil { return outcome(404) }
            let since = state.ignoresSince ? 0 : Self.milliseconds(value("_since"))
            var found: [(key: SyncKey, version: Version)] = []
            if path.count == 3 {
                let key = SyncKey(typeName: typeName, id: path[1])
                for version in versions[key] ?? [] where version.time >= since { found.append((key, version)) }
            } else {
                for (key, all) in versions where key.typeName == typeName {
                    for version in all.reversed() {
                        if version.time < since { break }
                        found.append((key, version))
                    }
                }
            }
            found.sort { ($0.version.time, $0.version.number, $0.key.id) > ($1.version.time, $1.version.number, $1.key.id) }
            return page(found.map { historyEntry($0.key, $0.version) }, query, url, "history")
        }
        if path.count == 2 {
            guard let last = versions[SyncKey(typeName: typeName, id: path[1])]?.last else { return outcome(404) }
            guard let json = last.json else { return outcome(410) }
            let key = SyncKey(typeName: typeName, id: path[1])
            return .json(state.garbles(key, json) ?? json, 200, ["ETag": "W/\"\(last.number)\""])
        }
        let wanted = path.count == 3 ? path[2] : typeName
        var found: [(key: SyncKey, json: String)] = []
        for (key, all) in versions where key.typeName == wanted {
            if let json = all.last?.json { found.append((key, json)) }
        }
        if path.count == 3 { found = found.filter { $0.json.contains("\"reference\":\"\(path[0])/\(path[1])\"") } }
        if let ids = value("_id")?.split(separator: ",").map(String.init) { found = found.filter { ids.contains($0.key.id) } }
        if let codes = value("_tag")?.split(separator: ",").compactMap({ $0.split(separator: "|").last }) {
            found = found.filter { item in codes.contains { item.json.contains("\"code\":\"\($0)\"") } }
        }
        if let gender = value("gender") { found = found.filter { $0.json.contains("\"gender\":\"\(gender)\"") } }
        if !state.ignoresSince, let text = value("_lastUpdated")?.dropFirst(2) {
            let since = Self.milliseconds(String(text))
            found = found.filter { versions[$0.key]?.last?.time ?? 0 >= since }
        }
        if state.sorts, value("_sort") == "-_lastUpdated" {
            found.sort { (versions[$0.key]?.last?.time ?? 0, $0.key.id) > (versions[$1.key]?.last?.time ?? 0, $1.key.id) }
        } else if state.sorts {
            found.sort { (versions[$0.key]?.last?.time ?? 0, $0.key.id) < (versions[$1.key]?.last?.time ?? 0, $1.key.id) }
        } else {
            found.sort { $0.key.id < $1.key.id }
        }
        if value("_summary") == "count" {
            return .json(#"{"resourceType":"Bundle","type":"searchset","total":\#(found.count)}"#)
        }
        return page(found.map { #"{"resource":\#(state.garbles($0.key, $0.json) ?? $0.json)}"# }, query, url, "searchset")
    }

    private static func milliseconds(_ instant: String?) -> Int64 { ServerTime.milliseconds(FHIRInstant(instant ?? "")?.date) ?? 0 }

    private func historyEntry(_ key: SyncKey, _ version: Version) -> String {
        let response =
            #""response":{"status":"200","etag":"W/\"\#(version.number)\"","lastModified":"\#(ServerTime.instant(version.time))"}"#
        let request = #""request":{"method":"\#(version.method)","url":"\#(key.path)"}"#
        return version.json.map { #"{"resource":\#(state.garbles(key, $0) ?? $0),\#(request),\#(response)}"# } ?? "{\(request),\(response)}"
    }

    private func page(_ entries: [String], _ query: [URLQueryItem], _ url: URL, _ kind: String) -> HTTPResponse {
        func number(_ name: String) -> Int? { query.first { $0.name == name }?.value.flatMap { Int($0) } }
        let start = number("_offset") ?? 0
        let end = min(start + (state.ignoresCount ? 7 : max(number("_count") ?? 100, 1)), entries.count)
        let shown = start < end ? entries[start..<end].joined(separator: ",") : ""
        var own = url.absoluteString
        if !state.sorts, !state.echoesSort { own = own.replacingOccurrences(of: "_sort=_lastUpdated", with: "x=y") }
        var links = [#"{"relation":"self","url":"\#(own)"}"#]
        if end < entries.count {
            var items = query.filter { $0.name != "_offset" }
            items.append(URLQueryItem(name: "_offset", value: "\(end)"))
            var components = URLComponents(url: url, resolvingAgainstBaseURL: false) ?? URLComponents()
            components.queryItems = items
            links.append(#"{"relation":"next","url":"\#(components.url?.absoluteString ?? "")"}"#)
        }
        let list = shown.isEmpty && !state.writesEmptyLists ? "" : ",\"entry\":[\(shown)]"
        let total = state.hidesTotals ? "" : "\"total\":\(entries.count),"
        return .json(
            #"{"resourceType":"Bundle","meta":{"lastUpdated":"\#(ServerTime.instant(time + state.clockSkew))"},"type":"\#(kind)",\#(total)"#
                + #""link":[\#(links.joined(separator: ","))]\#(list)}"#)
    }

    private var capabilities: HTTPResponse {
        var interactions: [String] = []
        if state.hasTransactions { interactions.append(#"{"code":"transaction"}"#) }
        if state.hasBatches { interactions.append(#"{"code":"batch"}"#) }
        let types = state.types.map {
            #"{"type":"\#($0)","interaction":[{"code":"search-type"},{"code":"history-type"},{"code":"create"}]}"#
        }
        let list = interactions.isEmpty ? "" : ",\"interaction\":[\(interactions.joined(separator: ","))]"
        let formats = state.patchFormats.map { "\"\($0)\"" }.joined(separator: ",")
        return .json(
            #"{"resourceType":"\#(release.name == "DSTU2" ? "Conformance" : "CapabilityStatement")","status":"active","date":"2024","kind":"instance","fhirVersion":"\#(release.name)","format":["json"],"#
                + (formats.isEmpty ? "" : "\"patchFormat\":[\(formats)],")
                + #""rest":[{"mode":"server","resource":[\#(types.joined(separator: ","))]\#(list)}]}"#)
    }
}
