/// Limits on the content that is in memory at once.
///
/// A file can be of any size; only one resource must be in memory as a whole.
package struct ImportLimits: Sendable {
    /// The number of bytes read, handed over and written at once. Large enough that handing over costs nothing, small enough that a few batches
    /// of objects, four to five times their text, take little memory.
    package var chunk = 1 << 20
    /// The maximum number of batches that wait for the writer. Two are enough while both threads run evenly; more even out differences.
    package var waitingBatches = 4
    /// The number of bytes at the beginning that distinguish lines from a document. The longest line of Synthea's data is 1.7 MB.
    package var peek = 4 << 20
    /// The maximum length of a line or resource in bytes; an object takes up to five times its text.
    package var resource = 256 << 20
    /// The maximum length of the text kept of a rejected document.
    package var rejectedDocument = 16 << 20

    package init() {}
}
