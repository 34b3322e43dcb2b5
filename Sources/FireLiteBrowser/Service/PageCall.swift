import FireLite
import FireLiteCore
import FireLiteSearch
import FireLiteService
import Foundation

/// One request for a page, with the snapshot that answers it.
struct PageCall {
    let browser: StoreBrowser
    /// The address without its first segment.
    private(set) var address: Address
    let transaction: ReadTransaction
    let preferences: Preferences
    let now: Date
    private let begin = ContinuousClock.now

    init(_ browser: StoreBrowser, address: Address, transaction: ReadTransaction, preferences: Preferences) {
        self.browser = browser
        self.address = address
        self.transaction = transaction
        self.preferences = preferences
        now = browser.configuration.clock.now()
    }

    var store: FHIRStore { browser.store }
    var release: FHIRRelease { store.release }
    var configuration: StoreBrowser.Configuration { browser.configuration }

    var searchOptions: SearchOptions {
        var options = SearchOptions()
        options.handling = .strict
        options.timeZone = configuration.timeZone
        options.now = now
        options.countsTotal = false
        options.pageSize = configuration.pageSize
        return options
    }

    /// The layout of a resource type.
    func layout(_ type: String) throws -> Layout {
        guard let layout = release.resourceLayout(named: type) else {
            let hint = NearWords.hint(for: type, among: release.resourceTypeNames)
            throw PageProblem(
                404, "FHIR \(release.name) has no type \(Numbers.clipped(type, 40))\(hint)", "The overview lists the types of the store.")
        }
        return layout
    }

    func resource(_ type: String, _ id: String) throws -> FHIRResource {
        _ = try layout(type)
        guard let resource = try transaction.resource(typeName: type, id: id) else { throw PageProblem.missing(type, id) }
        return resource
    }

    /// The same call for another address.
    func at(_ address: Address) -> PageCall {
        var copy = self
        copy.address = address
        return copy
    }

    /// The number of resources of each type that there are some of, as far as there is time to count. It is found once for each state of the file.
    func counts() throws -> [TypeNumber] {
        try transaction.remembered("counts of the browser") {
            let types = try browser.facts.schema().keys.filter { release.hasResourceType(named: $0) }
            return try TypeNumber.all(types.sorted(), store, RowCounting(store), TimeBudget(configuration.countingTime / 2))
        }
    }

    /// When a page that needs several searches ends them; later if somebody waits for it.
    var readingEnd: ContinuousClock.Instant {
        address["~wait"] == nil ? begin + configuration.searchTime * 1.15 : .now + configuration.consoleTime
    }

    /// The time for what the page need not have: less where the page itself takes long.
    func budget() -> TimeBudget { TimeBudget(until: min(.now + configuration.countingTime, begin + configuration.countingTime * 2)) }
}

/// The time that a page has for what it need not do.
struct TimeBudget {
    private let end: ContinuousClock.Instant

    init(_ duration: Duration) { self.init(until: .now + duration) }

    init(until end: ContinuousClock.Instant) { self.end = end }

    /// What `body` finds; nil if the time is over first.
    func run<Value>(_ transaction: ReadTransaction, _ body: () throws -> Value) throws -> Value? { try transaction.until(end, body) }

    /// Whether there is time for a step that may take that long.
    func has(_ duration: Duration) -> Bool { ContinuousClock.now + duration < end }

    var isSpent: Bool { ContinuousClock.now >= end }

    /// The rows of a statement; nil if the time is over first.
    func rows(_ store: FHIRStore, _ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow]? {
        guard !isSpent else { return nil }
        do {
            return try store.sql(sql, arguments: arguments) { ContinuousClock.now >= end }
        } catch let error as FHIRStoreError where error.code == .interrupted {
            return nil
        }
    }

    /// The number that a statement finds; nil if the time is over first.
    func number(_ store: FHIRStore, _ sql: String, _ arguments: [SQLValue] = []) throws -> Int? {
        guard let row = try rows(store, sql, arguments)?.first, case .integer(let number)? = row.values.first else { return nil }
        return Int(number)
    }
}

extension SQLValue {
    var textValue: String? { if case .text(let text) = self { text } else { nil } }
    var intValue: Int? { if case .integer(let number) = self { Int(number) } else { nil } }

