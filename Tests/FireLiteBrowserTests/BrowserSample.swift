import FireLite
import FireLiteCore
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// A store in memory with its pages.
struct BrowserSample {
    let store: FHIRStore
    let browser: StoreBrowser

    init(
        _ release: String = "R4", history: Bool = false, _ json: String..., configure: (inout StoreBrowser.Configuration) -> Void = { _ in }
    ) throws {
        store = try FHIRStore.inMemory(release: try #require(BundledRelease.named(release)).release)
        if history { try store.track(.history) }
        var configuration = StoreBrowser.Configuration()
        configuration.timeZone = .gmt
        // Nothing is left out because the machine is slow.
        configuration.countingTime = .seconds(60)
        configuration.searchTime = .seconds(60)
        configure(&configuration)
        browser = StoreBrowser(store: store, configuration: configuration)
        for text in json { try add(text) }
    }

    func add(_ json: String) throws {
        let release = store.release
        try store.write { try $0.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release)) }
    }

    func put(_ resource: FHIRResource) throws { try store.write { _ = try $0.upsert(resource) } }
    func remove(_ type: String, _ id: String) throws { try store.write { _ = try $0.delete(typeName: type, id: id) } }

    struct Reply {
        let status: Int
        let fields: HTTPFields
        let text: String
    }

    /// Sends a request.
    func send(_ method: HTTPMethod, _ target: String, _ body: String = "", _ fields: HTTPFields = [:]) async -> Reply {
        let response = await browser.respond(to: ServiceRequest(method, target, fields: fields, body: Data(body.utf8)))
        let data: Data
        do { data = try await response.data() } catch { data = Data() }
        return Reply(status: response.status, fields: response.fields, text: String(decoding: data, as: UTF8.self))
    }

    func get(_ target: String, _ fields: HTTPFields = [:]) async -> Reply { await send(.get, target, "", fields) }

    /// The pages about a resource.
    static func pages(of type: String, _ id: String) -> [String] {
        let root = Address.resource(type, id).text
        return [root] + ["elements", "references", "graph", "versions", "trail"].map { "\(root)/\($0)" }
            + (type == "Patient" ? ["\(root)/timeline"] : [])
    }
}

/// What must hold of every page's text.
enum PageRules {
    private static let tags: Set<String> = [
        "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "ul", "ol", "li", "form", "input", "button",
        "main", "div", "h1",
        "h2", "h3", "h4", "h5", "h6", "span", "footer", "section", "table", "thead", "tbody", "tr", "th", "td", "p", "code", "pre",
        "details", "summary", "dl",
        "dt", "dd", "label", "select", "option", "textarea", "svg", "path", "rect", "circle", "line", "text", "b", "i", "img", "em",
        "strong", "br", "hr",
        "caption", "col", "colgroup", "tfoot", "sup", "sub", "small", "blockquote", "q", "kbd", "samp", "var", "abbr",
    ]
    private static let empty: Set<String> = ["meta", "link", "input", "img", "br", "hr", "col"]

    /// The faults of a page: tags that no page has, attributes with code or style, addresses elsewhere, tags that are not closed.
    static func faults(_ text: String) -> [String] {
        var faults: [String] = []
        var open: [String] = []
        var rest = text[...]
        if rest.hasPrefix("<!DOCTYPE html>") { rest = rest.dropFirst(15) }
        while let start = rest.firstIndex(of: "<") {
            guard let end = rest[start...].firstIndex(of: ">") else { return faults + ["a tag does not end"] }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let isEnd = tag.hasPrefix("/")
            let name = String((isEnd ? tag.dropFirst() : tag).prefix { $0.isLetter || $0.isNumber })
            if !tags.contains(name) { faults.append("the tag \(tag.prefix(40))") }
            if isEnd {
                if open.popLast() != name { faults.append("\(name) is closed and was not open") }
                continue
            }
            if !empty.contains(name), !tag.hasSuffix("/") { open.append(name) }
            faults += self.faults(attributes: tag.dropFirst(name.count), of: name)
        }
        if !open.isEmpty { faults.append("not closed: \(open)") }
        if rest.contains(">") && rest.contains("<") { faults.append("text after the end") }
        return faults
    }

    private static func faults(attributes: Substring, of tag: String) -> [String] {
        var faults: [String] = []
        var rest = attributes[...]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" }
            if rest.isEmpty { return faults }
            let name = rest.prefix { $0 != "=" && !$0.isWhitespace && $0 != "/" }
            rest = rest.dropFirst(name.count)
            var value = ""[...]
            if rest.hasPrefix("=\"") {
                rest = rest.dropFirst(2)
                value = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(value.count + 1)
            } else if rest.hasPrefix("=") {
                return faults + ["\(tag) \(name) without quotation marks"]
            }
            if name.hasPrefix("on") || name == "style" || name == "srcdoc" { faults.append("\(tag) has \(name)") }
            if ["href", "src", "action", "formaction"].contains(name), !value.hasPrefix("/browse"), !value.hasPrefix("#") {
                faults.append("\(tag) leads to \(value.prefix(40))")
            }
            if name.isEmpty { return faults + ["\(tag) has an attribute without name"] }
        }
    }
}
