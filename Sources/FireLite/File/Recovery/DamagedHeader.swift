import Foundation

/// The numbers in the header of a file that no store of this library has (<https://www.sqlite.org/fileformat2.html#the_database_header>): SQLite would
/// refuse the file, or read its pages in another way.
struct DamagedHeader {
    /// A line for each wrong number.
    private(set) var faults: [String] = []

    private static let size = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Reads the header of a file that is not encrypted. One that has lost its beginning, or cannot be read, has no faults here: SQLite says so.
    init(path: String) {
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.size), data.count == Self.size, data.starts(with: Self.magic) else { return }
        let bytes = [UInt8](data)
        func number(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
        note("page size", "16 and 17", !(pageSize == 1 || pageSize >= 512 && pageSize & (pageSize - 1) == 0))
        let versions = bytes[18...19]
        note("versions for writing and reading", "18 and 19", versions != [1, 1] && versions != [2, 2])
        note("number of reserved bytes in a page", "20", bytes[20] != 0 && bytes[20] != 8)
        note("parts of a page", "21 to 23", bytes[21...23] != [64, 32, 32])
        // A file whose contents are all in its log still has the header of an empty one.
        let isEmpty = number(44) == 0 && number(56) == 0 && Self.hasLog(path)
        note("format of the schema", "44 to 47", !isEmpty && !(1...4).contains(number(44)))
        note("pages for a vacuum", "52 to 55 and 64 to 67", number(52) == 0 ? number(64) != 0 : number(64) > 1)
        note("encoding of texts", "56 to 59", !isEmpty && number(56) != 1)
    }

    /// Whether pages of the file are in a write-ahead log, which begins with a header of 32 bytes.
    private static func hasLog(_ path: String) -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        return size ?? 0 > 32
    }

    private mutating func note(_ name: String, _ bytes: String, _ isWrong: Bool) {
        if isWrong { faults.append(Self.text(name, bytes)) }
    }

    private static func text(_ name: String, _ bytes: String) -> String {
        "the header of the file is damaged: the \(name) (bytes \(bytes)) cannot be right, and was taken for what this library writes"
    }

    /// Notes that a number which the tables contradict is wrong.
    mutating func addFormat() { faults.append(Self.text("format", "60 to 63")) }

    /// The same for the mark of a store.
    mutating func addMark() { faults.append(Self.text("mark of a FireLite store", "68 to 71")) }
}
