import FireLite
import FireLiteCore
import Foundation

/// The code systems, value sets and concept maps of a store as a source of definitions.
public struct StoredDefinitions: TerminologySource {
    private let store: FHIRStore
    var clock: FHIRClock { store.clock }

    /// The definitions of a store.
    ///
    /// - Parameter store: the store. It is read when a terminology asks for a definition.
    public init(_ store: FHIRStore) { self.store = store }

    /// The stored definitions with a canonical URL.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - url: the canonical URL without a version.
    /// - Throws: `FHIRStoreError` if the store cannot be read.
    public func definitions(ofType type: String, url: String) throws -> [Data] {
        try store.read { transaction in
            try transaction.definitions(ofType: type, url: url, store.release).map { FHIRJSON.data($0) }
        }
    }
}

extension ReadTransaction {
    /// The stored resources of a type with a canonical URL.
    fileprivate func definitions(ofType type: String, url: String, _ release: FHIRRelease) throws -> [FHIRResource] {
        guard let layout = release.resourceLayout(named: type), hasTable(of: layout), let slot = layout.element(named: "url")?.slot else {
            return []
        }
        var request = QueryRequest(layout)
        request.predicate = .value(QueryPath([PathStep(slot: slot)]), .compare(.equal, .text(url)))
        return try resources(keys: places(request).map(\.key))
    }
}
