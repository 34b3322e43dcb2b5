import Foundation

/// Numbers for people.
enum Figures {
    /// Three significant digits.
    static func text(_ number: Double?) -> String {
        guard let number else { return "–" }
        if number == 0 { return "0" }
        let digits = max(0, 2 - Int(floor(log10(abs(number)))))
        let text = String(format: "%.\(digits)f", number)
        return number >= 10_000 ? grouped(Int(number.rounded())) : text
    }

    static func ratio(_ number: Double?) -> String { number.map { String(format: "%.2f", $0) } ?? "–" }

    /// With no more digits than it has.
    static func short(_ number: Double) -> String { String(format: "%g", number) }

    static func spread(_ range: ClosedRange<Double>?) -> String {
        range.map { ratio($0.lowerBound) + "–" + ratio($0.upperBound) } ?? "–"
    }

    /// With a comma after each three digits.
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(abs(number)).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text = "," + text }
            text = String(digit) + text
        }
        return number < 0 ? "-" + text : text
    }

    /// Without digits that mean nothing.
    static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}
