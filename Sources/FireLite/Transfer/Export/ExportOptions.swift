/// Options of an export.
public struct ExportOptions: Sendable {
    /// How an export treats a resource that cannot be read, or that XML cannot hold.
    public enum FaultHandling: Sendable {
        /// It ends the export, `FHIRStoreError.notAStore` or `FHIRXMLError` is thrown, and no file appears.
        case stop
        /// It is skipped and counted.
        case skip
    }

    /// How resources are written.
    public enum Format: String, Sendable, CaseIterable {
        /// NDJSON, one resource on each line.
        case ndjson
        /// FHIR XML. As it has no form for many resources, they are the entries of one Bundle of type `collection`, one entry on each line.
        case xml
    }

    /// How resources are written to files and handles; sequences are always NDJSON. Default: NDJSON.
    public var format = Format.ndjson
    /// The names of the resource types to write. Default: nil, all stored ones.
    public var types: [String]?
    /// Whether a resource without an id gets its pk as id, and references to it by pk (`urn:uuid:`) become `Type/id`. The store is not changed.
    /// Default: false.
    public var assignsIDs = false
    /// How an export treats a resource that cannot be read, or that XML cannot hold. Default: stop.
    public var onFault = FaultHandling.stop
    /// Called with each skipped resource; its id may identify a person. An error that it throws ends the export.
    public var onUnreadable: (@Sendable (UnreadableResource) throws -> Void)?

    /// The default options.
    public init() {}
}

/// The result of an export.
public struct ExportResult: Sendable, Equatable {
    /// The number of resources written.
    public internal(set) var exported = 0
    /// The number of files written.
    public internal(set) var files = 0
    /// The number of resources that were skipped, as they cannot be read or XML cannot hold them.
    public internal(set) var unreadable = 0
    /// The number of resources written without an id. References to them are broken in other stores.
    public internal(set) var withoutID = 0
    /// The number of resources that were given an id.
    public internal(set) var assignedIDs = 0
}
