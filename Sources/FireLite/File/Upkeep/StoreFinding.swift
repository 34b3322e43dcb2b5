/// A fault that `FHIRStore.check()` found.
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
    /// What kind of fault it is. Later versions may have more.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// SQLite's integrity check found it.
        public static let integrity = Kind(rawValue: "integrity")
        /// A part of the file cannot be read.
        public static let unreadable = Kind(rawValue: "unreadable")
        /// A table is none of the release.
        public static let unknownTable = Kind(rawValue: "unknownTable")
        /// A declaration of an index, or a trigger of a full-text index, is not as the library writes it.
        public static let index = Kind(rawValue: "index")
        /// Rows belong to no resource, or to no row of it.
        public static let orphanRows = Kind(rawValue: "orphanRows")
        /// The registry and the tables disagree about what rows a resource has.
        public static let registry = Kind(rawValue: "registry")
        /// A resource is not what was stored.
        public static let content = Kind(rawValue: "content")
        /// The next resource would get a number that is taken, or none.
        public static let nextNumber = Kind(rawValue: "nextNumber")
        /// The store keeps ids unique, and a type has some more than once.
        public static let duplicateID = Kind(rawValue: "duplicateID")
    }

    public let kind: Kind
    /// The table that it is about; nil if it is about none or several.
    public let table: String?
    /// FHIR's name of the resource type that it is about, as far as that is known.
    public let typeName: String?
    /// The number of the resource that it is about (`_resource.root`); nil if it is about none or several.
    public let number: Int64?
    /// The fault in words, on one line, without values of records.
    public let text: String

    public var description: String { text }

    init(_ kind: Kind, table: String? = nil, typeName: String? = nil, number: Int64? = nil, _ text: String) {
        self.kind = kind
        self.table = table
        self.typeName = typeName
        self.number = number
        self.text = text
    }
}
