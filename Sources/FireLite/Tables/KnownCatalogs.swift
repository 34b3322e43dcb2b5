import FireLiteCore
import Foundation

/// What the definitions in a file's catalog are to this version of the library, before a type is used.
struct CatalogContent: Sendable {
    /// The tables of the library's own.
    var ownTables: Set<String> = []
    /// The tables of resource types, whose definitions were checked.
    var unused: ContiguousArray<UnusedTable> = []
    /// Tables that the release does not know.
    var unknownTables: [String] = []
    /// Views of other programs, and their tables whose names begin with an underscore.
    var others: [String] = []
    /// The definitions of tables whose names begin with an underscore and that are not the store's own.
    var moduleDefinitions: [String: String] = [:]
    var triggers: [Trigger] = []

    struct Trigger: Sendable {
        let name: String
        let sql: String
    }
}

/// The catalogs that were read last in this process, with what they were found to be.
///
/// Each connection reads the catalog, and checking its definitions takes longer than reading it. The connections of one store read the same, and
/// so do those of a store that is opened again. A catalog is compared byte by byte: one that was changed in any way is checked.
final class KnownCatalogs: @unchecked Sendable {
    static let shared = KnownCatalogs()

    private struct Known {
        let release: FHIRRelease
        let rows: CatalogRows
        let content: CatalogContent
    }

    // `lock` guards the list.
    private let lock = NSLock()
    /// The one used last is the last.
    private var known: [Known] = []

    private static let capacity = 4
    /// The size of the largest catalog that is kept.
    private static let mostBytes = 1 << 20

    /// What a catalog was found to be; nil for one that is not known.
    func content(of rows: CatalogRows, _ release: FHIRRelease) -> CatalogContent? {
        lock.withLock {
            guard let index = known.lastIndex(where: { $0.release == release && $0.rows == rows }) else { return nil }
            if index < known.count - 1 { known.append(known.remove(at: index)) }
            return known.last?.content
        }
    }

    func insert(_ content: CatalogContent, of rows: CatalogRows, _ release: FHIRRelease) {
        guard rows.size <= Self.mostBytes else { return }
        lock.withLock {
            if known.count == Self.capacity { known.removeFirst() }
            known.append(Known(release: release, rows: rows, content: content))
        }
    }
}
