import FireLite
import FireLiteR4
import TestSupport

/// What one commit of a crash test stores, told by its number alone: the writer and the one who checks agree without talking.
package struct CrashBatch {
    package let number: Int
    package static let size = 12

    package init(_ number: Int) { self.number = number }

    /// New resources, and one that every commit changes.
    package var resources: [FHIRResource] {
        var resources: [FHIRResource] = [
            Patient {
                $0.id = "every"
                $0.multipleBirth = .integer(number)
                $0.name = (0...number % 5).map { place in HumanName { $0.text = "\(number)-\(place)" } }
            }
        ]
        for place in 0..<Self.size {
            var random = RandomInstance(seed: UInt64(number * 100 + place))
            random.maximumDepth = 2
            let resource: FHIRResource = place % 2 == 0 ? random.make(Patient.self) : random.make(Observation.self)
            resource.id = "\(number)-\(place)"
            resources.append(resource)
        }
        return resources
    }

    /// Stores the batch as one commit.
    package func write(to store: FHIRStore) throws {
        try store.write { tx in _ = try tx.upsert(resources) }
    }
}
