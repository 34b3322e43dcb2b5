import FireLiteCore

/// A Bundle without its entries: the text before and after them, with one empty entry instead of them so that it reads as a Bundle.
struct DocumentFrame {
    private static let entry = Array(#"{"id":"0"}"#.utf8)

    private(set) var bytes: [UInt8] = []
    /// The number of bytes before the end of the list.
    private var cut: Int?
    private var resumed = TextPlace(line: 1)

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends the one entry that replaces all.
    mutating func appendEntry() { bytes.append(contentsOf: Self.entry) }

    /// Sets the place in the document where the list ends and the next appended text begins.
    mutating func resume(at place: TextPlace) {
        cut = bytes.count
        resumed = place
    }

    /// The place in the document of a mistake in the frame.
    func place(of error: FHIRDecodingError) -> TextPlace {
        guard let cut, error.offset >= cut else { return TextPlace(line: error.line, column: error.column) }
        let between = bytes[cut..<min(error.offset, bytes.count)]
        let lines = between.count { $0 == UInt8(ascii: "\n") }
        return TextPlace(
            line: resumed.line + lines, column: lines == 0 ? resumed.column + error.offset - cut : error.column)
    }
}
