import FireLiteCore
import Foundation

/// A local change of a resource in the change log: see `FHIRStore.changes(since:)`.
public struct LoggedChange: Sendable, Identifiable {
    /// Its number in the log: of a squashed change, that of the last one. Numbers increase from commit to commit and are never reused.
    public let sequence: Int64
    /// The overall change of the resource.
    public let kind: ResourceChange.Kind
    /// FHIR's name of the resource type.
    public let typeName: String
    /// The resource's logical id now, or the last one of a deleted resource; nil if it has none.
    public let resourceID: String?
    /// The store's own key of the resource.
    public let pk: String
    /// When it was committed, by the clock of the device; never used for order.
    public let date: Date
    /// The resource before the change, as JSON; nil if it was added.
    public let base: String?
    /// The resource now, as JSON; nil if it was deleted. Changes that are read one by one have the state after each.
    public let current: String?

    let release: FHIRRelease

    /// Its number in the log, which is `sequence`.
    public var id: Int64 { sequence }

    /// The elements that differ between `base` and `current`: `name[0].given[1]`, "Peter", "Piet". Empty if there is only one of them.
    ///
    /// - Throws: `FHIRDecodingError` if the classes of the resource have changed since.
    public func differences() throws -> [ElementDifference] {
        guard let base, let current else { return [] }
        let old = try FHIRJSON.resource(from: Data(base.utf8), release: release)
        return old.differences(to: try FHIRJSON.resource(from: Data(current.utf8), release: release))
    }
}

/// Changes that were read from the change log together, and how far they go.
public struct LoggedChanges: RandomAccessCollection, Sendable {
    private let changes: [LoggedChange]
    /// The number of the last log entry that was read, for `ChangeReader.acknowledge(through:)`. Squashing may leave changes out, so it can be
    /// greater than the number of each change.
    public let through: Int64

    init(_ changes: [LoggedChange], through: Int64) {
        self.changes = changes
        self.through = through
    }

    /// The position of the first change.
    public var startIndex: Int { changes.startIndex }
    /// The position after the last change.
    public var endIndex: Int { changes.endIndex }
    /// The change at a position, in the order of the log.
    public subscript(position: Int) -> LoggedChange { changes[position] }
}
