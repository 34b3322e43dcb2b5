/// A declared index of a store.
public struct StoreIndex: Sendable, Hashable {
    /// The kind of an index.
    public enum Kind: String, Sendable {
        /// Values of one column, or of several columns of one row.
        case values
        /// Text of one column, with upper and lower case of A to Z as the same: for searches that ignore case and accents.
        case caseless
        /// Words (`createFullTextIndex`).
        case fullText
        /// Every column of a kind (`StoreIndexSet`).
        case set
    }

    /// Its name in the file: `Observation_code_coding__code`.
    public let name: String
    /// The kind of the indexed values.
    public let kind: Kind
    /// The resource type it is for; nil for a set for all types.
    public let typeName: String?
    /// The indexed table; nil for a set.
    public let table: String?
    /// The indexed columns, in their order.
    public let columns: [String]
    /// Whether it exists in the file; false until a resource has a value for it.
    public let isBuilt: Bool
}

/// A predefined set of indexes: every column of a kind, including those added later.
///
/// <doc:Queries> has the cost of each in time and space.
public struct StoreIndexSet: RawRepresentable, Sendable, Hashable {
    /// The name of the set.
    public let rawValue: String
    /// The set with this name; only those below exist.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Every `Reference.reference`.
    public static let references = StoreIndexSet(rawValue: "references")
    /// Every `Identifier.value`.
    public static let identifiers = StoreIndexSet(rawValue: "identifiers")
    /// Every `Coding.code`.
    public static let codes = StoreIndexSet(rawValue: "codes")
    /// Dates and times in the resources' own rows, including those of a Period, for sorting.
    public static let dates = StoreIndexSet(rawValue: "dates")

    package static let known: [StoreIndexSet] = [.references, .identifiers, .codes, .dates]
}
