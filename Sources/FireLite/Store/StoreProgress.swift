/// The progress of a long call: importing, exporting, creating indexes, backing up, checking, recovering and rewriting a store.
///
/// ```swift
/// try store.backup(to: url, progress: { print("\($0.phase.rawValue): \($0.completed) of \($0.total ?? 0) \($0.unit.rawValue)") })
/// ```
/// Imports and exports also count ``resources``, ``committed`` ones and ``bytes``.
public struct StoreProgress: Sendable, Hashable {
    /// A part of a long call.
    public struct Phase: RawRepresentable, Sendable, Hashable {
        /// The name, for display.
        public let rawValue: String
        /// The one with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Reading resources and storing them. The unit is bytes.
        public static let importing = Phase(rawValue: "importing")
        /// Writing resources as NDJSON. The unit is resources.
        public static let exporting = Phase(rawValue: "exporting")
        /// Creating indexes.
        public static let indexing = Phase(rawValue: "indexing")
        /// Copying a store.
        public static let copying = Phase(rawValue: "copying")
        /// Rewriting a store's file.
        public static let rewriting = Phase(rawValue: "rewriting")
        /// Checking the structure of the file.
        public static let checkingFile = Phase(rawValue: "checking the file")
        /// Checking rows and their owners.
        public static let checkingTables = Phase(rawValue: "checking the tables")
        /// Comparing resources with their digests.
        public static let checkingResources = Phase(rawValue: "checking the resources")
        /// Copying the readable part of a damaged store.
        public static let recovering = Phase(rawValue: "recovering")
        /// Wrapping keys again.
        public static let rewrapping = Phase(rawValue: "wrapping keys")
    }

    /// The unit of the counts.
    public struct Unit: RawRepresentable, Sendable, Hashable {
        /// The name, for display.
        public let rawValue: String
        /// The one with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Rows of tables.
        public static let rows = Unit(rawValue: "rows")
        /// Pages of the file.
        public static let pages = Unit(rawValue: "pages")
        /// Tables.
        public static let tables = Unit(rawValue: "tables")
        /// Resources.
        public static let resources = Unit(rawValue: "resources")
        /// Keys of sealed content.
        public static let keys = Unit(rawValue: "keys")
        /// Bytes of content, uncompressed.
        public static let bytes = Unit(rawValue: "bytes")
        /// Steps of SQLite's virtual machine, if nothing else can be counted.
        public static let steps = Unit(rawValue: "steps")
    }

    /// The part of the call that is under way.
    public let phase: Phase
    /// The number of units done in this part; never less than before.
    public let completed: Int
    /// The number of units in this part; nil if it is unknown.
    public let total: Int?
    /// The unit of the counts.
    public let unit: Unit
    /// The index or table that is being worked on; nil if it is not a single one.
    public let subject: String?

    /// The number of resources read or written so far, those of an import that are not committed yet among them; nil if the call does not count
    /// resources.
    public let resources: Int?
    /// The number of resources in finished transactions of an import: what stays stored if it ends now; nil for other calls.
    public let committed: Int?
    /// The number of bytes of content read or written so far, uncompressed; nil if the call does not count bytes.
    public let bytes: Int?

    /// The fraction of this part that is done, from 0 to 1; nil if the total is unknown.
    public var fraction: Double? { total.map { $0 > 0 ? Double(completed) / Double($0) : 1 } }

    package init(
        _ phase: Phase, _ completed: Int, of total: Int?, _ unit: Unit, subject: String? = nil, resources: Int? = nil,
        committed: Int? = nil, bytes: Int? = nil
    ) {
        self.phase = phase
        self.completed = completed
        self.total = total
        self.unit = unit
        self.subject = subject
        self.resources = resources ?? (unit == .resources ? completed : nil)
        self.committed = committed
        self.bytes = bytes ?? (unit == .bytes ? completed : nil)
    }
}

/// Receives the progress of a long call, on the thread that does the work, about every millisecond of it or less often. An error that it throws
/// ends the call, as cancelling its task does: what the call has done so far is rolled back. An import keeps its finished transactions.
public typealias StoreProgressHandler = (StoreProgress) throws -> Void
