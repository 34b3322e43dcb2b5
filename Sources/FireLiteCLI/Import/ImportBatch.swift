import FireLite

/// Resources that were read and wait to be written, and what could not be read between them.
///
/// `@unchecked Sendable`: the reading thread gives a batch up when it puts it into the `BatchQueue`, from where the writing thread has it alone
/// until it gives it back to be freed. The queue's lock orders the two. Nothing else holds the objects; the strings in them are shared, which is safe as they never change.
final class ImportBatch: @unchecked Sendable {
    /// Where a resource was read.
    struct Origin {
        let place: TextPlace
        /// The part of `text` that it was read from.
        let range: Range<Int>
    }

    /// The text of the resources, filled before the batch is handed over.
    let text: TextBuffer
    private(set) var resources: [FHIRResource] = []
    /// The digests of the resources' contents.
    private(set) var digests: [ContentDigest.Value] = []
    private(set) var origins: [Origin] = []
    private(set) var faults: [ImportFault] = []
    /// What a person should know of what was stored, or was not to be: a line each.
    private(set) var notes: [String] = []
    /// How many resources are left out as a history has newer versions of them.
    var superseded = 0
    /// How many said something about a search and are no resources of it.
    private(set) var outcomes = 0
    /// How many bytes of the content are read.
    var end = 0

    init(text: TextBuffer) { self.text = text }

    func append(_ resource: FHIRResource, _ digest: ContentDigest.Value, _ origin: Origin) {
        resources.append(resource)
        digests.append(digest)
        origins.append(origin)
    }

    func append(_ fault: ImportFault) { faults.append(fault) }

    func note(_ line: String) { notes.append(line) }

    func append(outcome line: String) {
        outcomes += 1
        notes.append(line)
    }

    /// The text that a resource was read from.
    func text(of origin: Origin) -> String { String(decoding: text.slice(origin.range), as: UTF8.self) }
}
