import Foundation

extension Function {
    /// Moments and their parts (FHIRPath 2.0, Current date and time; the parts are for trial use).
    static let temporal: [String: Function] = [
        "now": Function(0, .dateTime) { _, _, evaluator in [.temporal(evaluator.moment)] },
        "today": Function(0, .date) { _, _, evaluator in [.temporal(evaluator.moment.datePart)] },
        "timeOfDay": Function(0, .time) { _, _, evaluator in .optional(evaluator.moment.timePart.map { .temporal($0) }) },
        "yearOf": part { $0.kind == .time ? nil : $0.year },
        "monthOf": part { $0.kind != .time && $0.precision >= .month ? $0.month : nil },
        "dayOf": part { $0.kind != .time && $0.precision >= .day ? $0.day : nil },
        "hourOf": part { $0.precision >= .hour ? $0.hour : nil },
        "minuteOf": part { $0.precision >= .minute ? $0.minute : nil },
        "secondOf": part { $0.precision >= .second ? $0.second : nil },
        "millisecondOf": part { $0.precision >= .second && $0.fractionDigits > 0 ? $0.nanosecond / 1_000_000 : nil },
        "timezoneOffsetOf": Function(0, .decimal) { call, focus, _ in
            guard let offset = try call.temporal(focus)?.offset else { return [] }
            return .optional(PathDecimal(Int64(offset)).divided(by: PathDecimal(60)).map { .decimal($0) })
        },
        "dateOf": Function(0, .date) { call, focus, _ in
            guard let value = try call.temporal(focus), value.kind != .time else { return [] }
            return [.temporal(value.datePart)]
        },
        "timeOf": Function(0, .time) { call, focus, _ in .optional(try call.temporal(focus)?.timePart.map { .temporal($0) }) },
    ]

    private static func part(_ part: @escaping @Sendable (PathTemporal) -> Int?) -> Function {
        Function(0, .integer) { call, focus, _ in .optional(try call.temporal(focus).flatMap(part).map { .integer(Int64($0)) }) }
    }
}

extension FunctionNode {
    fileprivate func temporal(_ focus: [Item]) throws -> PathTemporal? {
        guard let value = try single(focus)?.operand else { return nil }
        guard case .temporal(let time) = value else { throw error("'\(name)' needs a date, dateTime or time") }
        return time
    }
}

extension Evaluator {
    /// The moment of the evaluation, to the millisecond and with the zone of the machine.
    fileprivate var moment: PathTemporal {
        let offset = context.timeZone.secondsFromGMT(for: now) / 60
        let milliseconds = Int((now.timeIntervalSince1970 * 1_000).rounded(.down)) + offset * 60_000
        var value = PathTemporal(kind: .dateTime, precision: .second)
        let days = (milliseconds - (milliseconds < 0 ? 86_399_999 : 0)) / 86_400_000
        (value.year, value.month, value.day) = (1970, 1, 1)
        value.addDays(days)
        let rest = milliseconds - days * 86_400_000
        (value.hour, value.minute, value.second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60)
        (value.nanosecond, value.fractionDigits) = (rest % 1_000 * 1_000_000, 3)
        value.offset = offset
        return value
    }
}
