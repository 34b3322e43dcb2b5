import FireLiteCore
import FireLiteSQLiteBridge

// Converts primitives to SQL values that compare correctly and from which the literal can be restored. The rules are part of the file format.

/// The literal of a date or time in the form for SQL: in UTC without a zone, and the zone separately.
enum TemporalCell {
    /// The zone of the UTC text: none, the offset in minutes (0 for `Z`), or `+00:00` and `-00:00` unchanged.
    enum Zone: Equatable {
        case none
        case minutes(Int)
        case text(StaticString)

        static func == (left: Zone, right: Zone) -> Bool {
            switch (left, right) {
            case (.none, .none): true
            case (.minutes(let first), .minutes(let second)): first == second
            case (.text(let first), .text(let second)): "\(first)" == "\(second)"
            default: false
            }
        }
    }

    /// The UTC fields and the zone of a literal; nil if it is stored unchanged, because UTC would leave the years 1 to 9999.
    static func split(_ word: TemporalWord) -> (utc: TemporalWord, zone: Zone)? {
        switch word.zone {
        case TemporalWord.zoneNone: return (word, .none)
        case TemporalWord.zoneUTC: return (word.replacing(zone: TemporalWord.zoneNone), .minutes(0))
        case TemporalWord.zoneNegativeZero: return (word.replacing(zone: TemporalWord.zoneNone), .text("-00:00"))
        case TemporalWord.zonePositiveZero: return (word.replacing(zone: TemporalWord.zoneNone), .text("+00:00"))
        default:
            let minutes = word.zone - TemporalWord.zoneBias
            return word.shifted(minutes: -minutes).map { ($0, .minutes(minutes)) }
        }
    }

    /// The literal's fields from UTC and zone; nil if they are invalid.
    static func join(_ utc: TemporalWord, _ zone: Zone) -> TemporalWord? {
        switch zone {
        case .none: return utc
        case .minutes(0): return utc.replacing(zone: TemporalWord.zoneUTC)
        case .minutes(let minutes):
            // A changed file may have any number, of which not every one has a magnitude.
            guard (-TemporalWord.maximumZoneMinutes...TemporalWord.maximumZoneMinutes).contains(minutes) else { return nil }
            return utc.shifted(minutes: minutes)?.replacing(zone: TemporalWord.zone(ofMinutes: minutes))
        case .text(let text):
            return utc.replacing(zone: "\(text)" == "-00:00" ? TemporalWord.zoneNegativeZero : TemporalWord.zonePositiveZero)
        }
    }

    /// A literal of a type with more than three fraction digits as UTC text and zone; nil if it is stored unchanged, like every text
    /// that is not a literal of the type.
    static func split(text: String, _ type: PrimitiveType) -> (utc: String, zone: Zone)? {
        var literal = text
        guard case .text = literal.withUTF8({ TemporalWord.read($0, as: type) }) else { return nil }
        guard let (short, digits) = shortened(text), let (utc, zone) = split(short) else { return nil }
        return (utc.text + "." + digits, zone)
    }

    /// The literal from UTC text with many fraction digits and its zone; nil if they are invalid.
    static func join(text: String, _ zone: Zone) -> String? {
        guard let (short, digits) = shortened(text), let word = join(short, zone) else { return nil }
        let whole = word.text
        let zoneLength = whole.hasSuffix("Z") ? 1 : word.zone == TemporalWord.zoneNone ? 0 : 6
        return whole.dropLast(zoneLength) + "." + digits + whole.suffix(zoneLength)
    }

    /// A literal without its fraction, and the fraction's digits.
    private static func shortened(_ text: String) -> (TemporalWord, String)? {
        guard let point = text.firstIndex(of: ".") else { return nil }
        let fraction = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        var short = text[..<point] + text[fraction.endIndex...]
        let isUTC = fraction.endIndex == text.endIndex
        if isUTC { short += "Z" }
        var literal = String(short)
        guard case .word(let word) = literal.withUTF8({ TemporalWord.read($0, as: .instant) }) else { return nil }
        return (isUTC ? word.replacing(zone: TemporalWord.zoneNone) : word, String(fraction))
    }
}
