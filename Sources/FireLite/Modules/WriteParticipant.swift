/// A module that takes part in each write of a store: what it keeps about resources is committed with them, or not at all.
///
/// Only writes through the store object that it was added to call it. Another object or process that writes the same file does not, so what a
/// module keeps must say when it does not know.
package protocol WriteParticipant: AnyObject, Sendable {
    /// The resource types whose changes it wants to know; nil for all. Writes of other types need not list what they do.
    var writtenTypes: Set<String>? { get }

    /// Called when a write has begun, before its block.
    ///
    /// - Throws: an error that rolls back the write and is thrown to its caller.
    func willBegin(_ transaction: WriteTransaction) throws

    /// What `findings` checks, as the beginning of a sentence.
    var checkedPart: String { get }

    /// What of the module's rows does not match the resources that they are about. Resources that cannot be read are skipped: the store's own check
    /// reports them.
    ///
    /// - Throws: `FHIRStoreError`.
    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding]

    /// Called after a write has been rolled back.
    func didRollBack()

    /// Called inside a write that has changed resources, when its block has returned and before the commit.
    ///
    /// It may read, and change rows of its module's tables. If it changes resources, participants that were added later see that too, and
    /// it is not called again for them.
    /// - Parameters:
    ///   - transaction: the write.
    ///   - resources: what it has done, in the order in which the resources were first changed; never empty. Those of types that no participant
    ///     wants may be missing.
    /// - Throws: an error that rolls back the write and is thrown to its caller.
    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws
}

extension WriteParticipant {
    package var writtenTypes: Set<String>? { nil }
    package func willBegin(_ transaction: WriteTransaction) throws {}
    package var checkedPart: String { "what a module keeps" }
    package func didRollBack() {}
    package func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] { [] }
}

extension FHIRStore {
    /// The participant of a class, which is added if the store has none: one of each class, called in the order in which they were added. It
    /// takes part in writes that begin afterwards.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - make: makes the object. It must not keep the store, which keeps it. It is called under a lock: it must not use the store.
    package func participant<Participant: WriteParticipant>(_ type: Participant.Type, orAdd make: () -> Participant) -> Participant {
        participants.participant(type, orAdd: make)
    }

    /// The participant of a class; nil if the store has none.
    package func participant<Participant: WriteParticipant>(_ type: Participant.Type) -> Participant? {
        participants.all.lazy.compactMap { $0 as? Participant }.first
    }

    /// Removes a participant. It is not called by writes that begin afterwards.
    package func remove(participant: some WriteParticipant) { participants.remove(participant) }
}

extension FHIRStore {
    /// Runs `body` in the write of this store that is running on this thread, or else in one of its own.
    ///
    /// - Precondition: not inside a read of this store.
    /// - Throws: errors of `body`; `FHIRStoreError`.
    package func joiningWrite<Value>(_ body: (WriteTransaction) throws -> Value) throws -> Value {
        if let write = currentTransaction as? WriteTransaction { return try body(write) }
        return try write(body)
    }

    /// `write` without calling a participant, for writes of its own module, which need no list of what they change.
    ///
    /// - Parameters:
    ///   - participant: the participant; nil to call all.
    ///   - body: changes the store.
    /// - Throws: errors of `body`; `FHIRStoreError`; `CancellationError`.
    package func write<Value>(
        besides participant: (any WriteParticipant)?, _ body: sending @escaping (WriteTransaction) throws -> Value
    ) async throws -> sending Value {
        try await writes.run(interruptsWrites: false) { try self.write(origin: .local, besides: participant, body) }
    }
}
