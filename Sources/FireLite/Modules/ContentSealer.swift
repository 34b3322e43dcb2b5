import FireLiteCore
import Foundation

/// Keeps the content of some resources sealed, in a table of its module. The rows of such a resource have only its elements in the clear.
package protocol ContentSealer: AnyObject, Sendable {
    /// Whether it can seal and open, so that it is asked about each resource that comes in.
    var hasKeys: Bool { get }

    /// Whether resources of a type are sealed that come in with an import or a sync.
    func seals(_ typeName: String, _ tx: ReadTransaction) throws -> Bool

    /// The whole content of the sealed resource with a number.
    ///
    /// - Throws: `FHIRStoreError`: `missingKey`, `wrongKey`.
    func open(number root: Int64, _ typeName: String, _ tx: ReadTransaction) throws -> FHIRResource

    /// Stores a whole resource: seals it, and leaves the rest in the clear.
    ///
    /// - Throws: `FHIRStoreError`: `missingKey`, `wrongKey` if the stored one cannot be opened, so that nobody knows what would be lost.
    func store(_ resource: FHIRResource, _ policy: UpsertPolicy, _ tx: WriteTransaction) throws -> SealedOutcome

    /// Seals a text about a resource of a type that is sealed, and opens what it made of it.
    ///
    /// - Throws: `FHIRStoreError`: `missingKey`, `wrongKey`.
    func seal(text: String) throws -> String
    func open(text: String) throws -> String
}

/// What became of a resource that was stored sealed.
package enum SealedOutcome: Sendable {
    case added, updated, unchanged
    /// The stored one is newer and is kept.
    case older
}

/// What seals the content of a store's resources, if anything does.
///
/// `@unchecked Sendable`: `lock` guards the variable.
package final class ContentSealing: @unchecked Sendable {
    /// The table with the sealed content, whose key is the number of the resource.
    static let contentTable = "_record_content"
    /// How a sealed text begins. No JSON does.
    package static let textStart = "sealed:"

    private let lock = NSLock()
    private weak var current: (any ContentSealer)?

    init() {}

    /// Seals what comes in, and opens what goes out; nil if nothing here can.
    package var sealer: (any ContentSealer)? {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}

/// A module that notes something about the content of each resource as it is written, such as a hash of it, so that it need not read
/// the resource again at the commit. A store has one at most: the first that was added.
package protocol ContentWitness: WriteParticipant {
    /// Called with each resource that a write adds or changes, each time. It must not use the store, nor change or keep the resource.
    ///
    /// - Returns: the note, which `WrittenResource` has at the commit.
    /// - Throws: an error that the write fails with.
    func note(on resource: FHIRResource) throws -> [UInt8]
}
