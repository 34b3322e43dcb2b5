import Foundation

#if RELEASE_TESTS
    // In the package of release tests, to which `package` symbols of this one are foreign.
    @testable import FireLiteCore
#else
    import FireLiteCore
#endif

extension RandomInstance {
    // MARK: - Setting

    /// Sets a to-one primitive by its literal, through the setter that generated properties use.
    func setValue(_ literal: String, _ type: PrimitiveType, _ slot: Int, of object: FHIRObject) {
        switch type {
        case .boolean: object._setBool(slot, literal == "true")
        case .integer, .positiveInt, .unsignedInt, .integer64: object._setInt(slot, Int(literal))
        case .decimal: object._setDecimal(slot, FHIRDecimal(literal))
        case .date: object._setDate(slot, FHIRDate(literal))
        case .dateTime: object._setDateTime(slot, FHIRDateTime(literal))
        case .instant: object._setInstant(slot, FHIRInstant(literal))
        case .time: object._setTime(slot, FHIRTime(literal))
        default: object._setString(slot, literal)
        }
    }

    /// Sets a list of primitives by their literals.
    func setValues(_ literals: [String], _ type: PrimitiveType, _ slot: Int, of object: FHIRObject) {
        switch type {
        case .boolean: object._setBools(slot, literals.map { $0 == "true" })
        case .integer, .positiveInt, .unsignedInt, .integer64: object._setInts(slot, literals.compactMap { Int($0) })
        case .decimal: object._setDecimals(slot, literals.compactMap { FHIRDecimal($0) })
        case .date: object._setDates(slot, literals.compactMap { FHIRDate($0) })
        case .dateTime: object._setDateTimes(slot, literals.compactMap { FHIRDateTime($0) })
        case .instant: object._setInstants(slot, literals.compactMap { FHIRInstant($0) })
        case .time: object._setTimes(slot, literals.compactMap { FHIRTime($0) })
        default: object._setStrings(slot, literals)
        }
    }

    // MARK: - Literals

