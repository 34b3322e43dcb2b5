import Foundation

extension Function {
    /// Numbers (FHIRPath 2.0, Math).
    static let math: [String: Function] = [
        "abs": Function(0, .input) { call, focus, _ in
            guard let item = try call.single(focus)?.operand else { return [] }
            guard let isNegative = item.isNegative else { throw call.error("'abs' needs a number or a quantity") }
            return isNegative ? .optional(item.negated) : [item]
        },
        "ceiling": Function(0, .integer) { call, focus, _ in try call.whole(focus) { $0.rounded(0, .up) } },
        "floor": Function(0, .integer) { call, focus, _ in try call.whole(focus) { $0.rounded(0, .down) } },
        "truncate": Function(0, .integer) { call, focus, _ in try call.whole(focus) { PathDecimal.truncated($0) } },
        "round": Function(0...1, .decimal) { call, focus, evaluator in
            guard let number = try call.number(focus) else { return [] }
            let digits = call.arguments.isEmpty ? 0 : try call.integer(0, evaluator)
            guard let digits else { return [] }
            guard digits >= 0 else { throw call.error("'round' takes a number of digits that is not negative") }
            guard digits < number.scale else { return [.decimal(number)] }
            return [.decimal(PathDecimal(number.value.rounded(Int(digits), .plain), scale: Int(digits)))]
        },
        "exp": Function(0, .decimal) { call, focus, _ in
            .optional(try call.number(focus).flatMap { call.decimal(Foundation.exp($0.double)) })
        },
        "ln": Function(0, .decimal) { call, focus, _ in
            .optional(try call.number(focus).flatMap { call.decimal(Foundation.log($0.double)) })
        },
        "sqrt": Function(0, .decimal) { call, focus, _ in .optional(try call.number(focus).flatMap { call.decimal($0.double.squareRoot()) })
        },
        "log": Function(1, .decimal) { call, focus, evaluator in
            guard let number = try call.number(focus), let base = try call.value(0, evaluator) else { return [] }
            guard let base = base.number else { throw call.error("the base of 'log' is a number") }
            switch base.value {
            case 2: return .optional(call.decimal(Foundation.log2(number.double)))
            case 10: return .optional(call.decimal(Foundation.log10(number.double)))
            default: return .optional(call.decimal(Foundation.log(number.double) / Foundation.log(base.double)))
            }
        },
        "power": Function(1, .unknown) { call, focus, evaluator in
            guard let item = try call.single(focus)?.operand, let exponent = try call.value(0, evaluator) else { return [] }
            guard let number = item.number, let exponent = exponent.number else { throw call.error("'power' needs numbers") }
            guard let result = number.power(exponent) else { return [] }
            if case .integer = item, let whole = result.integer, exponent.isWhole {
                return Int32(exactly: whole) == nil ? [.long(whole)] : [.integer(whole)]
            }
            return [.decimal(result)]
        },
    ]
}

extension FunctionNode {
    /// The number that the function is called on; nil for none.
    fileprivate func number(_ focus: [Item]) throws -> PathDecimal? {
        guard let value = try single(focus)?.operand else { return nil }
        guard let number = value.number else { throw error("'\(name)' needs a number") }
        return number
    }

    fileprivate func whole(_ focus: [Item], _ round: (Decimal) -> Decimal) throws -> [Item] {
        guard let number = try number(focus), let whole = PathDecimal(round(number.value), scale: 0).integer else { return [] }
        return Int32(exactly: whole) == nil ? [.long(whole)] : [.integer(whole)]
    }

    /// The decimal of a double, to the 15 digits that it holds; nil for infinity and what is no number.
    fileprivate func decimal(_ value: Double) -> Item? { PathDecimal(nearest: value).map { .decimal($0) } }
}

extension PathDecimal {
    fileprivate init?(nearest value: Double) {
        guard value.isFinite, let decimal = Decimal(string: String(format: "%.15g", value), locale: Locale(identifier: "en_US_POSIX"))
        else {
            return nil
        }
        self.init(shortest: decimal)
    }

    fileprivate var double: Double { Double("\(value)") ?? .nan }

    /// Exact for whole exponents, if the result fits; nil for roots of negative numbers and beyond the range.
    fileprivate func power(_ exponent: PathDecimal) -> PathDecimal? {
        guard let whole = exponent.integer, whole.magnitude <= 1_000 else {
            return PathDecimal(nearest: Foundation.pow(double, exponent.double))
        }
        var result = PathDecimal(1)
        for _ in 0..<whole.magnitude {
            guard let next = result.multiplied(by: self) else { return nil }
            result = next
            if result.value.magnitude > Decimal(sign: .plus, exponent: 60, significand: 1) { return nil }
        }
        return whole < 0 ? PathDecimal(1).divided(by: result) : result
    }
}
