import Foundation

/// How the pages of a search follow each other, so that no resource is skipped.
///
/// A search goes on from the newest time of change on a page, which no change in between can hide a resource from. That needs a server that sorts as it
/// is asked to, and many do not, whatever their self links say. So the order must be shown: each page and all of them in order, a search in the
/// opposite order that begins with something newer, and totals that fit. Without that, the pull goes from link to link, and its end is compared by ids and
/// versions.
struct PullOrder: Sendable {
    /// What a page has.
    struct Page: Sendable {
        /// The times of change of its matches, in their order; nil for one that has none.
        var times: [Int64?] = []
        var total: Int?
        var next: URL?
    }

    /// What comes after a page.
    enum Step: Sendable {
        /// The search is at its end.
        case end
        /// Another page is read.
        case more
        /// Another page is read once the server has shown that it sorts.
        case proof
    }

    /// Where the pull began: everything that was changed before is here.
    let begin: Int64?
    /// Where the present search begins.
    private(set) var start: Int64?
    /// The next page; nil for the first one of the present search.
    private(set) var url: URL?
    /// Everything that was changed before has been pulled, as far as that is shown; nil for no more than before.
    private(set) var done: Int64?
    /// Whether pages are read from link to link.
    private(set) var isWalk: Bool
    /// Whether something may have been skipped, so that ids and versions are compared in the end.
    private(set) var isUnsure: Bool
    private(set) var pages = 0
    private var restarts = 0
    private var isProven = false
    /// The least total that the present search must have.
    private var least: Int?
    /// The number of matches on earlier pages of the present search.
    private var earlier = 0
    private var last = Int64.min

    /// - Parameters:
    ///   - begin: where the pull begins; nil for everything.
    ///   - page: the page on which an earlier walk ended early.
    init(begin: Int64?, page: URL?) {
        self.begin = begin
        start = begin
        url = page
        isWalk = page != nil
        isUnsure = page != nil
    }

    /// Takes in a page.
    mutating func take(_ page: Page) -> Step {
        pages += 1
        guard !isWalk else { return link(page) }
        let times = page.times.compactMap { $0 }
        let isOrdered = times.count == page.times.count && zip([last] + times, times).allSatisfy { $0 <= $1 }
        let isWhole = least.flatMap { least in page.total.map { $0 >= least } } ?? true
        guard isOrdered, isWhole else {
            // On the first page nothing is lost yet.
            if pages == 1 { return walk(page) }
            restart()
            return .more
        }
        if let start, pages > 1 { done = start }
        guard page.next != nil else {
            isUnsure = isUnsure || (page.total.map { $0 > earlier + times.count } ?? false)
            return .end
        }
        last = times.last ?? last
        return isProven ? advance(page, times) : .proof
    }

    /// Takes in what a search in the opposite order begins with.
    ///
    /// - Parameters:
    ///   - time: the time of change of its first match; nil if that is not known.
    ///   - page: the page that was taken in before.
    mutating func take(proof time: Int64?, _ page: Page) {
        let times = page.times.compactMap { $0 }
        isProven = time.map { $0 > times.first ?? .max && $0 >= times.last ?? .max } ?? false
        _ = isProven ? advance(page, times) : walk(page)
    }

    /// The server does not know the next page any more.
    ///
    /// - Returns: whether the pull begins again.
    mutating func lost() -> Bool {
        guard url != nil, restarts < 3 else { return false }
        restarts += 1
        url = nil
        earlier = 0
        isUnsure = true
        return true
    }

    private mutating func advance(_ page: Page, _ times: [Int64]) -> Step {
        if let newest = times.last, newest > start ?? .min {
            // What is left has this time or a later one.
            least = page.total.map { $0 - earlier - times.count { $0 < newest } }
            (start, url, earlier) = (newest, nil, 0)
        } else {
            url = page.next
            earlier += times.count
        }
        return .more
    }

    private mutating func walk(_ page: Page) -> Step {
        isWalk = true
        return link(page)
    }

    private mutating func link(_ page: Page) -> Step {
        isUnsure = isUnsure || page.next != nil || pages > 1
        url = page.next
        return page.next == nil ? .end : .more
    }

    private mutating func restart() {
        isWalk = true
        isUnsure = true
        (start, url, earlier, least) = (begin, nil, 0, nil)
    }
}
