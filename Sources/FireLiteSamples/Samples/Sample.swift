import FireLiteCore
import Foundation

/// Something that a device measured or a person entered: a value with its time, source and metadata. Its description shows type and time
/// only.
public struct Sample: Sendable, Hashable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// The measured value.
    public enum Value: Sendable, Hashable {
        /// A number and its unit as the source writes it: `count/min`, `mmHg`.
        case quantity(FHIRDecimal, unit: String)
        /// The name or number of one of the type's values: `HKCategoryValueSleepAnalysisAsleepREM`.
        case category(String)
        /// The samples of a correlation.
        case correlation([Sample])
        /// An exercise.
        case workout(WorkoutValue)
    }

    /// Its permanent id.
    public var uuid: UUID
    /// Its type.
    public var type: SampleType
    /// When it begins, in milliseconds since 1970.
    package var startTime: Int64
    /// When it ends, in milliseconds since 1970.
    package var endTime: Int64
    /// The time zone in which it was measured; nil if unknown.
    public var zone: TimeZone?
    /// The measured value.
    public var value: Value
    /// The app and the device.
    public var origin: SampleOrigin
    /// Further facts by name.
    public var metadata: [String: String]

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - uuid: its permanent id.
    ///   - type: its type.
    ///   - start: when it begins, kept in milliseconds.
    ///   - end: when it ends; nil for the beginning.
    ///   - zone: the time zone in which it was measured; nil if unknown.
    ///   - value: what was measured.
    ///   - origin: the app and the device.
    ///   - metadata: further facts by name.
    public init(
        uuid: UUID = UUID(), type: SampleType, start: Date, end: Date? = nil, zone: TimeZone? = nil, value: Value,
        origin: SampleOrigin = SampleOrigin(), metadata: [String: String] = [:]
    ) {
        self.uuid = uuid
        self.type = type
        startTime = SampleTime.milliseconds(start)
        endTime = end.map(SampleTime.milliseconds) ?? startTime
        self.zone = zone
        self.value = value
        self.origin = origin
        self.metadata = metadata
    }

    init(
        uuid: UUID, type: SampleType, startTime: Int64, endTime: Int64, zone: TimeZone?, value: Value, origin: SampleOrigin,
        metadata: [String: String] = [:]
    ) {
        self.uuid = uuid
        self.type = type
        self.startTime = startTime
        self.endTime = endTime
        self.zone = zone
        self.value = value
        self.origin = origin
        self.metadata = metadata
    }

    /// When it begins.
    public var start: Date { SampleTime.date(startTime) }
    /// When it ends.
    public var end: Date { SampleTime.date(endTime) }
    /// The UUID.
    public var id: UUID { uuid }
    /// Type and beginning.
    public var description: String { "\(type.shortName) \(SampleTime.text(startTime, offset: 0))" }
    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
    /// The identifier in resources.
    package var identifier: String { uuid.lowercased }
}

extension Sample {
    /// Whether a `Double` can hold each of its numbers. An infinite one would spoil every sum and mean.
    var isFinite: Bool {
        switch value {
        case .quantity(let number, _): number.doubleValue.isFinite
        case .category: true
        case .correlation(let parts): parts.allSatisfy(\.isFinite)
        case .workout(let workout):
            (workout.duration?.doubleValue.isFinite ?? true) && workout.totals.values.allSatisfy { $0.value.doubleValue.isFinite }
        }
    }

    /// Why a sample that is not finite is rejected.
    static let tooLarge = "the value of a quantity is too large"
}

extension UUID {
    private static let digits = [UInt8]("0123456789abcdef".utf8)

    /// The UUID as text in lower case. Foundation's text in upper case takes several times as long to make.
    package var lowercased: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            withUnsafeBytes(of: uuid) { bytes in
                for (number, byte) in bytes.enumerated() {
                    if number == 4 || number == 6 || number == 8 || number == 10 {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    text[place] = Self.digits[Int(byte >> 4)]
                    text[place + 1] = Self.digits[Int(byte & 15)]
                    place += 2
                }
            }
            return place
        }
    }
}

/// An exercise.
public struct WorkoutValue: Sendable, Hashable {
    /// The kind of exercise by Apple's name: `HKWorkoutActivityTypeRunning`.
    public var activity: String
    /// How long it took, in seconds, without pauses; nil if unknown.
    public var duration: FHIRDecimal?
    /// Its sums by type, such as the energy burned.
    public var totals: [SampleType: WorkoutTotal]

    /// Creates an exercise.
    ///
    /// - Parameters:
    ///   - activity: the kind of exercise by Apple's name.
    ///   - duration: how long it took, in seconds, without pauses.
    ///   - totals: its sums by type.
    public init(activity: String, duration: FHIRDecimal? = nil, totals: [SampleType: WorkoutTotal] = [:]) {
        self.activity = activity
        self.duration = duration
        self.totals = totals
    }
}

/// A sum over an exercise.
public struct WorkoutTotal: Sendable, Hashable {
    /// The number.
    public var value: FHIRDecimal
    /// The unit as the source writes it.
    public var unit: String

    /// Creates a sum.
    ///
    /// - Parameters:
    ///   - value: the number.
    ///   - unit: the unit as the source writes it.
    public init(_ value: FHIRDecimal, unit: String) {
        self.value = value
        self.unit = unit
    }
}
