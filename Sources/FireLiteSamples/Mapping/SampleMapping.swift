import FireLiteCore

/// How samples become Observations: codes, units, category and profile of each type.
///
/// ```swift
/// let mapping = try SampleMapping.standard.merging(json: Data(contentsOf: file))
/// ```
/// ``standard`` has the present form. ``compatible`` writes what HealthKitOnFhir wrote: without status, category and profile, with its units,
/// and with percentages as fractions.
public struct SampleMapping: Sendable, Hashable {
    /// The unit of a type's Observations.
    public struct Unit: Sendable, Hashable {
        /// The human-readable unit: `beats/minute`.
        public var unit: String
        /// The system of the code.
        public var system: String
        /// The code: `/min`.
        public var code: String

        /// Creates a unit.
        ///
        /// - Parameters:
        ///   - unit: the human-readable unit.
        ///   - code: the code of the unit.
        ///   - system: the system of the code. Default: UCUM.
        public init(_ unit: String, code: String, system: String = "http://unitsofmeasure.org") {
            self.unit = unit
            self.code = code
            self.system = system
        }
    }

    /// The mapping of a type.
    public struct Entry: Sendable, Hashable {
        /// The codes. One with the type's own name is added to them.
        public var codes: [SampleCoding] = []
        /// The codes of the category, in HL7's code system `observation-category`.
        public var categories: [String] = []
        /// The profiles that an Observation claims if it has a subject, which they require.
        public var profiles: [String] = []
        /// The unit; nil for the sample's own.
        public var unit: Unit?
        /// The codes of a category's values, by the values' names.
        public var values: [String: [SampleCoding]] = [:]

        /// An entry without codes.
        public init() {}
    }

    /// The form of the Observations.
    public enum Form: String, Sendable, Hashable {
        /// With status, category and profile, and right units.
        case standard
        /// As HealthKitOnFhir wrote them.
        case compatible
    }

    /// The system of the identifiers and of the codes with the types' own names.
    public static let system = "com.apple.health"

    /// The form of the Observations.
    public let form: Form
    /// The mapping of each type. Other types have a code with their own name, and their own unit.
    public var entries: [SampleType: Entry]
    /// The subject of the samples, `Patient/1`; nil to leave it out.
    public var subject: String?

    /// Creates a mapping.
    ///
    /// - Parameters:
    ///   - form: the form of the Observations.
    ///   - entries: the mapping of each type.
    ///   - subject: the subject of the samples, `Patient/1`.
    public init(form: Form = .standard, entries: [SampleType: Entry], subject: String? = nil) {
        self.form = form
        self.entries = entries
        self.subject = subject
    }

    /// The mapping with a subject.
    ///
    /// - Parameter reference: the subject of the samples, `Patient/1`.
    public func about(_ reference: String) -> SampleMapping {
        var mapping = self
        mapping.subject = reference
        return mapping
    }

    /// A number that is another for another mapping, in every process the same.
    package var fingerprint: Int64 {
        var fingerprint = SampleFingerprint()
        fingerprint.add(form.rawValue)
        fingerprint.add(subject ?? "")
        for (type, entry) in entries.sorted(by: { $0.key < $1.key }) {
            fingerprint.add(type.rawValue)
            for coding in entry.codes { fingerprint.add("\(coding.system)|\(coding.code)|\(coding.display ?? "")") }
            for text in entry.categories + entry.profiles { fingerprint.add(text) }
            if let unit = entry.unit { fingerprint.add("\(unit.unit)|\(unit.system)|\(unit.code)") }
            for (name, codings) in entry.values.sorted(by: { $0.key < $1.key }) {
                fingerprint.add(name)
                for coding in codings { fingerprint.add("\(coding.system)|\(coding.code)|\(coding.display ?? "")") }
            }
        }
        return fingerprint.number
    }
}
