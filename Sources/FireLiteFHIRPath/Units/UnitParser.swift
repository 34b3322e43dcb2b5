import Foundation

/// Reads UCUM's case-sensitive codes (The Unified Code for Units of Measure, §§ 2–13): `mg/dL`, `10*3/uL`, `m[Hg]`, `{beats}/min`.
struct UnitParser {
    private var bytes: ArraySlice<UInt8>
    private var depth = 0

    private static let maximumLength = 200
    private static let maximumDepth = 20

    /// The unit of a code; nil if it is unknown or not a code.
    static func unit(_ code: String, depth: Int = 0) -> Unit? {
        guard !code.isEmpty, code.utf8.count <= maximumLength, depth < maximumDepth else { return nil }
        var parser = UnitParser(bytes: Array(code.utf8)[...], depth: depth)
        guard let unit = parser.term(), parser.bytes.isEmpty, unit.factor.isUsable else { return nil }
        return unit
    }

    private init(bytes: ArraySlice<UInt8>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    private mutating func skip(_ byte: UnicodeScalar) -> Bool {
        guard bytes.first == UInt8(ascii: byte) else { return false }
        bytes = bytes.dropFirst()
        return true
    }

    /// Components between points and slashes; a slash divides by the next component alone.
    private mutating func term() -> Unit? {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else { return nil }
        var result = Unit()
        if !skip("/") {
            guard let first = component() else { return nil }
            result = first
        } else {
            guard let first = component()?.raised(to: -1) else { return nil }
            result = first
        }
        while true {
            if skip(".") {
                guard let next = component(), let product = result.multiplied(by: next) else { return nil }
                result = product
            } else if skip("/") {
                guard let next = component()?.raised(to: -1), let product = result.multiplied(by: next) else { return nil }
                result = product
            } else {
                return result
            }
        }
    }

    private mutating func component() -> Unit? {
        if skip("(") {
            guard let inner = term(), skip(")") else { return nil }
            skipAnnotation()
            return inner
        }
        if bytes.first == UInt8(ascii: "{") { return skipAnnotation() ? Unit() : nil }
        let atom = takeAtom()
        guard !atom.isEmpty else { return nil }
        guard let unit = Self.component(atom, depth) else { return nil }
        skipAnnotation()
        return unit
    }

    /// The bytes up to the next operator, bracket or annotation; a point or slash between square brackets belongs to the name.
    private mutating func takeAtom() -> String {
        var count = 0
        var isBracketed = false
        for byte in bytes {
            if byte == UInt8(ascii: "[") { isBracketed = true }
            if byte == UInt8(ascii: "]") { isBracketed = false }
            if !isBracketed, "./(){".utf8.contains(byte) { break }
            count += 1
        }
        defer { bytes = bytes.dropFirst(count) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @discardableResult
    private mutating func skipAnnotation() -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return true }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "}")) else { return false }
        bytes = bytes[(end + 1)...]
        return true
    }

    /// A number, or a unit with prefix and exponent.
    private static func component(_ text: String, _ depth: Int) -> Unit? {
        if text.utf8.allSatisfy({ Lexer.isDigit($0) }) {
            guard let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), text.utf8.count < 20 else { return nil }
            return Unit(factor: UnitFactor(numerator: value, denominator: 1))
        }
        if let unit = UnitTable.unit(text, depth: depth) { return unit }
        let digits = text.utf8.reversed().prefix { Lexer.isDigit($0) }.count
        guard digits > 0, digits < 3 else { return nil }
        var stem = text.dropLast(digits)
        var exponent = Int(text.suffix(digits)) ?? 0
        if stem.hasSuffix("-") || stem.hasSuffix("+") {
            if stem.hasSuffix("-") { exponent = -exponent }
            stem = stem.dropLast()
        }
        return UnitTable.unit(String(stem), depth: depth)?.raised(to: exponent)
    }
}
