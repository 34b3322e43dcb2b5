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