    /// What a person reads in a cell.
    var shown: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes):
            "x'" + bytes.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + (bytes.count > 32 ? "…'" : "'")
        }
    }
}

/// A name in an SQL statement.
func sqlName(_ name: String) -> String { "\"" + name.replacingBytes("\"", with: "\"\"") + "\"" }

/// What a person has chosen, in cookies: the columns of a type's list.
struct Preferences {
    private let cookies: [String: String]

    init(cookies text: String?) {
        var cookies: [String: String] = [:]
        for part in (text ?? "").split(separator: ";").prefix(200) {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { continue }
            cookies[sides[0].trimmingCharacters(in: .whitespaces)] = sides[1].removingPercentEncoding
        }
        self.cookies = cookies
    }

    func columns(of type: String) -> [String]? { cookies["columns-\(type)"].map { $0.split(separator: ",").map(String.init) } }

    static func field(columns: [String], of type: String) -> String {
        let value = Address.encoded(columns.joined(separator: ",")).replacingBytes(",", with: "%2C")
        return "columns-\(type)=\(value); Path=/\(Address.root); Max-Age=31536000; SameSite=Strict; HttpOnly"
    }
}

/// Which page an address is.
enum PageRouter {
    static func answer(_ call: PageCall) throws -> ServiceResponse {
        let segments = call.address.segments
        switch segments.count {
        case 0: return try OverviewPage.answer(call)
        case 1:
            switch segments[0] {
            case "state": return .text(call.browser.state, "text/plain")
            case "find": return try FindPage.answer(call)
            case "console": return try ConsolePage.answer(call)
            case "schema": return try SchemaPage.answer(call)
            case "changes": return try ChangesPage.answer(call)
            case "searches": return try SavedSearchesPage.answer(call)
            default: return try ListPage.answer(call, segments[0])
            }
        case 2: return try ResourcePage.answer(call, segments[0], segments[1])
        default:
            let (type, id) = (segments[0], segments[1])
            switch (segments[2], segments.count) {
            case ("elements", 3): return try ElementsPage.answer(call, type, id)
            case ("references", 3): return try ReferencesPage.answer(call, type, id)
            case ("versions", 3): return try VersionsPage.answer(call, type, id)
            case ("versions", 4): return try VersionsPage.version(call, type: type, id: id, number: segments[3])
            case ("trail", 3): return try TrailPage.answer(call, type, id)
            case ("graph", 3): return try GraphPage.answer(call, type, id)
            case ("timeline", 3): return try TimelinePage.answer(call, type, id)
            case ("attachment", 3): return try AttachmentFile.answer(call, type, id)
            case ("json", 3): return try ResourcePage.json(call, type, id)
            case ("edit", 3): return try EditPages.form(call, type, id)
            default: throw PageProblem.nowhere
            }
        }
    }
}

/// Forms that change something.
enum PagePosts {
    static func answer(_ address: Address, _ request: ServiceRequest, _ browser: StoreBrowser) async throws -> ServiceResponse {
        let form = try Self.form(of: request)
        switch (address.segments.count, address.segments.last) {
        case (1, "searches"): return try SavedSearchesPage.post(form, browser)
        case (1, "examine"): return try ExaminationCard.post(form, browser)
        case (3, "edit"): return try await EditPages.post(address, form, browser)
        case (3, "check"): return try await EditPages.check(address, form, browser)
        default: throw PageProblem(405, "This page is only read", "It has no form that could be sent to it.")
        }
    }

    /// The fields of a form of these pages.
    ///
    /// - Throws: `PageProblem` if another site's page has sent it, or it cannot be read.
    static func form(of request: ServiceRequest) throws -> Address {
        // Browsers that know the field say whose page sends the form (Fetch Metadata).
        if let site = request.fields["Sec-Fetch-Site"], site != "same-origin" {
            throw PageProblem(403, "The form is not the server's own", "Another site's page has sent it.")
        }
        guard let items = Address.items(String(decoding: request.body, as: UTF8.self), keepsEmpty: true) else {
            throw PageProblem(400, "The form cannot be read", "It is not percent-encoded UTF-8, or has too many fields.")
        }
        return Address([], items: items)
    }
}
