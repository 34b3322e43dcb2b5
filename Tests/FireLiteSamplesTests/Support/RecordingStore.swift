import FireLiteSamples
import Foundation

/// An external store in memory that notes what it is asked to do, and fails on purpose.
actor RecordingStore: ExternalStore {
    struct Failure: Error {}

    nonisolated let name: String
    private(set) var calls: [String] = []
    private(set) var samples: [UUID: Sample] = [:]
    private(set) var added: [UUID] = []
    private var failsAt: Int?

    init(name: String = "recording") { self.name = name }

    /// Fails when it has added so many.
    func fail(at number: Int?) { failsAt = number }

    func existingLocations(of objects: [ExternalObject]) -> [UUID: String] {
        calls.append("fetch \(objects.count)")
        return Dictionary(uniqueKeysWithValues: objects.filter { samples[$0.uuid] != nil }.map { ($0.uuid, "at/\($0.uuid)") })
    }

    func add(_ objects: [ExternalObject]) throws -> [UUID: String] {
        calls.append("add \(objects.count)")
        for object in objects {
            if added.count == failsAt { throw Failure() }
            samples[object.uuid] = object.sample
            added.append(object.uuid)
        }
        return [:]
    }

    func update(_ objects: [ExternalObject]) {
        calls.append("update \(objects.count)")
        for object in objects { samples[object.uuid] = object.sample }
    }

    func delete(_ objects: [ExternalObject]) {
        calls.append("delete \(objects.count)")
        for object in objects { samples[object.uuid] = nil }
    }
}
