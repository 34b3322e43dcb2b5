import FireLiteCore
import Foundation

extension PathTemporal {
    /// What adding a duration gives.
    enum Sum {
        case value(PathTemporal)
        /// Beyond the years 1 to 9999.
        case outOfRange
        /// The quantity is not a duration that may be added.
        case notADuration
    }

    /// The value a duration later (FHIRPath 2.0, Date/Time Arithmetic).
    ///
    /// Years and months are added by the calendar, the last day of a month standing in for one that it lacks. A fraction counts for
    /// seconds only. A value that ends before the duration's unit takes whole units of its own precision.
    func adding(_ quantity: PathQuantity, isNegative: Bool) -> Sum {
        guard let unit = Self.unit(of: quantity.unit) else { return .notADuration }
        if kind == .time, unit == .year || unit == .month || unit == .week || unit == .day { return .notADuration }
        let amount = isNegative ? quantity.value.negated : quantity.value
        if unit == .second || unit == .millisecond { return addingSeconds(amount, unit) }
        guard let whole = PathDecimal(PathDecimal.truncated(amount.value), scale: 0).integer, whole.magnitude <= Self.largest else {
            return .outOfRange
        }
        return adding(Int(whole), unit)
    }

    /// More of any unit than there are between years 1 and 9999, but for seconds.
    private static let largest: UInt64 = 10_000_000_000

    private static func unit(of unit: PathUnit) -> CalendarUnit? {
        switch unit {
        case .calendar(let unit): unit
        // `1 'month'` is common, though UCUM has no such code.
        case .code(let code): CalendarUnit(definiteCode: code) ?? (code == "a" || code == "mo" ? nil : CalendarUnit(word: code))
        }
    }

    private func adding(_ count: Int, _ unit: CalendarUnit) -> Sum {
        var value = self
        switch unit {
        case .year: value.addMonths(count * 12)
        case .month: value.addMonths(precision == .year ? count / 12 * 12 : count)
        case .week: value.add(days: count * 7)
        case .day: value.add(days: count)
        case .hour: value.add(minutes: count * 60)
        case .minute: value.add(minutes: count)
        case .second, .millisecond: break
        }
        return value.checked
    }

    private var checked: Sum { (1...9999).contains(year) ? .value(self) : .outOfRange }

    private mutating func addMonths(_ count: Int) {
        let total = year * 12 + month - 1 + count
        guard total >= 12, total < 120_000 else {
            year = 0
            return
        }
        (year, month) = (total / 12, total % 12 + 1)
        day = min(day, Calendar.days(inMonth: month, of: year))
    }

    private mutating func add(days: Int) {
        guard abs(days) < 4_000_000 else {
            year = 0
            return
        }
        switch precision {
        case .year: addMonths(days / 365 * 12)
        case .month: addMonths(days / 30)
        default: addDays(days)
        }
    }

    private mutating func add(minutes: Int) {
        if kind == .time {
            addMinutes((minutes % 1_440) / (precision == .hour ? 60 : 1) * (precision == .hour ? 60 : 1))
        } else if precision < .hour {
            add(days: minutes / 1_440)
        } else {
            guard abs(minutes) < 5_760_000_000 else {
                year = 0
                return
            }
            let step = precision == .hour ? 60 : 1
            let rest = minutes % 1_440
            add(days: minutes / 1_440)
            if year > 0 { addMinutes(rest / step * step) }
        }
    }

    private func addingSeconds(_ amount: PathDecimal, _ unit: CalendarUnit) -> Sum {
        let scale = Decimal(unit == .second ? 1_000_000_000 : 1_000_000)
        guard let total = PathDecimal(PathDecimal.truncated(amount.value * scale), scale: 0).integer else { return .outOfRange }
        var value = self
        guard precision == .second else {
            value.add(minutes: Int(total / 60_000_000_000))
            return value.checked
        }
        // Overflow is impossible: 64 bits hold 292 years of nanoseconds, and the rest of a day is little beside them.
        let dayLength: Int64 = 86_400_000_000_000
        var within = Int64((hour * 60 + minute) * 60 + second) * 1_000_000_000 + Int64(nanosecond) + total % dayLength
        var days = Int(total / dayLength)
        if within < 0 {
            within += dayLength
            days -= 1
        } else if within >= dayLength {
            within -= dayLength
            days += 1
        }
        value.nanosecond = Int(within % 1_000_000_000)
        let seconds = Int(within / 1_000_000_000)
        (value.hour, value.minute, value.second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
        if kind != .time { value.add(days: days) }
        value.fractionDigits = max(fractionDigits, Self.neededDigits(value.nanosecond))
        return value.checked
    }

    /// 0, 3, 6 or 9 digits, as few as a fraction needs.
    private static func neededDigits(_ nanosecond: Int) -> Int {
        if nanosecond == 0 { return 0 }
        if nanosecond % 1_000_000 == 0 { return 3 }
        return nanosecond % 1_000 == 0 ? 6 : 9
    }
}
