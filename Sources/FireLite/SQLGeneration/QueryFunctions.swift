import FireLiteCore
import FireLiteSQLiteBridge

/// The SQL functions that statements of queries use in addition to `firelite_match`; they exist in the store's own connections.
enum QueryFunctions {
    /// `firelite_reference(text, type)`: the id of the stored resource of that type that a reference leads to.
    static let reference = "firelite_reference"
    /// `firelite_literal(text, type)`: the id in a reference to a resource of that type, under whatever base address.
    static let literal = "firelite_literal"
    /// `firelite_unversioned(text, '')`: a reference with a version, without it; NULL for one that has none.
    static let unversioned = "firelite_unversioned"
    /// `firelite_pk(root)`: the derived pk of a resource.
    static let pk = "firelite_pk"
    /// `firelite_root(pk)`: the number of the resource with this derived pk, or NULL.
    static let root = "firelite_root"
    /// `firelite_runs(key)`: the number of resources of the rows with these keys, or NULL if they are not in order.
    static let runs = "firelite_runs"

    /// `firelite_sampled(data, origin, factor, lowerLimit, upperLimit, end)`: the least (0) or greatest (1) value of `SampledData`, or NULL.
    static let sampled = "firelite_sampled"

    /// `firelite_section(date, offset, length)`: the year (4), month (7) or day (10) of a stored date by its own clock, or NULL: see ``SectionDate``.
    static let section = "firelite_section"

    static func register(_ connection: Connection, _ identity: StoreIdentity, _ bases: LocalBases) throws {
        try connection.addPartFunction(reference) { LiteralReference.localID(in: $0, type: $1, bases) }
        try connection.addPartFunction(literal) { LiteralReference.id(in: $0, type: $1) }
        try connection.addPartFunction(unversioned) { text, _ in
            LiteralReference(text).flatMap { $0.id.upperBound < text.count ? 0..<$0.id.upperBound : nil }
        }
        try connection.addNumberFunction(pk) { identity.pk(ofRoot: $0) }
        try connection.addReadingFunction(root) { identity.root(ofPK: String(decoding: $0, as: UTF8.self)) }
        try connection.addRunCounter(runs, without: RowKey.lastNode)
        try connection.addTextReader(section, numbers: 2) { text, numbers in
            SectionDate(stored: text, minutes: numbers[0], length: numbers[1]).map { Double($0.number) }
        }
        try connection.addTextReader(sampled, numbers: 5) { text, numbers in
            SampledValues(text, origin: numbers[0], factor: numbers[1], limits: (numbers[2], numbers[3])).bound(isGreatest: numbers[4] == 1)
        }
    }
}
