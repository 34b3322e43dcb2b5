import FireLiteCore
import Foundation

extension Function {
    /// Parts and properties of texts (FHIRPath 2.0, String Manipulation). Characters are code points.
    static let strings: [String: Function] = [
        "length": Function(0, .ofString(.integer)) { call, focus, _ in
            .optional(try call.text(focus).map { .integer(Int64($0.unicodeScalars.count)) })
        },
        "indexOf": Function(1, .ofString(.integer)) { call, focus, evaluator in
            guard let text = try call.text(focus), let part = try call.text(0, evaluator) else { return [] }
            try call.countSearch(of: part, in: text, evaluator)
            return [.integer(Int64(text.scalarIndex(of: part) ?? -1))]
        },
        "lastIndexOf": Function(1, .ofString(.integer)) { call, focus, evaluator in
            guard let text = try call.text(focus), let part = try call.text(0, evaluator) else { return [] }
            try call.countSearch(of: part, in: text, evaluator)
            return [.integer(Int64(text.lastScalarIndex(of: part) ?? -1))]
        },
        "substring": Function(1...2, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let start = try call.integer(0, evaluator), start >= 0 else { return [] }
            let rest = text.unicodeScalars.dropFirst(Int(clamping: start))
            guard !rest.isEmpty else { return [] }
            guard let length = try call.integer(1, evaluator) else { return [.string(String(rest))] }
            return [.string(String(rest.prefix(Int(clamping: max(0, length)))))]
        },
        "startsWith": Function(1, .ofString(.boolean)) { call, focus, evaluator in
            guard let text = try call.text(focus), let part = try call.text(0, evaluator) else { return [] }
            return .truth(text.utf8.starts(with: part.utf8))
        },
        "endsWith": Function(1, .ofString(.boolean)) { call, focus, evaluator in
            guard let text = try call.text(focus), let part = try call.text(0, evaluator) else { return [] }
            return .truth(text.utf8.reversed().starts(with: part.utf8.reversed()))
        },
        "contains": Function(1, .ofString(.boolean)) { call, focus, evaluator in
            guard let text = try call.text(focus), let part = try call.text(0, evaluator) else { return [] }
            try call.countSearch(of: part, in: text, evaluator)
            return .truth(text.scalarIndex(of: part) != nil)
        },
        "upper": Function(0, .ofString(.string)) { call, focus, _ in .optional(try call.text(focus).map { .string($0.uppercased()) }) },
        "lower": Function(0, .ofString(.string)) { call, focus, _ in .optional(try call.text(focus).map { .string($0.lowercased()) }) },
        "trim": Function(0, .ofString(.string)) { call, focus, _ in
            .optional(try call.text(focus).map { .string(String($0.trimmingSpace)) })
        },
        "toChars": Function(0, .ofString(.string)) { call, focus, _ in
            try call.text(focus)?.unicodeScalars.map { .string(String($0)) } ?? []
        },
        "split": Function(1, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let separator = try call.text(0, evaluator) else { return [] }
            try call.countSearch(of: separator, in: text, evaluator)
            if separator.isEmpty { return text.unicodeScalars.map { .string(String($0)) } }
            return text.parts(separatedByBytes: separator).map { .string($0) }
        },
        "join": Function(0...1, .string, sql: .join) { call, focus, evaluator in
            let separator = try call.text(0, evaluator) ?? ""
            if focus.isEmpty { return evaluator.options.joinsNothing ? [.string("")] : [] }
            var parts: [String] = []
            var length = 0
            for item in focus {
                guard let value = item.system else { continue }
                guard case .string(let text) = value else { throw call.error("'join' needs strings") }
                length += text.utf8.count + separator.utf8.count
                try call.checkLength(length)
                parts.append(text)
            }
            return [.string(parts.joined(separator: separator))]
        },
        "matches": Function(1...2, .ofString(.boolean)) { call, focus, evaluator in try call.matches(focus, evaluator, isFull: false) },
        "matchesFull": Function(1...2, .ofString(.boolean)) { call, focus, evaluator in try call.matches(focus, evaluator, isFull: true) },
    ]
}

extension FunctionNode {
    /// Counts what the search for a text may take: at worst, each byte is compared with each.
    func countSearch(of part: String, in text: String, _ evaluator: Evaluator) throws {
        try evaluator.count(text.utf8.count * part.utf8.count / 1_024, at: position)
    }

    fileprivate func matches(_ focus: [Item], _ evaluator: Evaluator, isFull: Bool) throws -> [Item] {
        guard let text = try text(focus), let pattern = try self.text(0, evaluator) else { return [] }
        let matching = try RegularMatching(isFull ? "^(?:\(pattern))$" : pattern, self, evaluator)
        guard let match = try matching.first(in: text) else { return .no }
        return .truth(!isFull || match.range == NSRange(text.startIndex..., in: text))
    }
}

extension String {
    /// The place of the first occurrence, in code points.
    func scalarIndex(of part: String) -> Int? {
        guard let bytes = Self.firstOccurrence(of: Array(part.utf8), in: Array(utf8)) else { return nil }
        return utf8.prefix(bytes).count { $0 & 0xC0 != 0x80 }
    }

    /// The place of the last occurrence, in code points.
    func lastScalarIndex(of part: String) -> Int? {
        let (text, wanted) = (Array(utf8), Array(part.utf8))
        guard let bytes = Self.firstOccurrence(of: wanted.reversed(), in: text.reversed()) else { return nil }
        return text.prefix(text.count - bytes - wanted.count).count { $0 & 0xC0 != 0x80 }
    }

    private static func firstOccurrence(of part: [UInt8], in text: [UInt8]) -> Int? {
        guard let first = part.first else { return 0 }
        guard text.count >= part.count else { return nil }
        for start in 0...text.count - part.count where text[start] == first && text[start..<start + part.count].elementsEqual(part) {
            return start
        }
        return nil
    }
}
