import FireLiteCore

/// Converts dates in other notations to FHIR's. The result is a valid FHIR date or nil.
package struct DateMender: Sendable {
    /// The offset for times without one; nil to leave them unchanged, which is an error.
    package let offset: String?

    package init(offset: String?) { self.offset = offset }

    /// Whether a date or time is in FHIR's form.
    package static func isValid(_ text: String, _ type: PrimitiveType) -> Bool {
        switch type {
        case .date: FHIRDate(text) != nil
        case .dateTime: FHIRDateTime(text) != nil
        case .instant: FHIRInstant(text) != nil
        default: FHIRTime(text) != nil
        }
    }

    /// The date in FHIR's form; nil if it is ambiguous or unknown.
    package func mended(_ text: String, as type: PrimitiveType) -> String? {
        var scanner = Scanner(text)
        if type == .time { return time(&scanner, isCompact: false).flatMap { scanner.isAtEnd ? $0 : nil } }
        guard let (date, isCompact) = date(&scanner) else { return nil }
        if scanner.isAtEnd { return type == .instant ? nil : date }
        // A time needs a complete date before it.
        guard date.utf8.count == 10 else { return nil }
        if !isCompact || scanner.peek == UInt8(ascii: "T") {
            guard scanner.take(where: { $0 == UInt8(ascii: "T") || $0 == UInt8(ascii: "t") || $0 == UInt8(ascii: " ") }) != nil else {
                return nil
            }
        }
        guard let time = time(&scanner, isCompact: isCompact) else { return nil }
        _ = scanner.take { $0 == UInt8(ascii: " ") }
        let zone = zone(&scanner)
        guard scanner.isAtEnd else { return nil }
        // Many programs write a day as its first moment.
        if type == .date { return time.hasPrefix("00:00:00") && !time.contains { ("1"..."9").contains($0) } ? date : nil }
        return (zone ?? offset).map { "\(date)T\(time)\($0)" }
    }

    /// `2020-01-05`, `2020-1-5`, `2020/01/05`, `2020.1.5`, `2020-01`, `20200105`.
    private func date(_ scanner: inout Scanner) -> (String, isCompact: Bool)? {
        guard let year = scanner.digits(4...4) else { return nil }
        if scanner.isAtEnd { return nil }
        if let month = scanner.digits(2...2) {
            guard let day = scanner.digits(2...2) else { return nil }
            return ("\(year)-\(month)-\(day)", true)
        }
        let isSeparator: (UInt8) -> Bool = { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
        guard let separator = scanner.take(where: isSeparator), let month = scanner.digits(1...2) else { return nil }
        guard scanner.take(where: { $0 == separator }) != nil else { return ("\(year)-\(month.padded)", false) }
        guard let day = scanner.digits(1...2) else { return nil }
        return ("\(year)-\(month.padded)-\(day.padded)", false)
    }

    /// `9:30`, `09:30`, `09:30:15`, `09:30:15.25`; `0930`, `093015` after a date without separators.
    private func time(_ scanner: inout Scanner, isCompact: Bool) -> String? {
        guard let hour = scanner.digits(isCompact ? 2...2 : 1...2) else { return nil }
        let isColon: (UInt8) -> Bool = { $0 == UInt8(ascii: ":") }
        let hasColons = scanner.take(where: isColon) != nil
        guard hasColons || isCompact, let minute = scanner.digits(2...2) else { return nil }
        var second = "00"
        if hasColons ? scanner.take(where: isColon) != nil : scanner.peek.map(Scanner.isDigit) ?? false {
            guard let digits = scanner.digits(2...2) else { return nil }
            second = digits
            if scanner.take(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) != nil {
                guard let fraction = scanner.digits(1...9) else { return nil }
                second += "." + fraction
            }
        }
        return "\(hour.padded):\(minute):\(second)"
    }

    /// `Z`, `z`, `+01:00`, `+0100`, `+01`; nil if there is none.
    private func zone(_ scanner: inout Scanner) -> String? {
        if scanner.take(where: { $0 == UInt8(ascii: "Z") || $0 == UInt8(ascii: "z") }) != nil { return "Z" }
        guard let sign = scanner.take(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }), let hour = scanner.digits(2...2)
        else {
            return nil
        }
        _ = scanner.take { $0 == UInt8(ascii: ":") }
        return "\(Character(Unicode.Scalar(sign)))\(hour):\(scanner.digits(2...2) ?? "00")"
    }

    /// Walks an ASCII text.
    private struct Scanner {
        private let bytes: [UInt8]
        private var next = 0

        init(_ text: String) {
            var bytes = Array(text.utf8)[...]
            while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
            while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            self.bytes = Array(bytes)
        }

        static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

        var isAtEnd: Bool { next == bytes.count }
        var peek: UInt8? { next < bytes.count ? bytes[next] : nil }

        mutating func take(where isWanted: (UInt8) -> Bool) -> UInt8? {
            guard let byte = peek, isWanted(byte) else { return nil }
            next += 1
            return byte
        }

        /// As many digits as possible within the range; nil, without advancing, if there are fewer.
        mutating func digits(_ count: ClosedRange<Int>) -> String? {
            var end = next
            while end < bytes.count, end - next < count.upperBound, Self.isDigit(bytes[end]) { end += 1 }
            guard end - next >= count.lowerBound else { return nil }
            defer { next = end }
            return String(decoding: bytes[next..<end], as: UTF8.self)
        }
    }
}

extension String {
    /// Two digits.
    fileprivate var padded: String { utf8.count == 1 ? "0" + self : self }
}
