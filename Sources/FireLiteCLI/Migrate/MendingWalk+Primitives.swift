import FireLite
import Foundation

extension MendingWalk {
    /// - Returns: nil if there is no value.
    mutating func primitive(_ node: JSONNode, _ type: PrimitiveType) -> JSONNode? {
        if let members = node.members {
            if members.isEmpty {
                note(.emptyObject)
                return nil
            }
            guard let value = RealmWrapper.value(of: members, type, at: node.range) else { return node }
            note(.wrapper)
            return value.isNull ? nil : primitive(value, type)
        }
        switch type {
        case .date, .dateTime, .instant, .time: return date(node, type)
        case .decimal: return decimal(node)
        default: return node
        }
    }

    private mutating func date(_ node: JSONNode, _ type: PrimitiveType) -> JSONNode {
        if let text = node.text, !DateMender.isValid(text, type), let mended = mender.dates.mended(text, as: type) {
            note(.date)
            return .text(mended, at: node.range)
        }
        if let number = node.number.flatMap(Double.init),
            let mended = mender.dateNumbers.literal(number, as: type, offset: mender.dates.offset)
        {
            note(.dateNumber)
            return .text(mended, at: node.range)
        }
        return node
    }

    private mutating func decimal(_ node: JSONNode) -> JSONNode {
        if let text = node.text, FHIRDecimal(text) != nil {
            note(.numberText)
            return decimal(.word(text, at: node.range))
        }
        guard let number = node.number, let meant = BinaryDecimal.meant(by: number) else { return node }
        note(.decimal)
        return .word(meant, at: node.range)
    }
}

/// Decimals that went through a binary number on their way.
enum BinaryDecimal {
    /// The decimal that was meant: 6.3 for 6.2999999999999998; nil if the literal is not exactly what Foundation writes for a binary
    /// number, with 16 or 17 digits.
    static func meant(by literal: String) -> String? {
        guard literal.utf8.count > 16, literal.contains("."), let number = Double(literal), number.isFinite else { return nil }
        let short = "\(number)"
        guard short.utf8.count(where: { $0 &- 48 < 10 }) <= 16, short != literal, isBinary(literal, number) else { return nil }
        return short.hasSuffix(".0") ? String(short.dropLast(2)) : short
    }

    private static func isBinary(_ literal: String, _ number: Double) -> Bool {
        literal == String(format: "%.17g", number) || literal == String(format: "%.16g", number)
    }
}
