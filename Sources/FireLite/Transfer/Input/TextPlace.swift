import FireLiteCore

/// A place in an imported file: of a text that is read separately, or of a mistake.
package struct TextPlace: Equatable, Sendable {
    /// The line, from 1.
    package var line: Int
    /// The column in bytes, from 1.
    var column = 1
    /// The index of the Bundle's entry, from 0.
    var entry: Int?

    /// The place in the file of a mistake in a text that begins here.
    func place(of error: FHIRDecodingError) -> TextPlace {
        TextPlace(line: line + error.line - 1, column: error.line == 1 ? column + error.column - 1 : error.column, entry: entry)
    }

    /// A mistake at this place.
    func fault(_ error: FHIRDecodingError, file: String, text: String) -> RejectedText {
        let path = path(error.shortPath)
        let reason = "column \(column)\(path.isEmpty ? "" : ", \(path)"): expected \(error.expected), found \(error.found)"
        return RejectedText(fault: ImportFault(file: file, line: line, column: column, reason: reason), text: text)
    }

    /// A note about a correction at this place.
    func note(_ error: FHIRDecodingError, file: String) -> String {
        "\(file): line \(line), column \(column), \(path(error.path)): not in FHIR's format, corrected"
    }

    /// A fault of the whole text that begins here.
    func fault(_ reason: String, file: String, text: String, column: Int? = nil) -> RejectedText {
        let reason = entry.map { "Bundle.entry[\($0)]: \(reason)" } ?? reason
        return RejectedText(fault: ImportFault(file: file, line: line, column: column, reason: reason), text: text)
    }

    /// An entry is read separately, so its paths begin without its index. That of a deeply nested element would fill the screen.
    private func path(_ path: String) -> String {
        entryPath(path).shortened()
    }

    /// The path with the index of the Bundle's entry.
    func entryPath(_ path: String) -> String {
        let own = "Bundle.entry"
        guard let entry, path.hasPrefix(own) else { return path }
        return "\(own)[\(entry)]" + path.dropFirst(own.count)
    }
}
