/// How far a bulk export is.
public enum BulkExportProgress: Sendable, Hashable {
    /// The server prepares the files. The text is its own words; nil if it has none.
    case preparing(String?)
    /// So many files of all are there, with so many bytes.
    case downloading(files: Int, of: Int, bytes: Int)
}
