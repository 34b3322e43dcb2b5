import FireLiteCore

extension PathTemporal {
    /// The earliest or latest value that the literal stands for, with that many digits; nil if there is no value with so many.
    ///
    /// Without a zone the earliest is at +14:00 and the latest at -12:00. An hour without minutes is its first minute, as in the
    /// specification's example: `@2014-01-01T08.highBoundary(17)` is `@2014-01-01T08:00:59.999-12:00`.
    func boundary(isHigh: Bool, digits: Int?) -> PathTemporal? {
        let wanted = digits ?? (kind == .date ? 8 : kind == .time ? 9 : 17)
        guard let precision = Self.precision(digits: wanted, kind) else { return nil }
        var full = PathTemporal(kind: kind == .date && digits != nil ? .dateTime : kind, precision: .second)
        (full.year, full.month, full.day) = (year, month, day)
        if isHigh, kind != .time {
            if self.precision < .month { full.month = 12 }
            if self.precision < .day { full.day = Calendar.days(inMonth: full.month, of: year) }
        }
        if hasTime {
            (full.hour, full.minute, full.second) = (hour, minute, second)
            if isHigh, self.precision < .second { full.second = 59 }
        } else if isHigh {
            (full.hour, full.minute, full.second) = (23, 59, 59)
        }
        full.fractionDigits = wanted == 17 || wanted == 9 && kind == .time ? 3 : 0
        if self.precision == .second, fractionDigits > 0 {
            full.nanosecond = nanosecond / 1_000_000 * 1_000_000
        } else {
            full.nanosecond = isHigh ? 999_000_000 : 0
        }
        if full.fractionDigits == 0 { full.nanosecond = 0 }
        if full.kind == .dateTime, precision >= .hour {
            full.offset = offset ?? (isHigh ? -12 * 60 : 14 * 60)
            full.isZulu = offset == nil ? false : isZulu
        }
        return full.withPrecision(precision)
    }

    private static func precision(digits: Int, _ kind: Kind) -> Precision? {
        if kind == .time {
            switch digits {
            case 2: return .hour
            case 4: return .minute
            case 6, 9: return .second
            default: return nil
            }
        }
        switch digits {
        case 4: return .year
        case 6: return .month
        case 8: return .day
        case 10: return .hour
        case 12: return .minute
        case 14, 17: return .second
        default: return nil
        }
    }
}
