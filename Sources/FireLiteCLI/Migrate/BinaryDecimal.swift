import Foundation

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
