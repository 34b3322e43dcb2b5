import FireLite
import FireLiteR4

/// A file filled with the data, made when it is first needed and copied by what changes it.
final class Fixture {
    private let corpus: Corpus
    private let scratch: ScratchFolder
    private var file: String?
    private var knownRows: StoredRows?

    init(corpus: Corpus, scratch: ScratchFolder) {
        self.corpus = corpus
        self.scratch = scratch
    }

    func path() throws -> String {
        if let file { return file }
        let path = scratch.fresh()
        try Self.upsertAll(corpus, into: Self.open(path), Stopwatch())
        file = path
        return path
    }

    /// How many rows each resource has in the file.
    func storedRows() throws -> StoredRows {
        let rows = try knownRows ?? StoredRows(path())
        knownRows = rows
        return rows
    }

    /// Takes a file that was filled for another purpose.
    func adopt(_ path: String) {
        delete()
        file = path
    }

    func delete() {
        if let file { scratch.delete(file) }
        file = nil
        knownRows = nil
    }

    static func open(_ path: String, durability: FHIRStore.Durability = .full) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.durability = durability
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    /// What an upsert of all resources did.
    struct Outcome {
        var added = 0
        var updated = 0
        var unchanged = 0
        var rows = 0
    }

    /// Stores all resources in one write and measures that, without the making of the objects.
    ///
    /// - Parameter edit: is done to each object first.
    @discardableResult
    static func upsertAll(
        _ corpus: Corpus, into store: FHIRStore, _ stopwatch: Stopwatch, edit: ((FHIRResource) -> Void)? = nil
    ) throws -> Outcome {
        var outcome = Outcome()
        var objects: [FHIRResource] = []
        try stopwatch.measure {
            try store.write { transaction in
                let before = transaction.rowsWritten
                for range in corpus.chunks() {
                    try stopwatch.exclude {
                        objects = []
                        objects = try corpus.objects(range)
                        if let edit { for object in objects { edit(object) } }
                    }
                    let result = try transaction.upsert(objects)
                    outcome.added += result.added
                    outcome.updated += result.updated
                    outcome.unchanged += result.unchanged
                }
                outcome.rows = transaction.rowsWritten - before
            }
        }
        return outcome
    }
}
