import Foundation

/// The modules that take part in each write of a store.
final class WriteParticipants: @unchecked Sendable {
    // `lock` guards the list.
    private let lock = NSLock()
    private var participants: [any WriteParticipant] = []

    var all: [any WriteParticipant] { lock.withLock { participants } }

    func participant<Participant: WriteParticipant>(_ type: Participant.Type, orAdd make: () -> Participant) -> Participant {
        lock.withLock {
            for known in participants { if let known = known as? Participant { return known } }
            let added = make()
            participants.append(added)
            return added
        }
    }

    func remove(_ participant: some WriteParticipant) {
        lock.withLock { participants.removeAll { $0 === participant } }
    }
}
