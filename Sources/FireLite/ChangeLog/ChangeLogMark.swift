import FireLiteSQLiteBridge

/// Which numbers the log of changes must have, so that lost rows are noticed: all from `first` on, but for `holes`.
///
/// The row `track.whole` of `_meta` has it. A version of the library that does not keep it leaves one for another next number, which is void.
struct ChangeLogMark: Equatable {
    private(set) var first: Int64
    /// Numbers whose rows were taken out on purpose, or never stayed, in their order.
    private(set) var holes: [ClosedRange<Int64>] = []

    init(first: Int64) { self.first = first }

    /// - Parameter next: the number of the next entry.
    /// - Returns: nil if the text is no mark of a log that ends there.
    init?(stored text: String?, next: Int64) {
        let numbers = (text ?? "").split(separator: " ").map { Int64($0) ?? 0 }
        guard numbers.count >= 2, numbers.count % 2 == 0, numbers[1] == next, numbers[0] >= 1, numbers[0] <= next else { return nil }
        first = numbers[0]
        var last = first - 1
        for index in stride(from: 2, to: numbers.count, by: 2) {
            guard numbers[index] > last, numbers[index + 1] >= numbers[index], numbers[index + 1] < next else { return nil }
            last = numbers[index + 1]
            holes.append(numbers[index]...last)
        }
    }

    /// The text of the row, without holes before the log's start.
    func stored(_ settings: TrackingSettings) -> String {
        let kept = holes.filter { $0.upperBound >= settings.start }
        return ([first, settings.next] + kept.flatMap { [$0.lowerBound, $0.upperBound] }).map { String($0) }.joined(separator: " ")
    }

    /// Notes more holes.
    mutating func add(_ more: [ClosedRange<Int64>]) {
        let all = (holes + more).sorted { $0.lowerBound < $1.lowerBound }
        holes.removeAll()
        for hole in all where hole.upperBound >= first {
            if let last = holes.last, hole.lowerBound - 1 <= last.upperBound {
                holes[holes.count - 1] = last.lowerBound...max(last.upperBound, hole.upperBound)
            } else {
                holes.append(max(hole.lowerBound, first)...hole.upperBound)
            }
        }
    }

    /// The numbers without a row that are no holes.
    func lost(in numbers: Range<Int64>, _ table: ChangeTable) throws -> [ClosedRange<Int64>] {
        let numbers = max(numbers.lowerBound, first)..<max(numbers.upperBound, numbers.lowerBound, first)
        guard !numbers.isEmpty else { return [] }
        let all = Int64(numbers.count)
        let open = holes.reduce(into: Int64(0)) { $0 += Int64(numbers.clamped(to: $1.lowerBound..<$1.upperBound + 1).count) }
        return try table.count(in: numbers) >= all - open ? [] : Self.remaining(table.missing(in: numbers), without: holes)
    }

    /// What remains of ranges without others, each in their order.
    static func remaining(_ ranges: [ClosedRange<Int64>], without others: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        var first = 0
        for range in ranges {
            var low = range.lowerBound
            while first < others.count, others[first].upperBound < low { first += 1 }
            var index = first
            while index < others.count, others[index].lowerBound <= range.upperBound {
                if others[index].lowerBound > low { result.append(low...others[index].lowerBound - 1) }
                low = others[index].upperBound + 1
                index += 1
            }
            if low <= range.upperBound { result.append(low...range.upperBound) }
        }
        return result
    }

    /// Numbers for a message: `3, 7 to 9`, at most ten ranges of them.
    static func text(_ ranges: [ClosedRange<Int64>]) -> String {
        let shown = ranges.prefix(10).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        return shown.joined(separator: ", ") + (ranges.count > shown.count ? " and others" : "")
    }
}
