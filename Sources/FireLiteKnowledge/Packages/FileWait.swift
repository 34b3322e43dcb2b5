import FireLiteSQLiteBridge

/// How long programs wait for each other at a file of packages, and what they say if that was not enough.
enum FileWait {
    /// The time for which a reader waits for a writer, in milliseconds. The end of an import takes as long as the disk needs for a release.
    static let reading = 30_000
    /// The time for which a writer waits for another one, and for readers, in milliseconds.
    static let writing = 60_000

    /// The error for a failure of SQLite at a file of packages.
    static func failure(_ path: String, _ error: SQLiteError, isWriting: Bool = false) -> KnowledgeError {
        guard error.isBusy else { return KnowledgeError(.file, "\(path): \(error.message)") }
        return KnowledgeError(
            .file,
            isWriting
                ? "\(path): another import is running, and has not ended while this one waited: try again after it"
                : "\(path) is locked by an import of another program, which has not ended while this one waited: try again after it")
    }
}
