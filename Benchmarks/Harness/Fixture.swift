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

    /// - Parameter cores: how many cores a read may use; all of them by default.
    static func open(_ path: String, durability: FHIRStore.Durability = .full, cores: Int? = nil) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.durability = durability
        if let cores {
            configuration.maximumCores = cores
            // Small stores show as well what splitting costs.
            configuration.bytesForMoreCores = 0
        }
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    /// What an upsert of all resources did.
    struct Outcome {
        var added = 0
        var updated = 0
        var unchanged = 0
        var rows = 0
        /// How many writes there were.
        var writes = 0
    }

    /// A write of many more than the cache has room for makes SQLite write pages into its log again and again, and in the end all checksums.
    static let mostInAWrite = 100_000

    /// Stores all resources, in writes of 100,000 at most, and measures that, without the making of the objects.
    ///
    /// - Parameter edit: is done to each object first.
    @discardableResult
    static func upsertAll(
        _ corpus: Corpus, into store: FHIRStore, _ stopwatch: Stopwatch, edit: ((FHIRResource) -> Void)? = nil
    ) throws -> Outcome {
        var outcome = Outcome()
        var objects: [FHIRResource] = []
        var chunks = corpus.chunks()[...]
        try stopwatch.measure {
            while !chunks.isEmpty {
                try store.write { transaction in
                    let before = transaction.rowsWritten
                    var count = 0
                    while count < mostInAWrite, let range = chunks.popFirst() {
                        try stopwatch.exclude {
                            objects = []
                            objects = try corpus.objects(range)
                            if let edit { for object in objects { edit(object) } }
                        }
                        let result = try transaction.upsert(objects)
                        outcome.added += result.added
                        outcome.updated += result.updated
                        outcome.unchanged += result.unchanged
                        count += range.count
                    }
                    outcome.rows += transaction.rowsWritten - before
                    outcome.writes += 1
                }
            }
        }
        return outcome
    }
}
