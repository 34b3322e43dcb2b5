import FireLiteCore
import Foundation

/// The values that the shape of a request leaves out, each once.
struct ShapeValues {
    /// A text of which the compiler uses the beginnings, and what comes after all texts that begin with them.
    struct Letters: Equatable {
        let text: String
        /// The length of the mark that stands for it: its own where the length decides, and otherwise always the same.
        let count: Int

        var isExact: Bool { count == text.utf8.count }
    }

    /// Texts that are compared as a whole, and the ids of references.
    private(set) var words: [String] = []
    private(set) var letters: [Letters] = []
    /// A limit, the key after which results begin, and the one at which a walk ends.
    var numbers: [Int64] = [0, 0, .max]

    private static let longest = 200
    /// The length of marks where the length does not decide: no text has it, so what uses a beginning of the mark is seen.
    private static let anyLength = longest + 1

    // MARK: - Which values are left out

    /// Whether JSON has the text as it is.
    static func isWord(_ text: String) -> Bool {
        let isShort = (1...longest).contains(text.utf8.count)
        return isShort && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// The length of the mark for the text of a test; nil if the text decides about the statement.
    static func count(_ way: TextOperator, _ text: String, _ folding: TextFolding) -> Int? {
        guard (1...longest).contains(text.utf8.count), isASCII(text) else { return nil }
        let hasRanges = folding.contains(.ignoringCase) && (way == .hasPrefix || way == .equal)
        return hasRanges ? text.utf8.count : anyLength
    }

    /// Whether bounds are those of a date whose year is one that FHIR has, and not of a time of day.
    static func isDate(_ bounds: DateBounds) -> Bool {
        [bounds.text, bounds.lower, bounds.upper].allSatisfy { text in
            (4...40).contains(text.utf8.count) && isASCII(text) && text.utf8.dropFirst(2).first != UInt8(ascii: ":")
        }
    }

    /// The type and id of a reference without base and version; nil for others.
    static func reference(_ text: String) -> (type: String, id: String)? {
        let parts = ReferenceParts(text)
        guard parts.form == .relative, parts.version == nil, let type = parts.type, let id = parts.id, text == "\(type)/\(id)" else {
            return nil
        }
        return (type, id)
    }

    /// Whether a text is a reference by UUID, which is compared as a whole.
    static func isUUID(_ text: String) -> Bool { ReferenceParts(text).form == .uuid }

    // MARK: - Numbers of values

    mutating func number(ofWord text: String) -> Int {
        if let known = words.firstIndex(of: text) { return known }
        words.append(text)
        return words.count - 1
    }

    /// Nil if there are more than there are marks.
    mutating func number(ofLetters text: String, count: Int) -> Int? {
        let letters = Letters(text: text, count: count)
        if let known = self.letters.firstIndex(of: letters) { return known }
        guard self.letters.count < ShapeMarks.alphabet.count else { return nil }
        self.letters.append(letters)
        return self.letters.count - 1
    }
}

/// What stands for the values that a shape leaves out while its statements are compiled, so that they are found again in what was compiled.
///
/// Words are marked by texts that no request has, as they are random. Letters are marked by one control character over and over: a beginning of it
/// shows which text it is a beginning of, and its end, which has the next character, as well.
enum ShapeMarks {
    /// The control characters, without those that SQLite or JSON write in a way of their own. The next one of each is free.
    static let alphabet: [UInt8] = [4, 6, 14, 16, 18, 20, 22, 24, 26, 28, 30]
    private static let first: Int64 = 0x5A17_0000_0000_0000
    /// The marks of limits, of keys after which results begin, and of the key at which a walk ends.
    static let (limit, after, end) = (first, first + 1, first + 2)

    private static let secret = UUID().uuidString.replacingBytes("-", with: "")
    private static let opening = "Z\(secret)."
    private static let closing = ".Z"
    /// The beginning of the marks of references by UUID: all but the last twelve digits, which are the number.
    private static let uuidOpening = ReferenceParts.uuidPrefix + UUID().uuidString.lowercased().prefix(24)

    static func word(_ number: Int) -> String { "\(opening)\(number)\(closing)" }

    /// The mark of a word that is a reference by UUID, and has the form of one.
    static func uuid(_ number: Int) -> String { uuidOpening + String(Int64(number), radix: 16).leftPadded(12) }

    static func letters(_ number: Int, count: Int) -> String {
        String(decoding: [UInt8](repeating: alphabet[number], count: count), as: UTF8.self)
    }

    static func isMark(_ number: Int64) -> Bool { (first...first + 2).contains(number) }

