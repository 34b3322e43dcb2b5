/// The arguments of a command line, one after the other.
struct ArgumentReader {
    private var rest: ArraySlice<String>
    /// The option that a value is read for.
    private var option = ""

    init(_ arguments: [String]) { rest = arguments[...] }

    /// The next option; nil at the end.
    mutating func next() -> String? {
        guard let option = rest.popFirst() else { return nil }
        self.option = option
        return option
    }

    /// What follows the option.
    ///
    /// - Throws: `BenchmarkFailure` where nothing does.
    mutating func value() throws -> String {
        guard let value = rest.popFirst() else { throw BenchmarkFailure("\(option) needs a value: see --help") }
        return value
    }

    /// Whole numbers above 0, separated by commas.
    mutating func numbers() throws -> [Int] {
        let text = try value()
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0 > 0 }) else {
            throw BenchmarkFailure("\(option) needs whole numbers above 0, and got '\(text)'")
        }
        return numbers
    }

    /// One whole number above 0.
    mutating func number() throws -> Int {
        let numbers = try numbers()
        guard numbers.count == 1 else { throw BenchmarkFailure("\(option) needs one number") }
        return numbers[0]
    }

    /// What is said of an option that there is not.
    var unknownOption: BenchmarkFailure { BenchmarkFailure("there is no option \(option): see --help") }
}
