import Foundation

/// The common part of FHIR's `date`, `dateTime`, `instant` and `time`: a literal kept as written.
///
/// `==` compares literals: `2020-01-01T00:00:00Z` and `2020-01-01T01:00:00+01:00` are the same instant but not equal values;
/// `compare(to:)` compares times.
public protocol FHIRTemporal: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// FHIR's type, which determines the literal's form.
    static var _type: PrimitiveType { get }
    /// The literal, packed.
    var _storage: _PackedLiteral { get }
    /// The value with a valid literal.
    init(_storage: _PackedLiteral)
}

extension FHIRTemporal {
    /// The value with this literal, or nil if it is not valid for the type.
    public init?(_ literal: String) {
        var literal = literal
        let storage: _PackedLiteral? = literal.withUTF8 { bytes in
            switch TemporalWord.read(bytes, as: Self._type) {
            case .word(let word): .word(word.raw)
            case .text: .text(String(decoding: bytes, as: UTF8.self))
            case .invalid: nil
            }
        }
        guard let storage else { return nil }
        self.init(_storage: storage)
    }

    /// Creates the value with this literal.
    ///
    /// - Precondition: the literal is valid for the type.
    public init(stringLiteral literal: String) {
        guard let value = Self(literal) else {
            misuse("'\(literal)' is not a FHIR \(Self._type.name): write a valid literal, or use the failable initializer")
        }
        self = value
    }

    /// The value's text in JSON.
    public var literal: String {
        switch _storage {
        case .word(let raw): TemporalWord(raw: raw).text
        case .text(let text): text
        }
    }

    /// The literal.
    public var description: String { literal }

    /// The fields of the literal; nil for invalid text that lenient reading kept.
    package var scanned: TemporalScanner? {
        var text = literal
        return text.withUTF8 { bytes in
            var scanner = TemporalScanner(bytes: bytes)
            let valid: Bool
            if Self._type == .time {
                valid = scanner.readTime()
            } else {
                valid = scanner.readDate() && (scanner.isAtEnd || scanner.readTimeAndZone())
            }
            return valid ? scanner : nil
        }
    }
}

/// A FHIR `date`: a day, a month or a year (<https://hl7.org/fhir/datatypes.html#date>).
public struct FHIRDate: FHIRTemporal {
    /// `date`
    public static var _type: PrimitiveType { .date }
    /// The literal, packed.
    public let _storage: _PackedLiteral
    /// The value with this literal.
    public init(_storage: _PackedLiteral) { self._storage = _storage }
}

/// A FHIR `dateTime`: a date, or a date with time and offset (<https://hl7.org/fhir/datatypes.html#dateTime>).
public struct FHIRDateTime: FHIRTemporal {
    /// `dateTime`
    public static var _type: PrimitiveType { .dateTime }
    /// The literal, packed.
    public let _storage: _PackedLiteral
    /// The value with this literal.
    public init(_storage: _PackedLiteral) { self._storage = _storage }
}

/// A FHIR `instant`: a moment with time and offset (<https://hl7.org/fhir/datatypes.html#instant>).
public struct FHIRInstant: FHIRTemporal {
    /// `instant`
    public static var _type: PrimitiveType { .instant }
    /// The literal, packed.
    public let _storage: _PackedLiteral
    /// The value with this literal.
    public init(_storage: _PackedLiteral) { self._storage = _storage }
}

/// A FHIR `time`: a time of day without date and zone (<https://hl7.org/fhir/datatypes.html#time>).
public struct FHIRTime: FHIRTemporal {
    /// `time`
    public static var _type: PrimitiveType { .time }
    /// The literal, packed.
    public let _storage: _PackedLiteral
    /// The value with this literal.
    public init(_storage: _PackedLiteral) { self._storage = _storage }
}

