import FireLite

/// What the outer limits of a Timing follow from: its events, and the bounds of its repetition. A schedule's days between them do not count
/// (FHIR, Search, date).
struct TimingLimits {
    private let event: QueryPath
    /// The Period that bounds the repetition.
    let bounds: (start: QueryPath, end: QueryPath)?

    /// Nil for a type without events.
    init?(_ start: QueryPath, _ layout: Layout) {
        guard let event = start.element("event", of: layout) else { return nil }
        self.event = event
        guard let repetition = layout.element(named: "repeat"), let inner = repetition.layout,
            let period = SearchPath(inner).elements(named: "bounds").first(where: { $0.typeName == "Period" }),
            case .object(let type) = period.end
        else {
            bounds = nil
            return
        }
        let path = QueryPath(start.steps + [PathStep(slot: repetition.slot)] + period.steps)
        if let first = path.element("start", of: type), let last = path.element("end", of: type) {
            bounds = (first, last)
        } else {
            bounds = nil
        }
    }

    /// The condition that an event meets another.
    func some(_ condition: Predicate) -> Predicate { .any(event, condition) }

    /// The condition that the repetition has bounds.
    var hasBounds: Predicate { bounds.map { .or([.exists($0.start), .exists($0.end)]) } ?? .constant(false) }

    /// The condition that there are limits at all.
    var exist: Predicate { .or([.exists(event), hasBounds]) }
}
