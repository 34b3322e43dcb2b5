import FireLite

/// A place in an imported file: of a text that is read by itself, or of a mistake.
struct TextPlace: Equatable {
    /// The line, from 1.
    var line: Int
    /// The column in bytes, from 1.
    var column = 1
    /// The number of the Bundle's entry it is in, from 0.
    var entry: Int?

    /// Where a mistake is in the file that was found in a text beginning here.
    func place(of error: FHIRDecodingError) -> TextPlace {
        TextPlace(line: line + error.line - 1, column: error.line == 1 ? column + error.column - 1 : error.column, entry: entry)
    }

    /// A mistake at this place.
    func fault(_ error: FHIRDecodingError, file: String, text: String) -> ImportFault {
        let path = path(error.shortPath)
        let reason = "column \(column)\(path.isEmpty ? "" : ", \(path)"): expected \(error.expected), found \(error.found)"
        return ImportFault(file: file, line: line, reason: reason, text: text)
    }

    /// What was changed at this place so that the text could be stored.
    func note(_ error: FHIRDecodingError, file: String) -> String {
        "\(file): line \(line), column \(column), \(path(error.path)): written in another way, mended"
    }

    /// What is wrong with a text that begins here, as a whole.
    func fault(_ reason: String, file: String, text: String) -> ImportFault {
        ImportFault(file: file, line: line, reason: entry.map { "Bundle.entry[\($0)]: \(reason)" } ?? reason, text: text)
    }

    /// An entry is read by itself, so its paths begin without its number.
    private func path(_ path: String) -> String {
        Self.shortened(entryPath(path))
    }

    /// What is nested deeply would fill a screen: the beginning and the end tell where it is.
    private static func shortened(_ path: String) -> String {
        path.utf8.count <= 2 * shownEnd ? path : "\(path.prefix(shownEnd))…\(path.suffix(shownEnd))"
    }

    private static let shownEnd = 60

    private func entryPath(_ path: String) -> String {
        let own = "Bundle.entry"
        guard let entry, path.hasPrefix(own) else { return path }
        return "\(own)[\(entry)]" + path.dropFirst(own.count)
    }
}
