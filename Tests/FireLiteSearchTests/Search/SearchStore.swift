import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation

/// A store of R4 with resources given as JSON, and searches in it.
struct SearchStore {
    let store: FHIRStore
    var options = SearchOptions()

    init(_ json: String..., release: FHIRRelease = .r4) throws {
        store = try FHIRStore.inMemory(release: release)
        options.timeZone = .gmt
        options.handling = .strict
        try store.write { tx in for text in json { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: release)) } }
    }

    /// The ids of the matches, in their order.
    func ids(_ search: String) throws -> [String] { try store.search(search, options: options).matches.compactMap(\.id) }

    /// The code of the error that a search ends with; nil if it has results.
    func error(_ search: String) throws -> SearchError? {
        do {
            _ = try store.search(search, options: options)
            return nil
        } catch let error as SearchError {
            return error
        }
    }
}
