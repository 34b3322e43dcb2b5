import Foundation

/// Samples in memory, for tests and for apps that collect samples themselves.
///
/// `@unchecked Sendable`: the lock guards the log and the listeners.
public final class MemorySampleSource: SampleSource, @unchecked Sendable {
    private enum Event {
        case added(Sample)
        case deleted(UUID, SampleType)

        var type: SampleType {
            switch self {
            case .added(let sample): sample.type
            case .deleted(_, let type): type
            }
        }
    }

    /// The source's name.
    public let name: String
    private let lock = NSLock()
    private var events: [Event] = []
    private var listeners: [UUID: (types: Set<SampleType>, continuation: AsyncStream<SampleType>.Continuation)] = [:]

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - samples: the samples to begin with.
    ///   - name: the source's name.
    public init(_ samples: [Sample] = [], name: String = "memory") {
        self.name = name
        events = samples.map { .added($0) }
    }

    /// Adds samples and notifies listeners.
    public func add(_ samples: [Sample]) { append(samples.map { .added($0) }) }

    /// Deletes samples and notifies listeners.
    public func delete(_ samples: [Sample]) { append(samples.map { .deleted($0.uuid, $0.type) }) }

    private func append(_ new: [Event]) {
        let notified = lock.withLock {
            events += new
            let types = Set(new.map(\.type))
            return listeners.values.flatMap { listener in
                listener.types.intersection(types.union([.all])).map { (listener.continuation, $0) }
            }
        }
        for (continuation, type) in notified { continuation.yield(type) }
    }

    /// The types of the samples and deletions.
    public func types() async throws -> [SampleType] { lock.withLock { Set(events.map(\.type)) }.sorted() }

    /// The samples that were added and deleted since an anchor.
    public func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges {
        let start = anchor.flatMap { Int(String(decoding: $0.data, as: UTF8.self)) } ?? 0
        return lock.withLock {
            var changes = SampleChanges(added: [], anchor: anchor, isComplete: true)
            var position = min(start, events.count)
            while position < events.count {
                if changes.added.count + changes.deleted.count >= limit {
                    changes.isComplete = false
                    break
                }
                let event = events[position]
                position += 1
                guard type == .all || event.type == type else { continue }
                switch event {
                case .added(let sample): changes.added.append(sample)
                case .deleted(let uuid, _): changes.deleted.append(uuid)
                }
            }
            // What was deleted after it was added is only deleted.
            let deleted = Set(changes.deleted)
            changes.added.removeAll { deleted.contains($0.uuid) }
            changes.anchor = SampleAnchor(data: Data("\(position)".utf8))
            return changes
        }
    }

    /// Reports types that have new samples, until the loop ends.
    public func news(of types: [SampleType]) -> AsyncStream<SampleType> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let id = UUID()
            lock.withLock { listeners[id] = (Set(types), continuation) }
            continuation.onTermination = { _ in _ = self.lock.withLock { self.listeners.removeValue(forKey: id) } }
        }
    }
}
