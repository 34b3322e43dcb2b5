import FireLite
import Foundation

/// A command line: words, and options with values.
struct Arguments {
    private(set) var words: [String] = []
    private(set) var options: [String: String] = [:]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if !argument.hasPrefix("--") {
                words.append(argument)
            } else if argument == "--all" {
                options[argument] = ""
            } else {
                guard let value = rest.popFirst() else { throw CommandError.usage("\(argument) needs a value") }
                options[argument] = value
            }
        }
    }

    /// The words after the command's name, as a medication's name or a text to search for.
    ///
    /// - Throws: `CommandError` unless their number is allowed, and all options are known.
    func text(_ count: some RangeExpression<Int>, options known: String...) throws -> String {
        let unknown = options.keys.filter { $0 != "--database" && !known.contains($0) }
        if let option = unknown.min() { throw CommandError.usage("\(words[0]) has no \(option)") }
        guard count.contains(words.count - 1) else { throw CommandError.usage("\(words[0]) with \(words.count - 1) words") }
        return words.dropFirst().joined(separator: " ")
    }

    /// The number of weeks; nil if it is not given.
    func weeks() throws -> Int? {
        guard let text = options["--weeks"] else { return nil }
        guard let number = Int(text), (1...52).contains(number) else { throw CommandError.usage("--weeks needs a number from 1 to 52") }
        return number
    }

    /// The last day of a chart; nil if it is not given.
    func until() throws -> Date? {
        guard let text = options["--until"] else { return nil }
        guard let day = FHIRDate(text), day.day != nil, let date = Calendar.current.date(from: day.dateComponents) else {
            throw CommandError.usage("--until needs a day, such as 2026-10-31")
        }
        return date
    }
}
