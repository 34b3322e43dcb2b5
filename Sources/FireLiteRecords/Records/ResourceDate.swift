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
    /// - Throws: `FHIRStoreError`.
    func condition(_ period: RecordPeriod) throws -> Predicate? {
        guard !period.isOpen else { return nil }
        let parser = PredicateParser(layout)
        var alternatives: [Predicate] = []
        var earlier: [Predicate] = []
        for path in paths {
            let place = try parser.valuePath(path)
            var limits: [Predicate] = []
            if let from = period.from { limits.append(.value(place, .date(.greaterOrEqual, from.bounds, overlapping: false))) }
            if let to = period.to { limits.append(.value(place, .date(.lessOrEqual, to.bounds, overlapping: false))) }
            alternatives.append(.and(earlier.map { .not($0) } + limits))
            earlier.append(.exists(place))
        }
        return .or(alternatives)
    }
}
