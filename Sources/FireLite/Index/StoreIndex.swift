/// An index of a store, as it was declared.
public struct StoreIndex: Sendable, Hashable {
    /// What an index is for.
    public enum Kind: String, Sendable {
        /// Values of one column, or of several of one row.
        case values
        /// Words (`fullTextIndex`).
        case fullText
        /// Every column of a kind (`StoreIndexSet`).
        case set
    }

    /// Its name in the file: `Observation_code_coding__code`.
    public let name: String
    public let kind: Kind
    /// The resource type it is for; nil for a set for all types.
    public let typeName: String?
    /// The table whose rows it has; nil for a set.
    public let table: String?
    /// The columns it has, in their order.
    public let columns: [String]
    /// Whether it is in the file; false while no resource has had a value for it.
    public let isBuilt: Bool
}

/// A ready-made set of indexes: every column of a kind, those to come included.
///
/// Documentation/Queries.md says what each costs on a bulk upsert and in the file.
public struct StoreIndexSet: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `Reference.reference`, wherever there is one: what points to a resource.
    public static let references = StoreIndexSet(rawValue: "references")
    /// `Identifier.value`, wherever there is one.
    public static let identifiers = StoreIndexSet(rawValue: "identifiers")
    /// `Coding.code`, wherever there is one.
    public static let codes = StoreIndexSet(rawValue: "codes")
    /// Dates and times in the resources' own rows, those of a Period included: what is sorted by.
    public static let dates = StoreIndexSet(rawValue: "dates")

    package static let known: [StoreIndexSet] = [.references, .identifiers, .codes, .dates]
}

/// How far the building of indexes has come.
public struct IndexProgress: Sendable {
    /// The index that is being built.
    public let name: String
    /// How many indexes are built, and how many there are to build.
    public let finished: Int
    public let total: Int
    /// How much of the work is done, from 0 to 1; an estimate from the number of rows.
    public let fraction: Double
}
