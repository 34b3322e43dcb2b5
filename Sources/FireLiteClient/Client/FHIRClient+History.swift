import FireLiteCore
import Foundation

extension FHIRClient {
    /// The versions of a resource, or of all resources of a type.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - id: the resource's id; nil for all of the type.
    ///   - parameters: `_since`, `_count` and others.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if that is no id.
    public func history(_ type: FHIRResource.Type, id: String? = nil, _ parameters: FHIRParameters = [:]) throws -> FHIRHistory {
        let path = try id.map { try FHIRRequest.path(type._layout.name, $0) } ?? type._layout.name
        return FHIRHistory(client: self, request: FHIRRequest(.get, path + "/_history", parameters: parameters), start: nil)
    }

    /// The versions of all resources of the server.
    ///
    /// - Parameter parameters: `_since`, `_count` and others.
    public func history(_ parameters: FHIRParameters = [:]) -> FHIRHistory {
        FHIRHistory(client: self, request: FHIRRequest(.get, "_history", parameters: parameters), start: nil)
    }

    /// Goes on with a history at one of its pages, also in another run of the program.
    ///
    /// - Parameter page: what ``FHIRHistoryPage/next`` was.
    public func history(from page: URL) -> FHIRHistory { FHIRHistory(client: self, request: FHIRRequest(.get, "_history"), start: page) }

    func historyPage(_ request: FHIRRequest, at url: URL?) async throws -> sending FHIRHistoryPage {
        let received = try await bundle(request, at: url)
        let entries = try historyEntries(received)
        return FHIRHistoryPage(
            entries: entries, total: received.total, next: received.next, serverTime: received.serverTime, content: received.content)
    }
}
