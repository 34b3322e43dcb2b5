/// The rows of one file by what they are about: a snapshot has one row for each, and a full release one for each date (SNOMED CT Release File
/// Specifications, Release Types).
struct SnapshotRows {
    private let file: DelimitedFile
    /// The first place that a row of this file takes; those before are of other files.
    private let first: Int
    private var ownLines: [Int32] = []
    private var otherLines: [Int32: Int] = [:]
    private let isFull: Bool

    /// - Parameters:
    ///   - first: the number of places that other files took.
    ///   - isFull: whether the file has every state of a row, and not only the current one.
    init(_ file: DelimitedFile, first: Int, isFull: Bool) { (self.file, self.first, self.isFull) = (file, first, isFull) }

    /// Notes the row of a place.
    ///
    /// - Parameters:
    ///   - place: where the row is, or would be: the next place for something new.
    ///   - hasDateOfOther: whether the row that has the place is of the same date.
    /// - Throws: `KnowledgeError` with code `content` if the file has a row of it already.
    mutating func note(_ place: Int, _ id: Int64, _ line: Int, hasDateOfOther: Bool) throws {
        if place == first + ownLines.count { return ownLines.append(Int32(clamping: line)) }
        if isFull, place < first || !hasDateOfOther { return }
        if place >= first { throw repeated(id, line, Int(ownLines[place - first])) }
        if let earlier = otherLines.updateValue(line, forKey: Int32(place)) { throw repeated(id, line, earlier) }
    }

    private func repeated(_ id: Int64, _ line: Int, _ earlier: Int) -> KnowledgeError {
        let rule = isFull ? "full release has one row of each and a date" : "snapshot has one row of each"
        return file.error(line, "the identifier \(id) is that of line \(earlier), too, and a \(rule): the release is damaged")
    }
}
