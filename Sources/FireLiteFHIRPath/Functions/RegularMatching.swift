import Foundation

/// Searches with a regular expression, in a time that has an end: patterns such as `(a*)*b` take one that doubles with each character.
///
/// The engine reports progress about every ten thousand steps, and stops on request. It gives up by itself where it would take more than
/// 8 MB to remember where to go back to.
struct RegularMatching {
    private let expression: NSRegularExpression
    private let call: FunctionNode
    private let evaluator: Evaluator

    /// The longest pattern, in bytes: one that is compiled takes many times its memory.
    static let maximumPattern = 65_536

    /// - Throws: `FHIRPathError` for a pattern that is none, or is too long.
    init(_ pattern: String, _ call: FunctionNode, _ evaluator: Evaluator) throws {
        guard pattern.utf8.count <= Self.maximumPattern else {
            throw FHIRPathError(.limit, "the regular expression has more than \(Self.maximumPattern) bytes", at: call.position)
        }
        guard let expression = evaluator.regularExpression(pattern) else {
            throw call.error("the argument of '\(call.name)' is no regular expression")
        }
        (self.expression, self.call, self.evaluator) = (expression, call, evaluator)
    }

    /// Calls `body` with each match until it returns false.
    ///
    /// - Throws: `FHIRPathError.limit` if the searches of the evaluation take longer than its options allow, or need too much memory; what `body`
    ///   throws.
    func forEach(in text: String, _ body: (NSTextCheckingResult) throws -> Bool) throws {
        let limit = evaluator.options.maximumMatchingTime
        let clock = ContinuousClock()
        let start = clock.now
        var failure: (any Error)?
        withoutActuallyEscaping(body) { body in
            expression.enumerateMatches(
                in: text, options: [.reportProgress, .reportCompletion], range: NSRange(text.startIndex..., in: text)
            ) { match, flags, stop in
                do {
                    if flags.contains(.internalError) {
                        throw FHIRPathError(.limit, "the regular expression needs too much memory on a text", at: call.position)
                    }
                    guard evaluator.matchingTime + (clock.now - start) <= limit else {
                        throw FHIRPathError(.limit, "the regular expressions take longer than \(limit)", at: call.position)
                    }
                    if let match, try !body(match) { stop.pointee = true }
                } catch {
                    failure = failure ?? error
                    stop.pointee = true
                }
            }
        }
        evaluator.matchingTime += clock.now - start
        if let failure { throw failure }
    }

    /// The first match; nil if there is none.
    func first(in text: String) throws -> NSTextCheckingResult? {
        var found: NSTextCheckingResult?
        try forEach(in: text) { match in
            found = match
            return false
        }
        return found
    }

    /// The text with each match replaced: `$1` in the substitution is what the first group matched, and a backslash takes the meaning off the
    /// character after it.
    func replacing(in text: String, with substitution: String) throws -> String {
        let source = Array(text.utf16)
        let template = Template(substitution, groups: expression.numberOfCaptureGroups)
        var result: [UInt16] = []
        var end = 0
        try forEach(in: text) { match in
            result += source[end..<match.range.location]
            end = match.range.location + match.range.length
            for part in template.parts {
                switch part {
                case .text(let units): result += units
                case .group(let number):
                    let range = match.range(at: number)
                    if range.location != NSNotFound { result += source[range.location..<range.location + range.length] }
                }
                try call.checkLength(result.count)
            }
            return true
        }
        result += source[end...]
        try call.checkLength(result.count)
        let replaced = String(decoding: result, as: UTF16.self)
        try call.checkLength(replaced.utf8.count)
        return replaced
    }

    /// A substitution, as `NSRegularExpression` reads it.
    private struct Template {
        enum Part {
            case text([UInt16])
            case group(Int)
        }

        private(set) var parts: [Part] = []

        init(_ text: String, groups: Int) {
            // A number has as many digits as that of the groups, and one without a group stands for nothing.
            let digits = "\(groups)".utf8.count
            let units = Array(text.utf16)
            var plain: [UInt16] = []
            var place = 0
            while place < units.count {
                if units[place] == 0x5C {
                    if place + 1 < units.count { plain.append(units[place + 1]) }
                    place += 2
                    continue
                }
                let number = units[(place + 1)...].prefix(digits).prefix { (0x30...0x39).contains($0) }
                if units[place] == 0x24, !number.isEmpty {
                    parts.append(.text(plain))
                    plain = []
                    let group = number.reduce(0) { $0 * 10 + Int($1 - 0x30) }
                    if group <= groups { parts.append(.group(group)) }
                    place += 1 + number.count
                } else {
                    plain.append(units[place])
                    place += 1
                }
            }
            parts.append(.text(plain))
        }
    }
}
