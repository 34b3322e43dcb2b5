/// A fault that `FHIRStore.check()` found.
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault. Later versions may add kinds.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String
        /// The kind with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// SQLite's integrity check found it.
        public static let integrity = Kind(rawValue: "integrity")
        /// Some pages have no checksum, so that damage to them is not noticed: a program that keeps none has written them, or they were overwritten
        /// with zeros.
        public static let checksum = Kind(rawValue: "checksum")
        /// A part of the file cannot be read.
        public static let unreadable = Kind(rawValue: "unreadable")
        /// A table does not belong to the release.
        public static let unknownTable = Kind(rawValue: "unknownTable")
        /// A declaration of an index, or a trigger of a full-text index, is not as the library writes it.
        public static let index = Kind(rawValue: "index")
        /// Rows belong to no resource, or to no row of it. In tables of records and app data: to no record.
        public static let orphanRows = Kind(rawValue: "orphanRows")
        /// The registry and the tables disagree about a resource's rows.
        public static let registry = Kind(rawValue: "registry")
        /// A table of a module is missing, or is not as the library writes it.
        public static let module = Kind(rawValue: "module")
        /// A payload that a resource refers to is missing or incomplete, or is not noted as referred to. The resource can be read.
        public static let payload = Kind(rawValue: "payload")
        /// What a module keeps about resources does not match them.
        public static let mismatch = Kind(rawValue: "mismatch")
        /// A resource does not match its digest.
        public static let content = Kind(rawValue: "content")
        /// The next resource would get a number that is in use or invalid.
        public static let nextNumber = Kind(rawValue: "nextNumber")
        /// The store keeps ids unique, but a type has duplicates.
        public static let duplicateID = Kind(rawValue: "duplicateID")
    }

    /// The kind of fault.
    public let kind: Kind
    /// The affected table; nil for none or several.
    public let table: String?
    /// The affected resource type's FHIR name, if known.
    public let typeName: String?
    /// The number of the affected resource (`_resource.root`); nil for none or several.
    public let number: Int64?
    /// A description of the fault on one line, without values of records.
    public let text: String

    /// The text.
    public var description: String { text }

    package init(_ kind: Kind, table: String? = nil, typeName: String? = nil, number: Int64? = nil, _ text: String) {
        self.kind = kind
        self.table = table
        self.typeName = typeName
        self.number = number
        self.text = text
    }
}
