/// Two texts side by side, or one below the other if they are too wide.
package enum SideBySide {
    private static let separator = "  │  "

    package static func lines(_ left: [String], _ right: [String], width: Int) -> [String] {
        let leftWidth = left.map(\.count).max() ?? 0
        let rightWidth = right.map(\.count).max() ?? 0
        guard leftWidth + separator.count + rightWidth <= width else { return left + [""] + right }
        return (0..<max(left.count, right.count)).map { index in
            let cell = index < left.count ? left[index] : ""
            guard index < right.count else { return cell }
            return cell + String(repeating: " ", count: leftWidth - cell.count) + separator + right[index]
        }
    }
}
