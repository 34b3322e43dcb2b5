import FireLite
import FireLiteCore
import Foundation

/// Where the content of a version is.
enum VersionPlace: Sendable, Equatable {
    /// It is what the store has now, under this number.
    case stored(Int64)
    /// The change with this number replaced it.
    case replaced(Int64)
}

extension FHIRStore {
    /// The content at a place, compared with the digest that it was stored with; nil if it is no longer kept.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` for content that is not what was stored.
    func content(at place: VersionPlace, _ transaction: ReadTransaction) throws -> FHIRResource? {
        switch place {
        case .stored(let root): return try transaction.resource(number: root)
        case .replaced(let change):
            let rows = try sql("SELECT content, digest, revision FROM _change WHERE seq = ?", arguments: [.integer(change)])
            guard let row = rows.first, let text = row[0].text, case .blob(let digest) = row[1] else { return nil }
            let damage = FHIRStoreError(
                .notAStore, "\(path) is damaged: the content before change \(change) does not match its digest: restore a backup")
            let resource: FHIRResource
            do { resource = try FHIRJSON.resource(from: Data(text.utf8), release: release) } catch { throw damage }
            let known = self.digest(of: resource)
            guard withUnsafeBytes(of: known, { Array($0) }) == Array(digest) else { throw damage }
            transaction.noteRead(resource.resourceType, id: resource.id, version: row[2].integer)
            return resource
        }
    }
}
