import FireLiteCore
import FireLiteR4

/// A made-up population and what was recorded about it: a stream of resources that is the same for the same seed.
///
/// Each patient comes with encounters, conditions, observations, medication requests and more, about 40 resources of 1 KB in JSON, in
/// proportions like those of Synthea's. Before every 50th patient come an organization and its practitioners. Every reference is to one of
/// the resources.
///
/// ```swift
/// for resource in SyntheticPatients(count: 100, seed: 1) { … }
/// ```
public struct SyntheticPatients: Sequence {
    /// How many patients share an organization.
    public static let patientsPerPractice = 50

    public let count: Int
    public let seed: UInt64

    /// - Parameters:
    ///   - count: how many patients.
    ///   - seed: the same seed gives the same resources.
    public init(count: Int, seed: UInt64) {
        self.count = count
        self.seed = seed
    }

    public func makeIterator() -> Iterator { Iterator(count: count, seed: seed) }

    public struct Iterator: IteratorProtocol {
        private let count: Int
        private let seed: UInt64
        private var patient = 0
        private var practice: SyntheticPractice?
        private var waiting: [FHIRResource] = []
        private var position = 0

        init(count: Int, seed: UInt64) {
            self.count = count
            self.seed = seed
        }

        public mutating func next() -> FHIRResource? {
            while position == waiting.count {
                guard patient < count else { return nil }
                waiting.removeAll(keepingCapacity: true)
                position = 0
                makeNext()
            }
            position += 1
            return waiting[position - 1]
        }

        /// Each practice and each patient has random numbers of its own, so that a larger population begins with the smaller one.
        private mutating func makeNext() {
            if patient % patientsPerPractice == 0 {
                let practice = SyntheticPractice(random: random(1), number: patient / patientsPerPractice)
                waiting += practice.resources
                self.practice = practice
            }
            if let practice {
                var history = SyntheticHistory(random: random(0), practice: practice, number: patient)
                history.record()
                waiting += history.resources
            }
            patient += 1
        }

        private func random(_ stream: UInt64) -> SyntheticRandom {
            var source = SyntheticRandom(seed: seed &+ UInt64(patient) &* 2 &+ stream)
            return SyntheticRandom(seed: source.next())
        }
    }
}
