/// A type of samples, by the name that Apple gives it: `HKQuantityTypeIdentifierHeartRate`. Any other name is a type too.
public struct SampleType: RawRepresentable, Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The kind of the values of a type's samples.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A number with a unit.
        case quantity
        /// One of several values, such as a stage of sleep.
        case category
        /// Several samples taken together, such as the two values of a blood pressure.
        case correlation
        /// An exercise.
        case workout
        /// Anything else.
        case other
    }

    /// The full name.
    public let rawValue: String

    /// The type with this full name.
    public init(rawValue: String) { self.rawValue = rawValue }

    private static let prefixes: [(Kind, String)] = [
        (.quantity, "HKQuantityTypeIdentifier"), (.category, "HKCategoryTypeIdentifier"), (.correlation, "HKCorrelationTypeIdentifier"),
        (.workout, "HKWorkoutTypeIdentifier"),
    ]

    /// The quantity type with a short name.
    ///
    /// - Parameter name: the name without its beginning, `HeartRate`.
    public static func quantity(_ name: String) -> SampleType { SampleType(rawValue: "HKQuantityTypeIdentifier" + name) }

    /// The category type with a short name.
    ///
    /// - Parameter name: the name without its beginning, `SleepAnalysis`.
    public static func category(_ name: String) -> SampleType { SampleType(rawValue: "HKCategoryTypeIdentifier" + name) }

    /// The correlation type with a short name.
    ///
    /// - Parameter name: the name without its beginning, `BloodPressure`.
    public static func correlation(_ name: String) -> SampleType { SampleType(rawValue: "HKCorrelationTypeIdentifier" + name) }

    /// The kind of its samples' values.
    public var kind: Kind { Self.prefixes.first { rawValue.hasPrefix($0.1) }?.0 ?? .other }

    /// The name without its beginning, in camel case: `heartRate`.
    public var shortName: String {
        guard let prefix = Self.prefixes.first(where: { rawValue.hasPrefix($0.1) })?.1 else { return rawValue }
        let name = rawValue.dropFirst(prefix.count)
        guard !name.isEmpty else { return "workout" }
        // The capitals at the beginning of UVExposure and VO2Max belong together.
        let capitals = name.prefix { $0.isUppercase }
        let lowered = capitals.count <= 1 ? capitals.count : capitals.count == name.count ? name.count : capitals.count - 1
        return name.prefix(lowered).lowercased() + name.dropFirst(lowered)
    }

    /// The full name.
    public var description: String { rawValue }

    /// The order of the full names.
    public static func < (left: SampleType, right: SampleType) -> Bool { left.rawValue < right.rawValue }
}

extension SampleType {
    /// Every type, for sources that give all of them in one order.
    public static let all = SampleType(rawValue: "*")
    /// Beats of the heart per minute.
    public static let heartRate = quantity("HeartRate")
    /// The heart rate at rest.
    public static let restingHeartRate = quantity("RestingHeartRate")
    /// Steps.
    public static let stepCount = quantity("StepCount")
    /// The weight of the body.
    public static let bodyMass = quantity("BodyMass")
    /// The height of the body.
    public static let height = quantity("Height")
    /// The temperature of the body.
    public static let bodyTemperature = quantity("BodyTemperature")
    /// Breaths per minute.
    public static let respiratoryRate = quantity("RespiratoryRate")
    /// The saturation of the blood with oxygen, as a fraction: 0.97.
    public static let oxygenSaturation = quantity("OxygenSaturation")
    /// Glucose in the blood.
    public static let bloodGlucose = quantity("BloodGlucose")
    /// A blood pressure, systolic and diastolic.
    public static let bloodPressure = correlation("BloodPressure")
    /// The systolic value of a blood pressure.
    public static let bloodPressureSystolic = quantity("BloodPressureSystolic")
    /// The diastolic value of a blood pressure.
    public static let bloodPressureDiastolic = quantity("BloodPressureDiastolic")
    /// Energy burned by activity.
    public static let activeEnergyBurned = quantity("ActiveEnergyBurned")
    /// Sleep and its stages.
    public static let sleepAnalysis = category("SleepAnalysis")
    /// An exercise.
    public static let workout = SampleType(rawValue: "HKWorkoutTypeIdentifier")
}
