import Foundation

/// Where a loop over pages is.
package struct PagePlace {
    /// The address of the next page; nil for the first.
    package private(set) var url: URL?
    package private(set) var isAtEnd = false
    private var visited: Set<URL> = []

    package init(_ start: URL?) {
        url = start
        if let start { visited.insert(start) }
    }

    /// Moves on to the next page.
    ///
    /// - Throws: `FHIRClientError.invalidResponse` if it was read before.
    package mutating func advance(to next: URL?, _ request: FHIRRequest) throws {
        guard let next else { isAtEnd = true; return }
        guard visited.insert(next).inserted else {
            isAtEnd = true
            throw FHIRClientError(.invalidResponse, "\(request): the links from page to page lead in a circle")
        }
        url = next
    }
}
