import FireLiteCore

/// The date of a resource: the first of a list of elements that it has.
struct ResourceDate {
    private let layout: Layout

    /// The elements that date a resource, the first one that is present counts.
    private static let names = [
        "effectiveDateTime", "effectiveInstant", "effectivePeriod.start", "performedDateTime", "performedPeriod.start",
        "occurrenceDateTime",
        "occurrencePeriod.start", "onsetDateTime", "onsetPeriod.start", "authoredOn", "authored", "recordedDate", "dateAsserted", "issued",
        "date", "period.start", "created", "birthDate",
    ]

    init(_ layout: Layout) { self.layout = layout }

    /// The paths that the type has, in their order.
    var paths: [String] {
        Self.names.filter { name in
            let parts = name.split(separator: ".").map(String.init)
            guard let element = layout.element(named: parts[0]), !element.isList else { return false }
            guard parts.count > 1 else { return element.kind == .primitive }
            return element.layout?.element(named: parts[1]) != nil
        }
    }

    /// The condition that the date is in a period; nil without limits.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for text that is no date.
    func condition(from: String?, to: String?) throws -> Predicate? {
        guard from != nil || to != nil else { return nil }
        let parser = PredicateParser(layout)
        var alternatives: [Predicate] = []
        var earlier: [Predicate] = []
        for path in paths {
            let limits = try [from.map { ">=\"\($0)\"" }, to.map { "<=\"\($0)\"" }].compactMap { $0 }.map {
                try parser.condition(path + $0)
            }
            alternatives.append(.and(earlier.map { .not($0) } + limits))
            earlier.append(.exists(try parser.valuePath(path)))
        }
        return .or(alternatives)
    }
}
