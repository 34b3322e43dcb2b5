extension ValueTest {
    /// Tests of which one passes if and only if this one does, each for one range or list of values, for which an index can be used.
    package var alternatives: [ValueTest] {
        let moment: String
        var range: ValueTest
        switch self {
        case .date(.equal, let bounds, overlapping: true):
            moment = bounds.lower
            range = .date(.equal, DateBounds(text: moment, lower: moment, upper: bounds.upper), overlapping: false)
        case .date(.greater, let bounds, overlapping: true):
            moment = bounds.upper
            range = .compare(.greaterOrEqual, .text(moment))
        case .date(.greaterOrEqual, let bounds, overlapping: true):
            moment = bounds.lower
            range = .compare(.greaterOrEqual, .text(moment))
        case .dateOneOf(let dates) where dates.count > 1 && dates.count <= ValueTestCompiler.boundValues:
            return dates.map { .date(.equal, $0, overlapping: false) }
        default: return [self]
        }
        let wider = DateBounds.wider(than: moment)
        return wider.isEmpty ? [self] : [range, .oneOf(wider.map { .text($0) })]
    }
}
