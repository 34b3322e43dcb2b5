import Foundation

/// The values of `SampledData`: its text has numbers with spaces between them, each of which counts times the factor and from the origin on.
///
/// `L` and `U` stand for values beyond what the device can measure, and count as the limit, if it is given. Other words say nothing about values.
struct SampledValues {
    private let origin: Double?
    private let factor: Double?
    /// The least and greatest word that is a number, with its value.
    private var ends: (least: (text: Substring, value: Double), greatest: (text: Substring, value: Double))?
    /// The limits that words stand for.
    private var limits: [Double] = []

    init(_ text: UnsafeBufferPointer<UInt8>, origin: Double?, factor: Double?, limits: (lower: Double?, upper: Double?)) {
        (self.origin, self.factor) = (origin, factor)
        var (isBelow, isAbove) = (false, false)
        for word in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
            if word == "L" { isBelow = true }
            if word == "U" { isAbove = true }
            guard let value = Double(word), value.isFinite else { continue }
            guard let known = ends else {
                ends = ((word, value), (word, value))
                continue
            }
            if value < known.least.value { ends?.least = (word, value) }
            if value > known.greatest.value { ends?.greatest = (word, value) }
        }
        self.limits = [isBelow ? limits.lower : nil, isAbove ? limits.upper : nil].compactMap { $0 }
    }

    /// The least or greatest value; nil if there is none.
    func bound(isGreatest: Bool) -> Double? {
        var values = limits
        if let ends { values += [ends.least, ends.greatest].map { measured($0.text, $0.value) } }
        return isGreatest ? values.max() : values.min()
    }

    /// The value that a number stands for, by decimal arithmetic: 3 times 0.1 is 0.3.
    private func measured(_ text: Substring, _ value: Double) -> Double {
        if factor == nil || factor == 1, origin == nil || origin == 0 { return value }
        let locale = Locale(identifier: "en_US_POSIX")
        func decimal(_ text: String) -> Decimal? { Decimal(string: text, locale: locale) }
        guard let number = decimal(String(text)), let factor = decimal("\(factor ?? 1)"), let origin = decimal("\(origin ?? 0)"),
            let result = Double("\(number * factor + origin)")
        else { return value * (factor ?? 1) + (origin ?? 0) }
        return result
    }
}
