/// The rows of one file of a snapshot by what they are about: it has one row for each (SNOMED CT Release File Specifications, Release Types).
struct SnapshotRows {
    private let file: DelimitedFile
    /// The first place that a row of this file takes; those before are of other files.
    private let first: Int
    private var ownLines: [Int32] = []
    private var otherLines: [Int32: Int] = [:]

    /// - Parameter first: the number of places that other files took.
    init(_ file: DelimitedFile, first: Int) { (self.file, self.first) = (file, first) }

    /// Notes the row of a place.
    ///
    /// - Parameter place: where the row is, or would be: the next place for something new.
    /// - Throws: `KnowledgeError` with code `content` if the file has a row of it already.
    mutating func note(_ place: Int, _ id: Int64, _ line: Int) throws {
        if place == first + ownLines.count { return ownLines.append(Int32(clamping: line)) }
        if place >= first { throw repeated(id, line, Int(ownLines[place - first])) }
        if let earlier = otherLines.updateValue(line, forKey: Int32(place)) { throw repeated(id, line, earlier) }
    }

    private func repeated(_ id: Int64, _ line: Int, _ earlier: Int) -> KnowledgeError {
        file.error(line, "the identifier \(id) is that of line \(earlier), too, and a snapshot has one row of each: the release is damaged")
    }
}
