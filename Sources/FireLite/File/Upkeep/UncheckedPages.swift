import FireLiteCore
import FireLiteSQLiteBridge

/// Pages that were read without a checksum, from a file whose other pages have one.
enum UncheckedPages {
    /// Most of their numbers that a text names.
    private static let most = 5

    /// `the pages 3, 4 and 7 have no checksum`; nil if all that were read have one, or none: then another program has copied the whole file.
    static func text(_ connections: Connection...) -> String? {
        let numbers = Set(connections.flatMap(\.pagesWithoutChecksum)).sorted()
        guard !numbers.isEmpty else { return nil }
        guard numbers.count > 1 else { return "the page \(numbers[0]) has no checksum" }
        let named = numbers.prefix(most).map(String.init)
        let rest = numbers.count - named.count
        let list =
            rest > 0
            ? "\(named.joined(separator: ", ")) and \(rest) more"
            : named.dropLast().joined(separator: ", ") + " and " + named[named.count - 1]
        return "the pages \(list) have no checksum"
    }
}