    /// Whether a text has nothing that could be taken for a mark.
    static func isUnmarked(_ text: String) -> Bool {
        !text.utf8.contains { $0 < 0x20 }
            && (text.utf8.count < secret.utf8.count || !text.contains(secret) && !text.contains(uuidOpening))
    }

    /// Whether a text has no mark, also not as JSON writes control characters.
    static func isConstant(_ text: String) -> Bool { isUnmarked(text) && !text.contains("\\u00") }

    /// The parts of a text with the mark of a word; nil if there is none, or more than one.
    static func word(in text: String) -> (before: String, number: Int, after: String)? {
        if text.hasPrefix(uuidOpening), let number = Int(text.dropFirst(uuidOpening.count), radix: 16) { return ("", number, "") }
        guard let start = text.range(of: opening), let end = text.range(of: closing, range: start.upperBound..<text.endIndex),
            let number = Int(text[start.upperBound..<end.lowerBound])
        else { return nil }
        let (before, after) = (String(text[..<start.lowerBound]), String(text[end.upperBound...]))
        return isConstant(before) && isConstant(after) ? (before, number, after) : nil
    }
}

// MARK: - Marking

extension QueryRequest {
    /// The request with marks instead of the values that its shape leaves out.
    func marked(_ values: ShapeValues) -> QueryRequest {
        var request = self
        request.predicate = predicate.marked(values)
        request.sort = sort.map { key in
            let paths = key.paths.map { path in
                SortPath(path.path, filters: path.filters.map { SortPath.Filter(path: $0.path, condition: $0.condition.marked(values)) })
            }
            return SortKey(paths: paths, isDescending: key.isDescending, nulls: key.nulls)
        }
        return request
    }
}

extension Predicate {
    fileprivate func marked(_ values: ShapeValues) -> Predicate {
        switch self {
        case .value(let path, let test): .value(path, test.marked(values))
        case .any(let path, let inner): .any(path, inner.marked(values))
        case .refers(let path, let texts):
            .refers(path, texts.count > ValueTestCompiler.boundValues ? texts : texts.map { Self.marked(reference: $0, values) })
        case .target(let path, let layout, let inner): .target(path, layout, inner.marked(values))
        case .referredBy(let layout, let path, let inner): .referredBy(layout, path, inner.marked(values))
        case .contains(let layout, let inner): .contains(layout, inner.marked(values))
        case .named(let name, let layout, let inner, let isMade): .named(name, layout, inner.marked(values), isMade: isMade)
        case .and(let parts): .and(parts.map { $0.marked(values) })
        case .or(let parts): .or(parts.map { $0.marked(values) })
        case .not(let inner): .not(inner.marked(values))
        case .constant, .sampled, .exists, .count, .keys, .selected, .matching: self
        }
    }

    private static func marked(reference text: String, _ values: ShapeValues) -> String {
        if ShapeValues.isUUID(text) { return values.words.firstIndex(of: text).map(ShapeMarks.uuid) ?? text }
        guard let (type, id) = ShapeValues.reference(text), let number = values.words.firstIndex(of: id) else { return text }
        return "\(type)/\(ShapeMarks.word(number))"
    }
}

extension ValueTest {
    fileprivate func marked(_ values: ShapeValues) -> ValueTest {
        func word(_ value: SQLValue) -> SQLValue {
            guard case .text(let text) = value, ShapeValues.isWord(text), let number = values.words.firstIndex(of: text) else {
                return value
            }
            return .text(ShapeMarks.word(number))
        }
        func letters(_ text: String, _ count: Int) -> String {
            let number = values.letters.firstIndex(of: ShapeValues.Letters(text: text, count: count))
            return number.map { ShapeMarks.letters($0, count: count) } ?? text
        }
        switch self {
        case .compare(let comparison, let value): return .compare(comparison, word(value))
        case .oneOf(let list): return list.count > ValueTestCompiler.boundValues ? self : .oneOf(list.map(word))
        case .between(let lower, let upper): return .between(word(lower), word(upper))
        case .date(let comparison, let bounds, let overlapping):
            guard ShapeValues.isDate(bounds) else { return self }
            func mark(_ text: String) -> String { letters(text, text.utf8.count) }
            let marked = DateBounds(text: mark(bounds.text), lower: mark(bounds.lower), upper: mark(bounds.upper))
            return .date(comparison, marked, overlapping: overlapping)
        case .text(let way, let text, let folding):
            return ShapeValues.count(way, text, folding).map { .text(way, letters(text, $0), folding) } ?? self
        case .dateOneOf, .referenceType, .referenceTo, .hasTime: return self
        }
    }
}
