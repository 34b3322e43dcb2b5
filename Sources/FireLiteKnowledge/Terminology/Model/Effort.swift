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

    /// The maximum time of an operation.
    private static let maximumTime = Duration.seconds(30)
    /// So many steps are taken before the time is looked at.
    private static let stepsBetweenLooks = 256

    private let clock = ContinuousClock()
    private let started = ContinuousClock().now
    private var steps = 0
    private var spent = Duration.zero
    private var matcher: FHIRPath?

    /// Notes a step of an operation: a code or a part of a value set that is looked at.
    ///
    /// - Throws: ``TerminologyError`` if the operation takes too long.
    func step() throws {
        steps += 1
        if steps % Self.stepsBetweenLooks == 0 { try checkTime() }
    }

    /// - Throws: ``TerminologyError`` if the operation takes too long.
    func checkTime() throws {
        guard clock.now - started > Self.maximumTime else { return }
        throw TerminologyError(
            .tooCostly, "too-costly", id: "VALUESET_TOO_COSTLY",
            "the operation takes more than \(Self.maximumTime): ask for less, or make the value set simpler")
    }

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
