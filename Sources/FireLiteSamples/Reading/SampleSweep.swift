/// Adds up amounts so that each moment counts once: where spans of several sources overlap, the one with the highest priority counts, and of the
/// others only their share outside it.
struct SampleSweep {
    struct Span {
        let start: Int64
        let end: Int64
        let value: Double
        /// 0 is the highest priority.
        let rank: Int
    }

    struct Figures {
        var count = 0
        var minimum = Double.infinity
        var maximum = -Double.infinity
        var total = 0.0
        var sum = 0.0
    }

    /// The figures of each interval.
    ///
    /// - Parameters:
    ///   - spans: the spans in the order of their beginnings.
    ///   - boundaries: the beginnings of the intervals and the end of the last one.
    static func figures(_ spans: [Span], _ boundaries: [Int64]) -> [Figures] {
        var figures = [Figures](repeating: Figures(), count: max(0, boundaries.count - 1))
        guard !figures.isEmpty else { return [] }
        for rank in Set(spans.map(\.rank)).sorted() {
            let covered = coverage(spans, above: rank)
            var first = 0
            for span in spans where span.rank == rank {
                add(span, covered: covered, first: &first, boundaries: boundaries, figures: &figures)
            }
        }
        return figures
    }

    /// The time that spans of higher priorities cover, as separate spans in order.
    private static func coverage(_ spans: [Span], above rank: Int) -> [(start: Int64, end: Int64)] {
        var covered: [(start: Int64, end: Int64)] = []
        for span in spans where span.rank < rank && span.end > span.start {
            if let last = covered.last, span.start <= last.end {
                covered[covered.count - 1].end = max(last.end, span.end)
            } else {
                covered.append((span.start, span.end))
            }
        }
        return covered
    }

    private static func add(
        _ span: Span, covered: [(start: Int64, end: Int64)], first: inout Int, boundaries: [Int64], figures: inout [Figures]
    ) {
        while first < covered.count, covered[first].end <= span.start { first += 1 }
        if let place = interval(span.start, boundaries) {
            figures[place].count += 1
            figures[place].minimum = min(figures[place].minimum, span.value)
            figures[place].maximum = max(figures[place].maximum, span.value)
            figures[place].total += span.value
        }
        guard span.end > span.start else {
            let isCovered = first < covered.count && covered[first].start <= span.start
            if !isCovered, let place = interval(span.start, boundaries) { figures[place].sum += span.value }
            return
        }
        var index = first
        var time = span.start
        while time < span.end {
            // To the next cover, or past the one that time is in.
            if index < covered.count, covered[index].start <= time {
                time = max(time, covered[index].end)
                index += 1
                continue
            }
            let end = index < covered.count ? min(span.end, covered[index].start) : span.end
            share(span, start: time, end: end, boundaries: boundaries, figures: &figures)
            time = end
        }
    }

    /// Adds the share of a span between two times to the intervals.
    private static func share(_ span: Span, start: Int64, end: Int64, boundaries: [Int64], figures: inout [Figures]) {
        let length = Double(span.end - span.start)
        if start == span.start, end == span.end, let place = interval(start, boundaries), end <= boundaries[place + 1] {
            figures[place].sum += span.value
            return
        }
        var time = max(start, boundaries[0])
        while time < end, let place = interval(time, boundaries) {
            let next = min(end, boundaries[place + 1])
            figures[place].sum += span.value * Double(next - time) / length
            time = next
        }
    }

    /// The number of the interval that a time is in.
    private static func interval(_ time: Int64, _ boundaries: [Int64]) -> Int? {
        guard let first = boundaries.first, let last = boundaries.last, time >= first, time < last else { return nil }
        var (low, high) = (0, boundaries.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if boundaries[middle] <= time { low = middle } else { high = middle }
        }
        return low
    }
}
