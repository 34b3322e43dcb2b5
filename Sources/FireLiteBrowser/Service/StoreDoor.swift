import FireLite
import FireLiteCore
import FireLiteService
import Foundation

/// The pages of a file that must first be opened: it asks for the key of an encrypted file, and says what is wrong with one that cannot be opened.
///
/// ```swift
/// let door = StoreDoor(file: url) { FHIRRelease.bundled($0) }
/// let page = await door.respond(to: ServiceRequest(.get, "/browse"))
/// ```
/// The key comes in the body of a form: it is in no address, no page and no log, and memory keeps it as the store does. A wrong key and a damaged file
/// are two pages. A file that can only be read is opened read-only, and opening never changes a file: one of an older format is not upgraded.
///
/// `@unchecked Sendable`: `lock` guards `opened`; the queue runs one attempt after another.
public final class StoreDoor: @unchecked Sendable {
    private let file: URL
    private let configuration: FHIRStore.Configuration
    private let pages: StoreBrowser.Configuration
    private let release: @Sendable (String) -> FHIRRelease?
    private let prepare: @Sendable (FHIRStore) throws -> Void
    /// Deriving a key takes long on purpose, and must not take a thread of Swift's pool.
    private let queue = DispatchQueue(label: "firelite.browser.door")
    private let lock = NSLock()
    private var opened: StoreBrowser?

    /// Makes a door. The file is opened with the first request.
    ///
    /// - Parameters:
    ///   - file: an existing file.
    ///   - configuration: how it is opened; nil for read-only. With `.readWrite`, a file that cannot be written is opened read-only. Default: nil.
    ///   - pages: how its pages answer. Default: everybody may look, and nobody change.
    ///   - prepare: called with the store once it is open, before any page: modules that follow writes are taken up here, as `attachments.resume()`
    ///     does. If it throws, the file stays closed and a page says why. Default: nothing.
    ///   - release: the FHIR release with a name, as a file has it; nil if it is not known.
    public init(
        file: URL, configuration: FHIRStore.Configuration? = nil, pages: StoreBrowser.Configuration = StoreBrowser.Configuration(),
        prepare: @escaping @Sendable (FHIRStore) throws -> Void = { _ in }, release: @escaping @Sendable (String) -> FHIRRelease?
    ) {
        self.file = file
        var chosen = configuration ?? FHIRStore.Configuration()
        if configuration == nil { chosen.access = .readOnly }
        chosen.mustExist = true
        self.configuration = chosen
        self.pages = pages
        self.release = release
        self.prepare = prepare
    }

    /// Whether the pages ask for a session; otherwise everybody who reaches them sees them.
    public var asksForSession: Bool { pages.sessions != nil }

    /// The store; nil until it has been opened.
    public var store: FHIRStore? { browser?.store }

    private var browser: StoreBrowser? { lock.withLock { opened } }

    // MARK: - Requests

    /// Answers a request: with the page of the store, or with the one that asks for the key or says why the file cannot be opened. It never throws.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        if let browser { return await after(browser, request) }
        var response: ServiceResponse
        do { response = try await answer(request) } catch { response = DoorPage.problem(PageProblem(error)) }
        for field in PageSecurity.fields where response.fields[field.name] == nil { response.fields[field.name] = field.value }
        if request.method == .head { response.body = .data(Data()) }
        return response
    }

    /// With an open store the form of the key leads to the overview, for somebody who sends it twice.
    private func after(_ browser: StoreBrowser, _ request: ServiceRequest) async -> ServiceResponse {
        let path = request.target.prefix { $0 != "?" }
        guard path == DoorPage.address.text else { return await browser.respond(to: request) }
        return await browser.respond(to: ServiceRequest(.get, "/", fields: request.fields))
    }

    private func answer(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard request.target.utf8.count <= 65_536, var address = Address(target: request.target) else {
            throw PageProblem(400, "The address cannot be read", "It is too long, or not percent-encoded UTF-8.")
        }
        if address.segments.isEmpty { return .redirect(to: Address()) }
        guard address.segments.removeFirst() == Address.root else { throw PageProblem.nowhere }
        if let asset = AssetFile.response(address.segments) { return asset }
        if let sessions = pages.sessions {
            if address.segments == ["enter"] { return try sessions.enter(address["ticket"]) }
            guard try await sessions.isOpen(to: request) else { throw PageProblem.closed }
        }
        switch request.method {
        case .get, .head:
            do {
                let browser = try await open(configuration.key)
                return await browser.respond(to: request)
            } catch let error as FHIRStoreError where Self.asksForKey(error) {
                return DoorPage.key(file, problem: nil)
            }
        case .post where address.segments == DoorPage.address.segments: return try await unlock(request)
        default: throw PageProblem(405, "The file is not open", "Open the overview first.")
        }
    }

    private func unlock(_ request: ServiceRequest) async throws -> ServiceResponse {
        let form = try PagePosts.form(of: request)
        guard let key = DoorKey.read(form) else {
            return DoorPage.key(file, problem: PageProblem(400, "The key cannot be read", "It is empty, or not of the chosen form."))
        }
        do {
            _ = try await open(key)
            return .redirect(to: Address())
        } catch let error as FHIRStoreError where error.code == .wrongKey {
            return DoorPage.key(
                file,
                problem: PageProblem(
                    403, "This is not the key of the file",
                    "Give the key that the file was created with. If you are sure of it, the beginning of the file is damaged: restore a backup."
                ))
        }
    }

    private static func asksForKey(_ error: FHIRStoreError) -> Bool {
        // Without the library for it a key would be of no use, and the error says what to do.
        error.code == .missingKey && FHIRStore.canEncrypt || error.code == .wrongKey
    }

    // MARK: - Opening

    private func open(_ key: Secret?) async throws -> StoreBrowser {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.openNow(key) }) }
        }
    }

    private func openNow(_ key: Secret?) throws -> StoreBrowser {
        if let browser { return browser }
        let name = try FHIRStore.releaseName(ofFileAt: file, key: key)
        guard let release = self.release(name) else {
            throw PageProblem(
                503, "The file's FHIR release is not known", "It holds FHIR \(Numbers.clipped(name, 40)): update the program.")
        }
        var (chosen, pages) = (configuration, self.pages)
        chosen.key = key
        if key != nil { pages.searchesFile = nil }
        let store: FHIRStore
        do {
            store = try FHIRStore(path: file.path, release: release, configuration: chosen)
        } catch let error as FHIRStoreError where error.code == .readOnly && chosen.access == .readWrite {
            chosen.access = .readOnly
            store = try FHIRStore(path: file.path, release: release, configuration: chosen)
        }
        do { try prepare(store) } catch {
            // What cannot be closed now is closed with its last use.
            do { try store.close() } catch {}
            throw error
        }
        if chosen.access != .readWrite { pages.allowsEditing = false }
        let browser = StoreBrowser(store: store, configuration: pages)
        lock.withLock { opened = browser }
        return browser
    }
}

