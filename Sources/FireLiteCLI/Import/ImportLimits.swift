/// How much of the content is in memory at once.
///
/// The content of a file may be of any size; only what is one resource must be in memory as a whole.
struct ImportLimits: Sendable {
    /// How much text is read, handed over and written at once. Large enough that handing over costs nothing, small enough that a few batches
    /// of objects, four to five times their text, are little memory.
    var chunk = 1 << 20
    /// How many batches wait for the writer. Two would do while both threads run evenly; more even out their differences.
    var waitingBatches = 4
    /// How much of the beginning tells lines from a document. The longest line of Synthea's data is 1.7 MB.
    var peek = 4 << 20
    /// The longest line or resource that is read, as an object takes up to five times its text.
    var resource = 256 << 20
    /// The longest text that is kept of a document that was rejected as a whole.
    var rejectedDocument = 16 << 20
}
