import Foundation

/// The modules that take part in each write of a store.
final class WriteParticipants: @unchecked Sendable {
    // `lock` guards the list and the witness.
    private let lock = NSLock()
    private var participants: [any WriteParticipant] = []
    private var witness: (any ReadWitness)?

    var all: [any WriteParticipant] { lock.withLock { participants } }

    /// The module that keeps a record of reads; nil if none does.
    var readWitness: (any ReadWitness)? { lock.withLock { witness } }

    func participant<Participant: WriteParticipant>(_ type: Participant.Type, orAdd make: () -> Participant) -> Participant {
        lock.withLock {
            for known in participants { if let known = known as? Participant { return known } }
            let added = make()
            participants.append(added)
            findWitness()
            return added
        }
    }

    func remove(_ participant: some WriteParticipant) {
        lock.withLock {
            participants.removeAll { $0 === participant }
            findWitness()
        }
    }

    /// Called with the lock.
    private func findWitness() { witness = participants.lazy.compactMap { $0 as? any ReadWitness }.first(where: \.recordsReads) }
}
