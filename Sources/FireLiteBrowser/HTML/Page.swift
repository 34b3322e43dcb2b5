import FireLiteCore
import FireLiteService
import Foundation

/// A page in its frame: navigation, breadcrumbs, heading, content.
struct Page {
    /// Places of the navigation.
    enum Place: Hashable {
        case overview, console, schema, changes, elsewhere
    }

    /// A step of the breadcrumbs; the last one is the page itself.
    struct Crumb {
        let text: String
        let address: Address?
    }

    var title: String
    var place = Place.elsewhere
    var crumbs: [Crumb] = []
    /// What stands beside the heading.
    var aside = HTML()
    var content = HTML()
    /// Whether the page loads itself again when the file changes.
    var isLive = false
    /// Whether its forms are checked while somebody fills them.
    var checksForms = false
    /// What the field of the search shows.
    var find = ""

    init(_ title: String) { self.title = title }

    /// The answer with the page.
    func response(_ call: PageCall) -> ServiceResponse {
        .html(whole(call.browser, milliseconds: milliseconds(since: call.now, call.configuration.clock.now())))
    }

    private func milliseconds(since start: Date, _ end: Date) -> Int { max(0, Int((end.timeIntervalSince(start) * 1_000).rounded(.up))) }

    func whole(_ browser: StoreBrowser, milliseconds: Int? = nil) -> HTML {
        let file = browser.store.path.split(separator: "/").last.map(String.init) ?? "store in memory"
        let live: HTML = isLive ? " data-state=\"\(browser.state)\"" : ""
        let time: HTML = milliseconds.map { "<span>Made in \($0) ms</span>" } ?? ""
        let check: HTML = checksForms ? "<script type=\"module\" src=\"/browse/check.js\"></script>\n" : ""
        let mode = browser.configuration.allowsEditing ? "Editing is on" : "Read only"
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Numbers.clipped(title, 120)) – \(file)</title>
            <link rel="icon" href="/browse/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/browse/style.css">
            <script type="module" src="/browse/browse.js"></script>
            \(check)</head>
            <body\(live)>
            <a class="skip" href="#main">Skip to the content</a>
            <header class="top">
            <a class="brand" href="/browse">\(Icon.markup)<span>\(file)</span></a>
            <nav aria-label="Pages"><ul>
            \(entry("Overview", Address(), .overview))\(entry("Changes", Address("changes"), .changes))\
            \(entry("Console", Address("console"), .console))\(entry("Schema", Address("schema"), .schema))
            </ul></nav>
            <form action="/browse/find" role="search"><input id="find" name="q" value="\(find)" aria-label="Go to Type/id, or search" \
            placeholder="Patient/123 or Patient?name=peter"><button class="quiet">Go</button></form>
            </header>
            \(trail)
            <main id="main" tabindex="-1">
            <div class="head"><h1>\(Numbers.clipped(title, 160))</h1>\(aside)</div>
            \(content)
            </main>
            <footer><span>FHIR \(browser.store.release.name) · \(mode)</span>\(time)</footer>
            </body>
            </html>
            """
    }

    private func entry(_ text: String, _ address: Address, _ place: Place) -> HTML {
        let current: HTML = place == self.place ? " aria-current=\"page\"" : ""
        return "<li><a href=\"\(address.text)\"\(current)>\(text)</a></li>"
    }

    private var trail: HTML {
        guard !crumbs.isEmpty else { return "" }
        let steps = crumbs.enumerated().map { place, crumb -> HTML in
            let text = Numbers.clipped(crumb.text, 60)
            guard let address = crumb.address else {
                return place == crumbs.count - 1 ? "<li aria-current=\"page\">\(text)</li>" : "<li>\(text)</li>"
            }
            return "<li><a href=\"\(address.text)\">\(text)</a></li>"
        }
        return "<nav class=\"crumbs\" aria-label=\"Breadcrumbs\"><ol>\(steps)</ol></nav>"
    }
}

/// Parts that several pages have.
enum Parts {
    static func card(_ title: String, _ content: HTML, id: String? = nil) -> HTML {
        let anchor: HTML = id.map { " id=\"\($0)\"" } ?? ""
        return "<section class=\"card\"\(anchor)><h2>\(title)</h2>\(content)</section>"
    }

    static func facts(_ facts: [(String, HTML)]) -> HTML {
        let rows = facts.map { name, value -> HTML in "<dt>\(name)</dt><dd>\(value)</dd>" }
        return "<dl class=\"facts\">\(rows)</dl>"
    }

    static func link(_ text: String, _ address: Address) -> HTML { "<a href=\"\(address.text)\">\(text)</a>" }

    static func note(_ text: String, isError: Bool = false) -> HTML {
        isError ? "<p class=\"note error\" role=\"alert\">\(text)</p>" : "<p class=\"note\">\(text)</p>"
    }

    static func empty(_ text: String) -> HTML { "<p class=\"empty\">\(text)</p>" }

    /// A bar whose length is a part of the whole.
    static func bar(_ value: Int, of whole: Int) -> HTML {
        let width = whole > 0 ? max(1, min(1_000, value * 1_000 / whole)) : 0
        return """
            <svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true"><rect width="\(width)" height="8" rx="3"/></svg>
            """
    }

    /// A table that scrolls by itself if it is wider than the page.
    static func table(_ label: String, _ heads: [HTML], _ rows: [HTML], kind: String = "") -> HTML {
        """
        <div class="scroll" tabindex="0" role="region" aria-label="\(label)"><table class="\(kind)"><thead><tr>\(heads)</tr></thead>
        <tbody>\(rows)</tbody></table></div>
        """
    }

    /// How the same is had without the pages.
    static func how(_ ways: [(name: String, text: String)]) -> HTML {
        let entries = ways.enumerated().map { place, way -> HTML in
            """
            <dt>\(way.name) <button class="quiet small" type="button" data-copy="how\(place)" hidden>Copy</button></dt>
            <dd><pre id="how\(place)">\(way.text)</pre></dd>
            """
        }
        return "<details class=\"card how\"><summary>How to get this</summary><dl>\(entries)</dl></details>"
    }

    static func tabs(_ label: String, _ tabs: [(text: String, address: Address, isCurrent: Bool)]) -> HTML {
        let items = tabs.map { tab -> HTML in
            let current: HTML = tab.isCurrent ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(tab.address.text)\"\(current)>\(tab.text)</a></li>"
        }
        return "<nav aria-label=\"\(label)\"><ul class=\"tabs\">\(items)</ul></nav>"
    }

    /// A text for a shell.
    static func shell(_ text: String) -> String { "'" + text.replacingBytes("'", with: "'\\''") + "'" }

    /// A text for Swift.
    static func swift(_ text: String) -> String {
        guard text.contains(where: { "\"\\\n".contains($0) }) else { return "\"\(text)\"" }
        var signs = "#"
        while text.contains("\"" + signs) || text.contains("\\" + signs) { signs += "#" }
        return text.contains("\n") ? "\(signs)\"\"\"\n\(text)\n\"\"\"\(signs)" : "\(signs)\"\(text)\"\(signs)"
    }
}

/// Pages of problems.
enum ErrorPage {
    static func response(_ problem: PageProblem, _ browser: StoreBrowser) -> ServiceResponse {
        var page = Page(problem.title)
        page.crumbs = problem.status == 401 ? [] : [.init(text: "Overview", address: Address()), .init(text: "Problem", address: nil)]
        page.content = """
            <section class="card"><p class="note error" role="alert">\(Numbers.clipped(problem.remedy, 2_000))</p>
            <p><a href="/browse">Go to the overview</a></p></section>
            """
        var response = ServiceResponse.html(problem.status == 401 ? closed(problem) : page.whole(browser), status: problem.status)
        if problem.status == 405 { response.fields["Allow"] = "GET, HEAD, POST" }
        return response
    }

    /// A page that names no file, for somebody who may not see it.
    private static func closed(_ problem: PageProblem) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>FireLite</title><link rel="icon" href="/browse/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/browse/style.css"></head>
        <body><main id="main"><div class="head"><h1>\(problem.title)</h1></div><section class="card"><p>\(problem.remedy)</p></section></main></body></html>
        """
    }
}
