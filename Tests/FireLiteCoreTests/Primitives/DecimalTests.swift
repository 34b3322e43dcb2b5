import FireLiteCore
import Foundation
import TestSupport
import Testing

/// Decimals keep their literal, and their numbers are what Foundation makes of it.
@Suite struct DecimalTests {
    private func parse(_ literal: String) -> DecimalWord? {
        var literal = literal
        return literal.withUTF8 { DecimalWord($0) }
    }

    private func text(_ word: DecimalWord) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
            let length = buffer.baseAddress.map { word.write(to: $0) } ?? 0
            return String(decoding: buffer[..<length], as: UTF8.self)
        }
    }

    @Test func everyLiteralOfFewDigits() throws {
        for mantissa in stride(from: -2_000, through: 2_000, by: 1) {
            for scale in 0...6 {
                let digits = String(mantissa.magnitude)
                let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
                let literal = (mantissa < 0 ? "-" : "") + padded.dropLast(scale) + (scale > 0 ? "." : "") + padded.suffix(scale)
                let word = try #require(parse(literal))
                try #require(word.mantissa == mantissa && word.scale == scale)
                try #require(text(word) == literal)
            }
        }
    }

    @Test func randomLiterals() throws {
        try withEvery(0..<5_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let whole = generator.percent(30) ? "0" : "\(generator.int(1...9))" + digits(generator.int(0...20), &generator)
            let fraction = generator.percent(30) ? "" : "." + digits(generator.int(1...20), &generator)
            let exponent =
                generator.percent(15) ? generator.pick(["e", "E"]) + generator.pick(["", "+", "-"]) + "\(generator.int(0...20))" : ""
            let literal = generator.pick(["", "-"]) + whole + fraction + exponent
            let decimal = try #require(FHIRDecimal(literal))
            try #require(decimal.literal == literal)
            try #require(decimal.doubleValue == Double(literal))
            try #require(decimal.decimalValue == Decimal(string: literal))
            let fits = exponent.isEmpty && whole.count + max(fraction.count - 1, 0) <= 16
            let isNegativeZero = literal.hasPrefix("-") && decimal.doubleValue == 0
            try #require((parse(literal) != nil) == (fits && !isNegativeZero))
        }
    }

    private func digits(_ count: Int, _ generator: inout SeededGenerator) -> String {
        (0..<count).map { _ in "\(generator.int(0...9))" }.joined()
    }

    @Test func literalsOfDoubles() throws {
        for (value, literal) in [(0.1, "0.1"), (1.5, "1.5"), (-2, "-2"), (100, "100"), (0, "0"), (-0.0, "0"), (1e-7, "0.0000001")]
            as [(Double, String)]
        {
            #expect(FHIRDecimal(value).literal == literal)
        }
        try withEvery(0..<5_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let value: Double
            if generator.percent(50) {
                value = Double(generator.int(-10_000_000...10_000_000)) / generator.pick([1, 10, 100, 1_000, 1_000_000])
            } else {
                let random = Double(bitPattern: generator.next())
                value = random.isFinite ? random : 1
            }
            let decimal = FHIRDecimal(value)
            try #require(decimal.doubleValue == value)
            try #require(Double(decimal.literal) == value)
            try #require(FHIRDecimal(decimal.literal) == decimal)
            // As short as Swift's own description, which is the shortest there is.
            try #require(significantDigits(decimal.literal) <= significantDigits("\(value)"))
        }
    }

    private func significantDigits(_ literal: String) -> Int {
        let digits = literal.prefix { $0 != "e" && $0 != "E" }.filter { $0.isNumber }
        let isFraction = literal.contains(".")
        let leading = digits.drop { $0 == "0" }
        return (isFraction ? String(leading) : String(leading.reversed().drop { $0 == "0" })).reversed().drop { $0 == "0" }.count
    }

    @Test func orderIsThatOfTheNumbers() {
        let sorted: [FHIRDecimal] = [
            "-1e3", "-10", "-1.50", "-1.5", "-0.0", "0", "1e-3", "0.1", "0.10", "1", "1.0", "1.00", "2", "1e1", "11",
            "12345678901234567890",
        ]
        .compactMap { FHIRDecimal($0) }
        for (first, second) in zip(sorted, sorted.dropFirst()) where first.doubleValue != second.doubleValue {
            #expect(first < second)
            #expect(!(second < first))
        }
        #expect(sorted.shuffled().sorted().map(\.doubleValue) == sorted.map(\.doubleValue))
        let one = FHIRDecimal("1.0")
        #expect(one != FHIRDecimal("1.00"))
        #expect(one.hashValue == FHIRDecimal("1.0").hashValue)
        #expect(FHIRDecimal(Decimal(string: "1.25") ?? 0).literal == "1.25")
        #expect((2.5 as FHIRDecimal).literal == "2.5")
        #expect((7 as FHIRDecimal).literal == "7")
        #expect(FHIRDecimal(Int.min).literal == "\(Int.min)")
    }

    @Test func sortableWordsAreExact() throws {
        // A literal is told to be its double's shortest exactly when making it from the double gives it back.
        for literal in [
            "0", "1", "-1", "0.1", "1.50", "10", "1.0", "123456789012345", "1234567890123456", "0.000000000000001", "99.95", "-0.25",
        ] {
            let word = try #require(parse(literal))
            #expect(word.isExactAsDouble == (DecimalWord(shortest: word.doubleValue) == word), "\(literal)")
        }
        try withEvery(0..<3_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let word = DecimalWord(
                mantissa: Int64(generator.int(-999_999_999_999_999...999_999_999_999_999))
                    / Int64(generator.pick([1, 1_000, 1_000_000_000])), scale: generator.int(0...15))
            if word.isExactAsDouble { try #require(DecimalWord(shortest: word.doubleValue) == word) }
            try #require(word.doubleValue == Double(text(word)))
        }
    }
}
