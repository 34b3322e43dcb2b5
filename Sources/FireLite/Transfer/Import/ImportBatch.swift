import FireLiteCore

/// Resources that wait to be written, and the texts between them that could not be read.
///
/// `@unchecked Sendable`: the reading thread hands over a batch through the `BatchQueue`, and only the writing thread uses it
/// until it gives it back to be freed. The queue's lock orders the two. Where several threads validate its resources, each looks at others, and the
/// lock of `OrderedWorkers` orders that. Nothing else holds the objects; the strings in them are shared, which is safe as they never change.
package final class ImportBatch: @unchecked Sendable {
    /// Where a resource was read.
    package struct Origin {
        package let place: TextPlace
        /// The range of `text` that it was read from.
        let range: Range<Int>
    }

    /// The text of the resources, filled before the batch is handed over.
    let text: TextBuffer
    package private(set) var resources: [FHIRResource] = []
    /// The digests of the resources' contents.
    private(set) var digests: [ContentDigest.Value] = []
    package private(set) var origins: [Origin] = []
    package private(set) var faults: [RejectedText] = []
    /// Notes for the user about what was stored and what was not, one line each.
    package private(set) var notes: [String] = []
    /// The places that were mended in the resources.
    package private(set) var mends: [MendedPlace] = []
    /// The number of resources skipped because a history has newer versions of them.
    package var superseded = 0
    /// The number of OperationOutcomes about a search, which are not stored.
    package private(set) var outcomes = 0
    /// The number of bytes of the content read so far.
    var end = 0

    init(text: TextBuffer) { self.text = text }

    func append(_ resource: FHIRResource, _ digest: ContentDigest.Value, _ origin: Origin) {
        resources.append(resource)
        digests.append(digest)
        origins.append(origin)
    }

    func append(_ fault: RejectedText) { faults.append(fault) }

    func note(_ line: String) { notes.append(line) }

    func append(_ place: MendedPlace) { mends.append(place) }

    func append(outcome line: String) {
        outcomes += 1
        notes.append(line)
    }

    /// The text that a resource was read from.
    func text(of origin: Origin) -> String { String(decoding: text.slice(origin.range), as: UTF8.self) }
}
