import FireLiteFHIRPath

/// What an operation may take: regular expressions are matched in a time that has an end, and the number of codes is limited.
///
/// It belongs to one operation, which runs in one thread.
final class Effort {
    /// The maximum number of codes that an expansion collects before paging.
    static let maximumCodes = 1_000_000
    /// The maximum number of value sets that one imports, directly or not.
    static let maximumImports = 1_000
    /// The maximum time of all regular expressions of an operation.
    private static let matchingTime = Duration.seconds(2)

    private let clock = ContinuousClock()
    private var spent = Duration.zero
    private var matcher: FHIRPath?

    /// Whether a regular expression matches a text as a whole.
    ///
    /// - Throws: ``TerminologyError`` for an expression that is none, or takes too long.
    func matches(_ text: String, _ pattern: String) throws -> Bool {
        let start = clock.now
        defer { spent += clock.now - start }
        do {
            var options = FHIRPathOptions()
            options.maximumMatchingTime = Self.matchingTime
            let path = try matcher ?? FHIRPath("%text.matchesFull(%pattern)", options: options)
            matcher = path
            guard spent < Self.matchingTime else { throw Self.tooLong(pattern) }
            var context = FHIRPathContext()
            context.variables = ["text": [FHIRPathValue(text)], "pattern": [FHIRPathValue(pattern)]]
            return try path.evaluate(context: context).first?.bool ?? false
        } catch let error as FHIRPathError {
            if error.code == .limit { throw Self.tooLong(pattern) }
            throw TerminologyError(
                .definition, "invalid", kind: "vs-invalid", "the regular expression '\(pattern)' of a filter cannot be read")
        }
    }

    private static func tooLong(_ pattern: String) -> TerminologyError {
        TerminologyError(.limit, "unknown", "the regular expression '\(pattern)' of a filter takes too long or too much memory")
    }
}
