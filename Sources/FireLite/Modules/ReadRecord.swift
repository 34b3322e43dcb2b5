/// What a read or write hands out, for a module that keeps a record of it. It belongs to one transaction, and so to one thread.
package final class ReadRecord {
    /// A resource that was handed out, or something else of which content was.
    package struct Item: Sendable {
        /// FHIR's name of the resource type; nil if it was no resource.
        package let typeName: String?
        /// The resource's id; nil if only values of the type's resources were handed out, such as their number.
        package let id: String?
        /// The revision of the resource.
        package let version: Int64?
    }

    /// What was handed out, in this order.
    package private(set) var items: [Item] = []
    /// The types whose rows the current call has read.
    private var types: Set<String> = []
    private var isPaused = false
    /// Whether calls inside the current one are parts of it.
    private var isWhole = false
    /// Who reads, as the module understands it; nil for nobody in particular.
    package var reader: (any Sendable)?

    /// Runs a call of a transaction. If it hands out no resource, but for example the number of them, each type that it has read is noted.
    ///
    /// - Parameter isWhole: whether calls inside it are parts of it.
    func collecting<Value>(isWhole: Bool = false, _ call: () throws -> Value) rethrows -> Value {
        if self.isWhole { return try call() }
        let outer = types
        let count = items.count
        types = []
        self.isWhole = isWhole
        defer {
            self.isWhole = false
            if items.count == count { for type in types.sorted() { note(type, id: nil, version: nil) } }
            types = outer
        }
        return try call()
    }

    func note(_ typeName: String?, id: String?, version: Int64?) {
        if !isPaused { items.append(Item(typeName: typeName, id: id, version: version)) }
    }

    /// Notes that rows of a type's resources were read.
    func note(rowsOf typeName: String) { if !isPaused { types.insert(typeName) } }

    /// Runs `body` without noting what it reads.
    func paused<Value>(_ body: () throws -> Value) rethrows -> Value {
        let outer = isPaused
        isPaused = true
        defer { isPaused = outer }
        return try body()
    }

    func removeAll() { items.removeAll() }
}

/// A module that keeps a record of what reads hand out. A store has one at most: the first that was added.
package protocol ReadWitness: WriteParticipant {
    /// Whether it wants to know.
    var recordsReads: Bool { get }

    /// Called after a read that has handed something out, before its result is returned, or after a write that was rolled back.
    ///
    /// It is called outside of transactions, and may write.
    /// - Throws: an error that the caller of the read gets in place of the result.
    func didRead(_ record: ReadRecord, in store: FHIRStore) throws

    /// Called instead of `willCommit(_:_:)` if the write has handed something out as well.
    ///
    /// - Parameters:
    ///   - transaction: the write.
    ///   - resources: what it has done; can be empty.
    ///   - record: what it has handed out.
    /// - Throws: an error that rolls back the write and is thrown to whoever began it.
    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource], _ record: ReadRecord) throws
}
