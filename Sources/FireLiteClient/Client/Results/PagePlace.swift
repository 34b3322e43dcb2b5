import FireLiteCore
import Foundation

/// What tells pages apart: which versions of which resources a page has.
package struct PageContent: Sendable {
    /// Whether the page has no entry but what the server says about the search.
    fileprivate var isEmpty: Bool { entries.isEmpty }
    /// The hash values of types, ids and versions.
    fileprivate private(set) var entries: Set<Int> = []
    /// The number of matches, or of versions of a history.
    fileprivate private(set) var count = 0
    /// The number of matches on all pages; nil of a history, or if the server does not say.
    fileprivate let total: Int?

    init(_ bundle: FHIRObject, _ unreadable: [UnreadableEntry]) {
        total = bundle.text("type") == "searchset" ? bundle.integer("total") : nil
        for entry in bundle.children("entry") {
            let mode = entry.child("search")?.text("mode")
            // What the server says about the search is the same on each page.
            if mode == "outcome" { continue }
            let resource = entry.child("resource") as? FHIRResource
            let request = entry.child("request")
            entries.insert(
                [
                    resource?.resourceType, resource?.id, resource?.child("meta")?.text("versionId"), entry.text("fullUrl"),
                    request?.text("method"), request?.text("url"), entry.child("response")?.text("etag"),
                    entry.child("response")?.text("lastModified"),
                ].hashValue)
            if mode == nil || mode == "match" { count += 1 }
        }
        for entry in unreadable { entries.insert([entry.typeName, entry.id, entry.version].hashValue) }
    }
}

/// Where a loop over pages is.
///
/// A server, or what answers instead of it, could go on for ever: each page has a new link. So pages must bring something new.
package struct PagePlace {
    /// How many pages may repeat entries before one brings a new entry.
    static let maximumBarrenPages = 5
    /// How many pages may be empty before one brings a new entry. Servers that leave out entries after dividing them into pages, such as those that
    /// a user may not see, have many empty pages.
    static let maximumEmptyPages = 1_000
    /// How many matches there may be besides a stated total, and how many times as many: totals may be estimates.
    static let excess = (count: 1_000, times: 10)

    /// The address of the next page; nil for the first.
    package private(set) var url: URL?
    package private(set) var isAtEnd = false
    private var visited: Set<URL> = []
    private var seen: Set<Int> = []
    private var (barren, empty) = (0, 0)
    private var count = 0
    private var total: Int?

    package init(_ start: URL?) {
        url = start
        if let start { visited.insert(start) }
    }

    /// Moves on to the next page.
    ///
    /// - Parameters:
    ///   - next: its address; nil if there is none.
    ///   - content: what the present page has.
    ///   - request: describes the page in errors.
    /// - Throws: `FHIRClientError.invalidResponse` if the next page was read before, if pages bring nothing new, or if there is far more than the server
    ///   says in all.
    package mutating func advance(to next: URL?, _ content: PageContent, _ request: FHIRRequest) throws {
        guard let next else { isAtEnd = true; return }
        guard visited.insert(next).inserted else {
            throw end("\(request): the links from page to page lead in a circle")
        }
        if content.isEmpty {
            empty += 1
        } else if content.entries.isSubset(of: seen) {
            barren += 1
        } else {
            (barren, empty) = (0, 0)
        }
        seen.formUnion(content.entries)
        count += content.count
        total = [total, content.total].compactMap { $0 }.max()
        guard barren < Self.maximumBarrenPages else {
            throw end("\(request): \(barren) pages in a row have nothing new, and each has a link to another one")
        }
        guard empty < Self.maximumEmptyPages else {
            throw end("\(request): \(empty) pages in a row are empty, and each has a link to another one")
        }
        if let total, total >= 0, count / Self.excess.times > total, count - total > Self.excess.count {
            throw end("\(request): the pages have \(count) results so far, of which there are \(total) as the server says")
        }
        url = next
    }

    private mutating func end(_ message: String) -> FHIRClientError {
        isAtEnd = true
        return FHIRClientError(.invalidResponse, message)
    }
}