extension FHIRStore {
    /// Whether this build reads encrypted files.
    fileprivate static var canEncrypt: Bool {
        do { return try FireLiteBuild.library.hasPrefix("SQLCipher") } catch { return false }
    }
}

/// The forms in which somebody writes a key.
enum DoorKey: String, CaseIterable {
    case text, hex, base64

    var title: String {
        switch self {
        case .text: "a passphrase, or text"
        case .hex: "hexadecimal digits"
        case .base64: "base64"
        }
    }

    /// The key of a form; nil if it is empty, too long or not of its form.
    static func read(_ form: Address) -> Secret? {
        guard let text = form["key"], !text.isEmpty, text.utf8.count <= 8_192 else { return nil }
        let bytes: Data?
        switch DoorKey(rawValue: form["form"] ?? "") {
        case .text: bytes = Data(text.utf8)
        case .hex: bytes = Hexadecimal.bytes(text.filter { !$0.isWhitespace })
        case .base64: bytes = Data(fhirBase64: text)
        case nil: bytes = nil
        }
        return bytes.flatMap { (1...4_096).contains($0.count) ? Secret($0) : nil }
    }
}

/// The page before the store is open. It names the file only to somebody who may see its pages.
enum DoorPage {
    static let address = Address("key")

    static func key(_ file: URL, problem: PageProblem?) -> ServiceResponse {
        let note = problem.map { Parts.note("\($0.title). \($0.remedy)", isError: true) } ?? HTML()
        let forms = DoorKey.allCases.map { form -> HTML in "<option value=\"\(form.rawValue)\">\(form.title)</option>" }
        let how = Parts.how([
            ("Command", "firelite browse \(Parts.shell(file.path)) --key-file key"),
            (
                "Swift",
                "configuration.key = Secret(bytes)\nlet store = try FHIRStore(path: \(Parts.swift(file.path)), release: .r4, configuration: configuration)"
            ),
        ])
        let content: HTML = """
            <section class="card"><p><span class="mono">\(file.path)</span> is encrypted. Its pages open with its key, which stays in this program's memory \
            until it ends.</p>\(note)<form class="stack" method="post" action="\(address.text)">
            <div><label for="key">Key</label><input id="key" name="key" type="password" size="48" autocomplete="off" required autofocus></div>
            <div><label for="form">Written as</label><select id="form" name="form">\(forms)</select></div><button>Open the file</button></form></section>\(how)
            """
        return .html(whole("The file is encrypted", content), status: problem?.status ?? 401)
    }

    static func problem(_ problem: PageProblem) -> ServiceResponse {
        let content: HTML =
            "<section class=\"card\"><p class=\"note error\" role=\"alert\">\(Numbers.clipped(problem.remedy, 2_000))</p></section>"
        var response = ServiceResponse.html(whole(problem.title, content), status: problem.status)
        if problem.status == 405 { response.fields["Allow"] = "GET, HEAD, POST" }
        return response
    }

    private static func whole(_ title: String, _ content: HTML) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title) – FireLite</title><link rel="icon" href="/browse/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/browse/style.css">
        <script type="module" src="/browse/browse.js"></script></head>
        <body><main id="main"><div class="head"><h1>\(title)</h1></div>\(content)</main></body></html>
        """
    }
}
