import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteService
import Foundation

/// The pages that show what a store holds, without sockets: a function from request to response.
///
/// ```swift
/// let browser = StoreBrowser(store: store)
/// let page = await browser.respond(to: ServiceRequest(.get, "/browse/Patient"))
/// ```
/// Every page is whole HTML that reads without JavaScript, under a Content-Security-Policy that permits no inline script or style and nothing of
/// another host. Nothing changes the store unless ``Configuration-swift.struct/allowsEditing`` is set. Thread-safe.
public final class StoreBrowser: Sendable {
    /// The store, which may be used and written otherwise meanwhile.
    public let store: FHIRStore
    /// How it answers.
    public let configuration: Configuration

    /// How a browser answers.
    public struct Configuration: Sendable {
        /// Whether resources can be changed and deleted. Default: false.
        public var allowsEditing = false
        /// Who may look at the pages; nil for everybody, for tests and a machine of one's own. Default: nil.
        public var sessions: BrowserSessions?
        /// The address of the FHIR server over the same store, for links; nil if there is none. Default: nil.
        public var base: String?
        /// What finds faults by profiles, in addition to the rules of the release; nil for those rules alone. Default: nil.
        public var validator: (any ContentValidator)?
        /// The file in which searches that people save are kept, readable only by its owner; nil to keep them in memory. Default: nil.
        ///
        /// It has the searches as they are, which can name people: not for an encrypted store.
        public var searchesFile: URL?
        /// The number of resources on a page of a list. Default: 50.
        public var pageSize = 50
        /// The time after which a page stops counting what it need not count, and says so; twice that after its beginning at the latest.
        /// Default: 40 milliseconds.
        public var countingTime = Duration.milliseconds(40)
        /// The time after which the search of a list is ended if no index serves it, three quarters of it if it is sorted: the page then has the resources
        /// unsorted, or none, and says so. Default: 70 milliseconds.
        public var searchTime = Duration.milliseconds(70)
        /// The time after which a search or a statement of the console is ended, and a search that a person wants to wait for. Default: 5 seconds.
        public var consoleTime = Duration.seconds(5)
        /// The number of rows that the console shows. Default: 500.
        public var consoleRows = 500
        /// The time zone of dates without one in searches. Default: the machine's.
        public var timeZone = TimeZone.current
        /// The source of time. Default: the system's.
        public var clock = FHIRClock.system

        /// The default configuration.
        public init() {}
    }

    let facts: StoreFacts
    let searches: SavedSearches
    let examinations = Examinations()
    /// A text that is another after the file has changed, or what pages know of it.
    var state: String { facts.state() + examinations.state }

    /// Makes a browser.
    ///
    /// - Parameters:
    ///   - store: the store whose content is shown.
    ///   - configuration: Default: everybody may look, and nobody change.
    public init(store: FHIRStore, configuration: Configuration = Configuration()) {
        self.store = store
        self.configuration = configuration
        facts = StoreFacts(store)
        searches = SavedSearches(file: configuration.searchesFile)
    }

    // MARK: - Requests

    /// Whether a request is for a page rather than for the FHIR service: its path begins with `/browse`, or is `/` and asks for HTML.
    public static func isPage(_ request: ServiceRequest) -> Bool {
        let path = request.target.prefix { $0 != "?" }
        if path == "/" || path.isEmpty { return request.fields["Accept"]?.contains("text/html") ?? false }
        return path == "/\(Address.root)" || path.hasPrefix("/\(Address.root)/")
    }

    /// Answers a request. It never throws: what cannot be shown is a page that says why.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        var response: ServiceResponse
        do {
            response = try await answer(request)
        } catch let problem as PageProblem {
            response = ErrorPage.response(problem, self)
        } catch {
            response = ErrorPage.response(PageProblem(error), self)
        }
        for field in PageSecurity.fields where response.fields[field.name] == nil { response.fields[field.name] = field.value }
        if request.method == .head { response.body = .data(Data()) }
        return response
    }

    private func answer(_ request: ServiceRequest) async throws -> ServiceResponse {
        var request = request
        let (fields, repeated) = request.fields.joined()
        request.fields = fields
        if let repeated { throw PageProblem(400, "The request is ambiguous", "It has the field \(repeated) more than once.") }
        guard request.target.utf8.count <= 65_536 else {
            throw PageProblem(414, "The address is too long", "Shorten the search or the statement.")
        }
        guard var address = Address(target: request.target) else {
            throw PageProblem(400, "The address cannot be read", "It is not percent-encoded UTF-8, or has too many parameters.")
        }
        if address.segments.isEmpty { return .redirect(to: Address()) }
        guard address.segments.removeFirst() == Address.root else { throw PageProblem.nowhere }
        if let asset = AssetFile.response(address.segments) { return asset }
        if let sessions = configuration.sessions {
            if address.segments == ["enter"] { return try sessions.enter(address["ticket"]) }
            guard try await sessions.isOpen(to: request) else { throw PageProblem.closed }
        }
        switch request.method {
        case .get, .head: break
        case .post: return try await PagePosts.answer(address, request, self)
        default: throw PageProblem(405, "Pages are only read", "The method of the request is neither GET nor POST.")
        }
        let preferences = Preferences(cookies: request.fields["Cookie"])
        return try await store.reading {
            try self.store.read { transaction in
                let call = PageCall(self, address: address, transaction: transaction, preferences: preferences)
                return try PageRouter.answer(call)
            }
        }
    }
}

/// The header fields of every answer.
enum PageSecurity {
    static let fields: [HTTPFields.Field] = [
        .init(
            name: "Content-Security-Policy",
            value: """
                default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
                base-uri 'none'; frame-ancestors 'none'
                """),
        // With no-referrer, browsers send `Origin: null` with the pages' own forms, which the server refuses (Fetch, The Origin header).
        .init(name: "X-Content-Type-Options", value: "nosniff"), .init(name: "Referrer-Policy", value: "same-origin"),
        .init(name: "Cross-Origin-Opener-Policy", value: "same-origin"), .init(name: "Cross-Origin-Resource-Policy", value: "same-origin"),
        .init(name: "Cache-Control", value: "no-store"),
    ]
}

extension ServiceResponse {
    static func html(_ html: HTML, status: Int = 200) -> ServiceResponse {
        ServiceResponse(status, fields: ["Content-Type": "text/html; charset=utf-8"], body: .data(Data(html.text.utf8)))
    }

    static func text(_ text: String, _ type: String) -> ServiceResponse {
        ServiceResponse(200, fields: ["Content-Type": type + "; charset=utf-8"], body: .data(Data(text.utf8)))
    }

    static func file(_ data: Data, _ type: String, named name: String) -> ServiceResponse {
        ServiceResponse(200, fields: ["Content-Type": type, "Content-Disposition": "attachment; filename=\"\(name)\""], body: .data(data))
    }

    static func redirect(to address: Address) -> ServiceResponse { ServiceResponse(303, fields: ["Location": address.text]) }
}

/// The files of the pages.
enum AssetFile {
    static func response(_ segments: [String]) -> ServiceResponse? {
        guard segments.count == 1 else { return nil }
        var response: ServiceResponse
        switch segments[0] {
        case "style.css": response = .text(Stylesheet.text, "text/css")
        case "browse.js": response = .text(Script.text, "text/javascript")
        case "check.js": response = .text(CheckScript.text, "text/javascript")
        case "icon.svg": response = .text(Icon.text, "image/svg+xml")
        default: return nil
        }
        response.fields["Cache-Control"] = "private, max-age=60"
        return response
    }
}
