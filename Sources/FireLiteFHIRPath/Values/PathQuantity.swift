import FireLiteCore

/// A number with a unit: `10 'mg'`, `4 days`.
package struct PathQuantity: Sendable, Hashable {
    let value: PathDecimal
    let unit: PathUnit

    init(value: PathDecimal, unit: PathUnit) {
        self.value = value
        self.unit = unit
    }

    /// The quantity of a text like `10 'mg'`, `4 days` or `5`; nil for other texts.
    init?(text: String) {
        let trimmed = text.trimmingSpace
        let end = trimmed.firstIndex { $0 == " " || $0 == "\t" || $0 == "'" } ?? trimmed.endIndex
        guard let number = PathDecimal(String(trimmed[..<end])), !trimmed[..<end].contains(where: { $0 == "e" || $0 == "E" }) else {
            return nil
        }
        let rest = trimmed[end...].trimmingSpace
        if rest.isEmpty {
            self.init(value: number, unit: .code("1"))
        } else if rest.hasPrefix("'"), rest.hasSuffix("'"), rest.utf8.count > 2 {
            self.init(value: number, unit: .code(String(rest.dropFirst().dropLast())))
        } else if let unit = CalendarUnit(word: String(rest)) {
            self.init(value: number, unit: .calendar(unit))
        } else {
            return nil
        }
    }

    /// The quantity in FHIRPath's notation.
    package var literal: String {
        switch unit {
        case .code(let code): "\(value.text) '\(code.replacingBytes("\\", with: "\\\\").replacingBytes("'", with: "\\'"))'"
        case .calendar(let unit): "\(value.text) \(unit.rawValue)\(value.value == 1 ? "" : "s")"
        }
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmingSpace: SubSequence {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return rest
    }
}
