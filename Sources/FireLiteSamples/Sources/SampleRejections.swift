/// The records that a source could not read and skipped.
public struct SampleRejections: Sendable, Hashable {
    /// How many records were rejected.
    public internal(set) var count = 0
    /// The first of the reasons, with their lines.
    public internal(set) var first: [String] = []

    /// The number of reasons that are kept.
    private static let most = 20

    /// Nothing was rejected.
    init() {}

    /// Notes a record.
    mutating func note(_ error: SampleError) {
        count += 1
        if first.count < Self.most { first.append(error.description) }
    }

    static func += (left: inout SampleRejections, right: SampleRejections) {
        left.count += right.count
        left.first += right.first.prefix(most - left.first.count)
    }
}
