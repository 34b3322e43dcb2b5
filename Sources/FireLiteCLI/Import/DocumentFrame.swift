import FireLite

/// A Bundle without its entries: what is before and after them, with one empty entry in their place so that it reads as a Bundle.
struct DocumentFrame {
    private static let entry = Array(#"{"id":"0"}"#.utf8)

    private(set) var bytes: [UInt8] = []
    /// How many bytes are before the end of the list.
    private var cut: Int?
    private var resumed = TextPlace(line: 1)

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: more) }

    /// Puts the one entry in the place of all.
    mutating func appendEntry() { bytes.append(contentsOf: Self.entry) }

    /// Says where in the document the list ends; what is appended next begins there.
    mutating func resume(at place: TextPlace) {
        cut = bytes.count
        resumed = place
    }

    /// Where a mistake in the frame is in the document.
    func place(of error: FHIRDecodingError) -> TextPlace {
        guard let cut, error.offset >= cut else { return TextPlace(line: error.line, column: error.column) }
        let between = bytes[cut..<min(error.offset, bytes.count)]
        let lines = between.count { $0 == UInt8(ascii: "\n") }
        return TextPlace(
            line: resumed.line + lines, column: lines == 0 ? resumed.column + error.offset - cut : error.column)
    }
}