    /// The literal of a random value that the type allows.
    mutating func value(of type: PrimitiveType, binding: String?, _ release: FHIRRelease?) -> String {
        switch type {
        case .boolean: return generator.percent(50) ? "true" : "false"
        case .integer: return generator.pick(["0", "-1", "1", "2147483647", "-2147483648", "\(generator.int(-1_000_000...1_000_000))"])
        case .positiveInt: return generator.pick(["1", "2147483647", "\(generator.int(1...1_000))"])
        case .unsignedInt: return generator.pick(["0", "2147483647", "\(generator.int(0...1_000))"])
        case .integer64: return generator.pick(["0", "9223372036854775807", "-9223372036854775808", "\(generator.int(-99...99))"])
        case .decimal: return decimal()
        case .date: return date()
        case .dateTime: return generator.percent(30) ? date() : instant()
        case .instant: return instant()
        case .time: return time()
        case .code: return code(binding, release)
        case .id: return id()
        case .uri: return generator.pick([url(), "urn:oid:1.2.\(generator.int(0...999))", "urn:uuid:\(uuid())", "http://loinc.org"])
        case .url: return url()
        case .canonical: return url() + generator.pick(["", "|1.0", "|4.0.1#part"])
        case .oid: return "urn:oid:2.\(generator.int(0...39)).\(generator.int(0...99_999))"
        case .uuid: return "urn:uuid:\(uuid())"
        case .base64Binary:
            return Data((0..<generator.int(1...40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }).base64EncodedString()
        case .xhtml: return "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>\(word()) &lt; \(word())</p>\n</div>"
        case .string, .markdown: return text()
        }
    }

    /// A code of the element's binding, or a free one.
    mutating func code(_ element: LayoutElement, _ release: FHIRRelease) -> String { code(element.binding, release) }

    private mutating func code(_ binding: String?, _ release: FHIRRelease?) -> String {
        if let binding, let codes = release?.codes(ofBinding: binding), !codes.isEmpty, isStrictlyValid || generator.percent(90) {
            return String(generator.pick(codes))
        }
        return generator.pick(["unknown-to-fhir", "<", ">=", "en-GB", "text/plain;charset=utf-8", "two words", "a", word()])
    }

    private mutating func decimal() -> String {
        let awkward = [
            "1.50", "1e3", "-0.0", "-0", "0", "0.0", "0.1", "100", "-1.5E-3", "1E+2", "123456789012345678", "0.123456789012345678", "1.0e0",
            "1234567890.12345678", "-9999999999999999", "0.0000000000000001", "99999999999999999999.5", "1e-300", "12.0", "0.10",
        ]
        if generator.percent(40) { return generator.pick(awkward) }
        let whole = generator.int(-5_000...5_000)
        let digits = generator.int(0...6)
        if digits == 0 { return "\(whole)" }
        return "\(whole)." + (0..<digits).map { _ in "\(generator.int(0...9))" }.joined()
    }

    private mutating func date() -> String {
        let year = generator.pick(["1970", "2000", "0001", "9999", "\(generator.int(1900...2030))"])
        let month = Self.twoDigits(generator.int(1...12))
        switch generator.int(0...5) {
        case 0: return year
        case 1: return "\(year)-\(month)"
        case 2: return "2024-02-29"
        default: return "\(year)-\(month)-\(Self.twoDigits(generator.int(1...28)))"
        }
    }

    private mutating func time() -> String {
        let second = generator.percent(4) ? "60" : Self.twoDigits(generator.int(0...59))
        let whole = "\(Self.twoDigits(generator.int(0...23))):\(Self.twoDigits(generator.int(0...59))):\(second)"
        guard generator.percent(40) else { return whole }
        return "\(whole)." + (0..<generator.int(1...9)).map { _ in "\(generator.int(0...9))" }.joined()
    }

    private mutating func instant() -> String {
        let day = "\(generator.int(1902...2100))-\(Self.twoDigits(generator.int(1...12)))-\(Self.twoDigits(generator.int(1...28)))"
        return "\(day)T\(time())" + generator.pick(["Z", "Z", "+00:00", "-00:00", "+05:30", "-11:00", "+14:00", "-03:30"])
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private mutating func id() -> String {
        let characters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")
        return String((0..<generator.pick([1, 3, 8, 15, 16, 17, 64])).map { _ in generator.pick(characters) })
    }

    mutating func uuid() -> String {
        let digits = (0..<32).map { _ in generator.pick(Array("0123456789abcdef")) }
        let starts = [0, 8, 12, 16, 20, 32]
        return zip(starts, starts.dropFirst()).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }

    private mutating func url() -> String {
        "http\(generator.pick(["", "s"]))://example.org/fhir/\(word())/\(generator.int(1...99_999))"
    }

    private mutating func word() -> String {
        String((0..<generator.int(1...12)).map { _ in generator.pick(Array("abcdefghijklmnopqrstuvwxyz")) })
    }

    /// Text of the lengths at which readers change their ways, with characters that need care.
    private mutating func text() -> String {
        let awkward = [
            "\"quoted\" \\ and / slashed", "tab\tnew\nline\r\n", "Grüße, 山田太郎, Ωμέγα", "👩‍👩‍👧‍👦 family 🏳️‍🌈", "e\u{301} is not \u{E9}",
            "\u{FEFF}mark",
            "\u{FFFD}\u{10FFFF}\u{2028}", "'; DROP TABLE Patient; --", "null", "true", "12.50", "2020-01-01", "a b", "%_*?[]", "\u{7F}x",
        ]
        let forbidden = ["", "nul \u{0} inside", "\u{1}\u{8}\u{1F}", " ", "\u{0}"]
        if generator.percent(20) { return generator.pick(awkward) }
        if !isStrictlyValid, generator.percent(6) { return generator.pick(forbidden) }
        var text = word()
        let length = generator.pick([1, 7, 8, 15, 16, 17, 31, 96, 97, 200])
        while text.utf8.count < length { text += " \(word())" }
        return text
    }
}
