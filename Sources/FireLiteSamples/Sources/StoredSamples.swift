import FireLite
import Foundation

/// The samples that a store has, as a source for other external stores: imported samples can be forwarded.
///
/// It returns the samples of all types in the order in which they were stored, and the deletions. Observations that the app changes through
/// the same store object are returned again: see ``FireLite/FHIRStore/followSamples()``.
public final class StoredSamples: SampleSource {
    /// The source's name.
    public let name = "stored"
    /// The store.
    public let store: FHIRStore
    private let chosen: [SampleType]?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - store: the store with the samples.
    ///   - types: the types; nil for all in one order.
    public init(_ store: FHIRStore, types: [SampleType]? = nil) {
        self.store = store
        chosen = types
    }

    /// The chosen types, or all of them in one order.
    public func types() async throws -> [SampleType] { chosen ?? [.all] }

    /// Reports each commit that changes Observations, of this store object and of others.
    ///
    /// - Parameter types: the types of interest, all of which are reported.
    public func news(of types: [SampleType]) -> AsyncStream<SampleType> {
        let changes = store.changes()
        return AsyncStream(bufferingPolicy: .bufferingNewest(max(1, types.count))) { continuation in
            let following = Task {
                for await commit in changes where commit.typeNames?.contains("Observation") ?? true {
                    for type in types { continuation.yield(type) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in following.cancel() }
        }
    }

    /// The samples that were added and deleted since an anchor.
    public func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges {
        let last = anchor.flatMap { Int64(String(decoding: $0.data, as: UTF8.self)) } ?? 0
        return try await store.read { tx in
            var changes = SampleChanges(added: [], anchor: anchor, isComplete: true)
            var arguments: [SQLValue] = [.integer(last)]
            var condition = ""
            if type != .all {
                guard let number = try tx.sampleName("type", type.rawValue) else { return changes }
                condition = " AND type = ?"
                arguments.append(.integer(number))
            }
            let rows = try tx.sampleRows(
                "SELECT uuid, origin, series, start, number FROM _samples WHERE number > ?\(condition) ORDER BY number LIMIT ?",
                arguments + [.integer(Int64(limit))])
            changes.added = try tx.samples(rows.filter { !$0[3].isNull })
            changes.deleted = rows.filter { $0[3].isNull }.compactMap { SampleLedger.uuid($0[0]) }
            if let number = rows.last?[4].integer { changes.anchor = SampleAnchor(data: Data("\(number)".utf8)) }
            changes.isComplete = rows.count < limit
            return changes
        }
    }
}
