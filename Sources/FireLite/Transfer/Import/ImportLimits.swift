/// Limits on the content that is in memory at once.
///
/// A file can be of any size; only one resource must be in memory as a whole.
///
/// ```swift
/// var options = ImportOptions()
/// options.limits.resource = 16 << 20
/// ```
public struct ImportLimits: Sendable, Hashable {
    /// The maximum length in bytes of a line, of a resource, and of what lies between the entries of a Bundle. Default: 256 MB.
    ///
    /// Longer text is rejected. A resource takes up to five times its text in memory. Between 1 and 2,147,483,647.
    public var resource = 256 << 20

    /// The number of bytes read, handed over and written at once. Large enough that handing over costs nothing, small enough that a few batches
    /// of objects, four to five times their text, take little memory.
    package var chunk = 1 << 20
    /// The maximum number of batches that wait for the writer. Two are enough while both threads run evenly; more even out differences.
    package var waitingBatches = 4
    /// The number of bytes at the beginning that distinguish lines from a document. The longest line of Synthea's data is 1.7 MB.
    package var peek = 4 << 20
    /// The maximum length of the text kept of a rejected document.
    package var rejectedDocument = 16 << 20
    /// The number of bytes after which a line that is rejected as too long is not read to its end: it has none, as those of `/dev/zero`.
    package var skippedLine = 1 << 30

    /// The default limits.
    public init() {}
}
