import FireLite

/// Where a text that is read by itself is in its file.
struct TextPlace {
    /// The line of its first byte, from 1.
    var line: Int
    /// The column of its first byte, from 1.
    var column = 1
    /// Which entry of a Bundle it is, from 0.
    var entry: Int?

    /// The mistake at its place in the file.
    func fault(_ error: FHIRDecodingError, file: String, text: String) -> ImportFault {
        let column = error.line == 1 ? error.column + column - 1 : error.column
        let path = path(error.path)
        let reason = "column \(column)\(path.isEmpty ? "" : ", \(path)"): expected \(error.expected), found \(error.found)"
        return ImportFault(file: file, line: line + error.line - 1, reason: reason, text: text)
    }

    /// What is wrong with the text as a whole.
    func fault(_ reason: String, file: String, text: String) -> ImportFault {
        ImportFault(file: file, line: line, reason: entry.map { "Bundle.entry[\($0)]: \(reason)" } ?? reason, text: text)
    }

    /// An entry is read by itself, so its paths begin without its number.
    private func path(_ path: String) -> String {
        let own = "Bundle.entry"
        guard let entry, path.hasPrefix(own) else { return path }
        return "\(own)[\(entry)]" + path.dropFirst(own.count)
    }
}
