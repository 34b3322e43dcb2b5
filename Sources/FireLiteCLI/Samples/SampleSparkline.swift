/// A line of blocks whose heights are numbers.
enum SampleSparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")

    /// The line; a space for each missing number.
    ///
    /// - Parameters:
    ///   - values: the numbers.
    ///   - width: the number of columns: more numbers are put together by their means.
    static func text(_ values: [Double?], width: Int) -> String {
        let shown = values.count > width ? folded(values, width) : values
        let known = shown.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return "" }
        return String(
            shown.map { value -> Character in
                guard let value else { return " " }
                guard high > low else { return blocks[3] }
                return blocks[min(blocks.count - 1, Int((value - low) / (high - low) * Double(blocks.count)))]
            })
    }

    private static func folded(_ values: [Double?], _ width: Int) -> [Double?] {
        (0..<width).map { column in
            let part = values[(column * values.count / width)..<((column + 1) * values.count / width)].compactMap { $0 }
            return part.isEmpty ? nil : part.reduce(0, +) / Double(part.count)
        }
    }
}
