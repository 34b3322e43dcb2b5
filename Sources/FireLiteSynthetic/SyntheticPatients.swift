import FireLiteCore
import FireLiteR4

/// The records of a synthetic population: a stream of resources, the same for the same seed.
///
/// Each patient has encounters, conditions, observations, medication requests and more, about 40 resources of 1 KB of JSON each, in
/// proportions like Synthea's. An organization and its practitioners come before every 50th patient. Every reference points to one of
/// the resources.
/// With claims, each visit and each prescription also gets a `Claim` and an `ExplanationOfBenefit`, long resources that take up most of the JSON:
/// about 55 resources a patient then.
///
/// ```swift
/// for resource in SyntheticPatients(count: 100, seed: 1) { … }
/// ```
public struct SyntheticPatients: Sequence {
    /// The number of patients per organization.
    static let patientsPerPractice = 50

    /// The number of patients.
    public let count: Int
    /// The seed of the random numbers.
    public let seed: UInt64
    /// Whether visits and prescriptions are claimed for.
    public let includesClaims: Bool
    /// The form of the ids.
    public let ids: SyntheticIDs

    /// - Parameters:
    ///   - count: the number of patients.
    ///   - seed: the seed of the random numbers; the same seed gives the same resources.
    ///   - includesClaims: whether there are claims too, with the insurance and the places they name. The other resources are the same either way.
    ///   - ids: what the ids look like. All else is the same either way. Default: UUIDs.
    public init(count: Int, seed: UInt64, includesClaims: Bool = false, ids: SyntheticIDs = .uuids) {
        self.count = count
        self.seed = seed
        self.includesClaims = includesClaims
        self.ids = ids
    }

    /// Creates an iterator that begins with the first resource.
    public func makeIterator() -> Iterator { Iterator(count: count, seed: seed, includesClaims: includesClaims, ids: ids) }

    /// Makes the resources, one at a time.
    public struct Iterator: IteratorProtocol {
        private let count: Int
        private let seed: UInt64
        private let includesClaims: Bool
        private var ids: SyntheticIDSource
        private var patient = 0
        private var practice: SyntheticPractice?
        private var waiting: [FHIRResource] = []
        private var position = 0

        init(count: Int, seed: UInt64, includesClaims: Bool, ids: SyntheticIDs) {
            self.count = count
            self.seed = seed
            self.includesClaims = includesClaims
            self.ids = SyntheticIDSource(ids)
        }

        /// The next resource; nil after the last one.
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
                ids = practice.ids
                waiting += practice.resources
                if includesClaims { waiting.append(practice.location) }
                self.practice = practice
            }
            if let practice {
                var history = SyntheticHistory(random: random(0), practice: practice, number: patient)
                history.record()
                ids = history.random.ids
                waiting += history.resources
                if includesClaims {
                    var claims = SyntheticClaims(random: history.random, practice: practice, subject: history.subject)
                    waiting += claims.resources(for: history.resources)
                    ids = claims.random.ids
                }
            }
            patient += 1
        }

        private func random(_ stream: UInt64) -> SyntheticRandom {
            var source = SyntheticRandom(seed: seed &+ UInt64(patient) &* 2 &+ stream)
            return SyntheticRandom(seed: source.next(), ids: ids)
        }
    }
}
