/// How far an import or export is.
public struct TransferProgress: Sendable, Equatable {
    /// The number of resources read or written so far. Those of an import that are not committed yet are among them.
    public var resources = 0
    /// The number of resources in finished transactions: what stays stored if an import ends now. An export has all of its resources here.
    public var committed = 0
    /// The number of resources in total, if known: that of an export is.
    public var totalResources: Int?
    /// The number of bytes of content read or written so far, uncompressed.
    public var bytes = 0
    /// The number of bytes in total, if known: those of an import of uncompressed files are.
    public var totalBytes: Int?
}
