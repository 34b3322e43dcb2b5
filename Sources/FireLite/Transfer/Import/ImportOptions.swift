import FireLiteCore

/// How an import reads and stores resources.
public struct ImportOptions: Sendable {
    /// How an import treats a text that cannot be stored.
    public enum FaultHandling: Sendable {
        /// It ends the import; ``ImportFault`` is thrown.
        case stop
        /// It is skipped and counted.
        case skip
    }

    /// Which resources are stored together, or not at all.
    public enum Transactions: Sendable {
        /// Each file is one transaction, whatever its size.
        case files
        /// A transaction ends with the first megabyte of text that reaches this number of resources, or with the file.
        case batches(Int)
    }

    /// How an import treats a text that cannot be stored. Default: stop.
    public var onFault = FaultHandling.stop
    /// What is stored together. Default: batches of 20,000 resources.
    public var transactions = Transactions.batches(20_000)
    /// Whether a Bundle is stored as one resource. Default: false, its entries are stored one by one.
    public var keepsBundles = false
    /// Whether dates that are not in FHIR's format are corrected if they have one meaning, with a note for each. Default: false, they are
    /// mistakes.
    public var correctsDates = false
    /// With ``correctsDates``: the offset of times that have none, `Z` or `±HH:MM`. Default: nil, they are mistakes.
    public var timeOffset: String?
    /// What to do if a stored resource is newer. Default: replace it.
    public var policy = UpsertPolicy.replace
    /// Where the resources come from; the change log lists only local changes. Default: `.local`.
    public var origin = WriteOrigin.local
    /// The number of rejected texts that the result lists; all are counted. Default: 100.
    public var listedRejects = 100
    /// Called with each rejected text, which may identify people, in order. An error that it throws ends the import.
    ///
    /// Called again for the same text if its transaction was not committed and the import is repeated.
    public var onReject: (@Sendable (ImportFault, _ text: String) throws -> Void)?
    /// Called with each correction of a date, and each report of a server about a search: one line without values.
    public var onNote: (@Sendable (String) throws -> Void)?

    /// How long a resource can be.
    public var limits = ImportLimits()

    var zlib: @Sendable () throws -> Zlib = { try Zlib.system() }

    /// The default options.
    public init() {}

    /// - Throws: `TransferError.invalidOption`.
    func content(_ release: FHIRRelease) throws -> ContentOptions {
        if let timeOffset, FHIRDateTime("2020-01-01T00:00:00\(timeOffset)") == nil {
            throw TransferError(.invalidOption, "timeOffset is neither Z nor of the form +01:00")
        }
        if case .batches(let number) = transactions, number < 1 {
            throw TransferError(.invalidOption, "a batch has at least 1 resource, not \(number)")
        }
        guard (1...Int(Int32.max)).contains(limits.resource) else {
            throw TransferError(.invalidOption, "limits.resource is between 1 and \(Int32.max) bytes, not \(limits.resource)")
        }
        var content = ContentOptions(
            release: release, stopsAtFault: onFault == .stop, keepsBundles: keepsBundles,
            dates: correctsDates ? DateMender(offset: timeOffset) : nil, limits: limits)
        content.zlib = zlib
        return content
    }

    /// The callbacks as an importer calls them.
    func handlers(_ progress: StoreProgressHandler?) -> Importer.Handlers {
        var handlers = Importer.Handlers()
        if let onReject { handlers.reject = { for text in $0 { try onReject(text.fault, text.text) } } }
        if let onNote { handlers.note = { for note in $0 { try onNote(note) } } }
        if let progress { handlers.progress = progress }
        return handlers
    }
}