extension FHIRTemporal {
    /// The year; nil for a `time`.
    public var year: Int? { scanned.flatMap { $0.year > 0 ? $0.year : nil } }
    /// The month, 1 to 12, if the literal has one.
    public var month: Int? { scanned.flatMap { $0.month > 0 ? $0.month : nil } }
    /// The day of the month, if the literal has one.
    public var day: Int? { scanned.flatMap { $0.day > 0 ? $0.day : nil } }
    /// The hour, 0 to 23, if the literal has a time.
    public var hour: Int? { scanned.flatMap { $0.hour != TemporalWord.noTime ? $0.hour : nil } }
    /// The minute, if the literal has a time.
    public var minute: Int? { scanned.flatMap { $0.hour != TemporalWord.noTime ? $0.minute : nil } }
    /// The second, 60 for a leap second, if the literal has a time.
    public var second: Int? { scanned.flatMap { $0.hour != TemporalWord.noTime ? $0.second : nil } }
    /// The offset from UTC in minutes, if the literal has one.
    public var offsetMinutes: Int? {
        scanned.flatMap { TemporalWord.minutes(ofZone: $0.zone) }
    }

    /// The start of the interval that the literal names, in UTC if it has no zone; nil for a `time`.
    package var start: Date? { Self._type == .time ? nil : span?.utc.start.date }
}

extension FHIRInstant {
    /// The instant as Foundation's `Date`, to the precision of a `Double`: a microsecond in this century.
    ///
    /// A leap second is the first second of the next minute. `Date.distantPast` for invalid text from lenient reading.
    public var date: Date { start ?? .distantPast }

    /// The instant `date`, in UTC and to the nearest millisecond.
    ///
    /// - Precondition: the year is between 1 and 9999, as FHIR requires.
    public init(_ date: Date) { self.init(_storage: .word(TemporalWord(utc: date).raw)) }
}

extension FHIRDateTime {
    /// The start of the interval that the literal names, in UTC if it has no offset.
    ///
    /// `Date.distantPast` for invalid text from lenient reading. Use `compare(to:)` to order dateTimes.
    public var date: Date { start ?? .distantPast }

    /// The dateTime `date`, in UTC and to the nearest millisecond.
    ///
    /// - Precondition: the year is between 1 and 9999, as FHIR requires.
    public init(_ date: Date) { self.init(_storage: .word(TemporalWord(utc: date).raw)) }
}

extension FHIRDate {
    /// The start of the interval that the literal names, in UTC; `Date.distantPast` for invalid text from lenient reading.
    public var date: Date { start ?? .distantPast }

    /// A year, month or day; nil if there is no such date.
    public init?(year: Int, month: Int? = nil, day: Int? = nil) {
        guard (1...9999).contains(year), month != nil || day == nil, month.map({ (1...12).contains($0) }) ?? true,
            day.map({ (1...Calendar.days(inMonth: month ?? 1, of: year)).contains($0) }) ?? true
        else { return nil }
        let word = TemporalWord(
            year: year, month: month ?? 0, day: day ?? 0, hour: TemporalWord.noTime, minute: 0, second: 0, fractionDigits: 0, fraction: 0,
            zone: TemporalWord.zoneNone)
        self.init(_storage: .word(word.raw))
    }
}

extension TemporalWord {
    /// The millisecond nearest to `date`, in UTC. Nearest, as a `Date` of a whole millisecond may be slightly less.
    init(utc date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        misuse(
            unless: milliseconds >= -62_135_596_800_000 && milliseconds < 253_402_300_800_000,
            "FHIR has dates from year 1 to 9999: clamp the Date before converting it")
        let total = Int(milliseconds)
        let days = (total - (total < 0 ? 86_399_999 : 0)) / 86_400_000
        let rest = total - days * 86_400_000
        let (year, month, day) = Calendar.date(daysSinceEpoch: days)
        self.init(
            year: year, month: month, day: day, hour: rest / 3_600_000, minute: rest / 60_000 % 60, second: rest / 1_000 % 60,
            fractionDigits: 3, fraction: rest % 1_000, zone: Self.zoneUTC)
    }
}
