import FireLiteSQLiteBridge

/// The values of a module's statement, by number from 1; those without one are NULL. Text and blobs are not copied.
package struct ModuleValues {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    package func bind(_ index: Int, _ value: Int64) { statement.bind(index, value) }

    /// Binds UTF-8.
    package func bind(_ index: Int, text bytes: UnsafeRawBufferPointer) {
        // SQLite takes no address for NULL.
        guard let base = bytes.baseAddress else { return statement.bind(index, "") }
        statement.bind(index, unownedText: base.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    package func bind(_ index: Int, blob bytes: UnsafeRawBufferPointer) { statement.bind(index, unownedBlob: bytes) }
}
