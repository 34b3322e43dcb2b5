import FireLite
import FireLiteR4
import TestSupport

/// What the stored resources of a soak are, and what must be true of them in every snapshot.
package struct SoakContent {
    static let writers = ["a", "b"]
    static let pairs = 0..<12
    static let movers = 0..<4
    static let names = 24
    static let shared = 0..<6
    /// How many observations of its own a writer keeps.
    static let window = 120

    package struct Broken: Error, CustomStringConvertible {
        package let description: String
    }

    /// What a writer has done, which it stores in each of its commits.
    package struct Progress: Codable, Equatable, Sendable {
        /// How many commits it has made.
        package var commits = 0
        /// How often it has counted up what both count up.
        package var increments = 0
        /// The numbers of its observations.
        package var low = 0
        package var high = 0
        /// How often it has changed each of the resources that both change through objects which they keep.
        package var shared = Array(repeating: 0, count: SoakContent.shared.count)

        fileprivate init?(_ patient: Patient?) {
            let numbers = patient?.name.first?.given.compactMap(Int.init) ?? []
            guard numbers.count == 4, let commits = patient?.multipleBirthInteger, commits == numbers[0] else { return nil }
            (self.commits, increments, low, high) = (numbers[0], numbers[1], numbers[2], numbers[3])
        }

        init() {}

        func put(into patient: Patient) {
            patient.multipleBirth = .integer(commits)
            patient.name[0].given = [commits, increments, low, high].map(String.init)
        }
    }

    // MARK: - Making

    /// The store as it is before the first writer begins.
    package static func prepare(_ path: String) throws {
        let store = try FHIRStore(path: path, release: .r4)
        try store.write { tx in
            for writer in writers {
                let patient = Patient {
                    $0.id = "progress-\(writer)"
                    $0.name = [HumanName()]
                }
                Progress().put(into: patient)
                try tx.add(patient)
            }
            try tx.add(
                Patient {
                    $0.id = "counter"
                    $0.multipleBirth = .integer(0)
                })
            for pair in pairs { _ = try tx.upsert(halves(of: pair, token: 0)) }
            for mover in movers {
                try tx.add(
                    Patient {
                        $0.id = "mover-\(mover)"
                        $0.name = (0..<names / movers.count).map { name in HumanName { $0.text = "\(mover)-\(name)" } }
                    })
            }
            for number in shared {
                try tx.add(
                    Patient {
                        $0.id = "shared-\(number)"
                        $0.name = [HumanName { $0.given = ["0", "0"] }]
                    })
            }
        }
    }

    /// Two resources that say the same, in rows of several tables.
    static func halves(of pair: Int, token: Int) -> [FHIRResource] {
        [
            Patient {
                $0.id = "pair-\(pair)"
                $0.name = (0...max(token, 0) % 3).map { _ in HumanName { $0.family = "token-\(token)" } }
            },
            Observation {
                $0.id = "pair-\(pair)"
                $0.valueString = "token-\(token)"
                $0.component = (0..<max(token, 0) % 4).map { _ in ObservationComponent { $0.valueString = "token-\(token)" } }
            },
        ]
    }

    /// An observation of one writer alone.
    static func own(_ writer: Int, _ number: Int) -> Observation {
        var random = RandomInstance(seed: UInt64(number * 2 + writer))
        random.maximumDepth = 2
        let observation = random.make(Observation.self)
        observation.id = "\(writers[writer])-\(number)"
        return observation
    }

    // MARK: - Checking

    static func progress(of writer: Int, _ transaction: ReadTransaction) throws -> Progress {
        guard let progress = Progress(try transaction.resource(Patient.self, id: "progress-\(writers[writer])")) else {
            throw Broken(description: "the progress of writer \(writers[writer]) is not whole")
        }
        return progress
    }

    static func counts(ofShared number: Int, _ transaction: ReadTransaction) throws -> [Int] {
        let counts = try transaction.resource(Patient.self, id: "shared-\(number)")?.name.first?.given.compactMap(Int.init)
        guard let counts, counts.count == writers.count else { throw Broken(description: "shared-\(number) is not whole") }
        return counts
    }

    static func token(ofPair pair: Int, _ transaction: ReadTransaction) throws -> String {
        let patient = try transaction.resource(Patient.self, id: "pair-\(pair)")
        let observation = try transaction.resource(Observation.self, id: "pair-\(pair)")
        let text = observation?.valueString ?? ""
        let halves = halves(of: pair, token: Int(text.dropFirst("token-".count)) ?? -1)
        guard let patient, let observation, [patient, observation] == halves else {
            throw Broken(description: "pair-\(pair): a half of a write was seen")
        }
        return text
    }

    /// Checks a snapshot as a whole.
    ///
    /// - Parameter numbers: which of the writers' observations are compared with what was written.
    /// - Returns: what the writers had done.
    @discardableResult
    static func check(_ transaction: ReadTransaction, comparing numbers: (Progress) -> [Int]) throws -> [Progress] {
        let progress = try writers.indices.map { try self.progress(of: $0, transaction) }
        let counter = try transaction.resource(Patient.self, id: "counter")?.multipleBirthInteger
        guard counter == progress.reduce(0, { $0 + $1.increments }) else {
            throw Broken(description: "the counter is \(counter ?? -1) after \(progress.map(\.increments)) increments")
        }
        for pair in pairs { _ = try token(ofPair: pair, transaction) }
        let found = try movers.reduce(0) { try $0 + (transaction.resource(Patient.self, id: "mover-\($1)")?.name.count ?? 0) }
        guard found == names else { throw Broken(description: "\(found) names of \(names)") }
        let observations = progress.reduce(pairs.count) { $0 + $1.high - $1.low }
        guard try transaction.count(Observation.self) == observations else {
            throw Broken(description: "\(try transaction.count(Observation.self)) observations of \(observations)")
        }
        for (writer, progress) in progress.enumerated() {
            for number in numbers(progress) {
                let found = try transaction.resource(Observation.self, id: "\(writers[writer])-\(number)")
                let expected = progress.low..<progress.high ~= number ? own(writer, number) : nil
                guard found == expected else { throw Broken(description: "\(writers[writer])-\(number) is not what was committed") }
            }
        }
        return progress
    }

    /// Checks all there is at the end, against what the writers say that they have committed.
    package static func verify(_ store: FHIRStore, _ expected: [Progress]) throws {
        try store.read { transaction in
            var progress = try check(transaction) { Array(max(0, $0.low - 20)..<$0.high + 20) }
            for number in shared {
                for (writer, count) in try counts(ofShared: number, transaction).enumerated() { progress[writer].shared[number] = count }
            }
            guard progress == expected else { throw Broken(description: "\(progress) is stored, \(expected) was committed") }
        }
        let faults = try store.check()
        guard faults.isEmpty else { throw Broken(description: "\(faults)") }
    }
}
