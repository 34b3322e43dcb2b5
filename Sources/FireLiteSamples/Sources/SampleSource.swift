import Foundation

/// A source of samples: a health database, a file, an array.
///
/// A source does not track its readers: it returns a ``SampleAnchor`` with its samples, and the reader passes it the next time.
public protocol SampleSource: Sendable {
    /// The source's name, by which anchors are kept.
    var name: String { get }

    /// The types that it has; ``SampleType/all`` alone if it gives all of them in one order.
    ///
    /// - Throws: what keeps it from reading.
    func types() async throws -> [SampleType]

    /// The samples that were added and deleted since an anchor.
    ///
    /// - Parameters:
    ///   - type: the types of samples to read.
    ///   - anchor: what an earlier call returned; nil to begin.
    ///   - limit: the maximum number of samples.
    /// - Throws: what keeps it from reading.
    func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges

    /// Reports types that have new samples, until the loop ends. The default reports nothing.
    ///
    /// - Parameter types: the types of interest.
    func news(of types: [SampleType]) -> AsyncStream<SampleType>
}

extension SampleSource {
    /// A stream that ends at once.
    public func news(of types: [SampleType]) -> AsyncStream<SampleType> { AsyncStream { $0.finish() } }
}

/// How far a source was read. Only the source understands it.
public struct SampleAnchor: Sendable, Hashable {
    /// The source's bytes.
    public var data: Data

    /// An anchor of these bytes.
    public init(data: Data) { self.data = data }
}

/// The samples that were added and deleted since an anchor.
public struct SampleChanges: Sendable {
    /// New samples, in their order.
    public var added: [Sample]
    /// The UUIDs of deleted samples.
    public var deleted: [UUID]
    /// The position after these changes; nil if it is unchanged.
    public var anchor: SampleAnchor?
    /// Whether there are no more changes now.
    public var isComplete: Bool
    /// Records that could not be read and were skipped.
    public var rejections = SampleRejections()

    /// Creates changes.
    ///
    /// - Parameters:
    ///   - added: new samples.
    ///   - deleted: the UUIDs of deleted samples.
    ///   - anchor: the position after these changes.
    ///   - isComplete: whether there are no more changes now.
    public init(added: [Sample], deleted: [UUID] = [], anchor: SampleAnchor?, isComplete: Bool) {
        self.added = added
        self.deleted = deleted
        self.anchor = anchor
        self.isComplete = isComplete
    }
}
