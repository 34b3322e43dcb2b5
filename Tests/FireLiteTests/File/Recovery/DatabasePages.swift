import FireLiteSQLiteBridge
import Foundation

/// The pages of a database file that no connection has open, for damaging known ones
/// (<https://www.sqlite.org/fileformat2.html#b_tree_pages>).
struct DatabasePages {
    let path: String
    private var bytes: [UInt8]
    private let pageSize: Int

    /// A page at the lowest level of a table, and the keys of its rows.
    struct Leaf {
        let page: Int
        let keys: [Int64]
    }

    init(path: String) throws {
        self.path = path
        bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65_536 : size
    }

    /// The first page of a table or index.
    func root(of name: String) throws -> Int {
        let connection = try Connection(path: path, isReadOnly: true)
        return Int(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = '\(name)'") ?? 0)
    }

    /// The leaves of a table in the order of their keys.
    func leaves(of table: String) throws -> [Leaf] { leaves(page: try root(of: table)) }

    private func leaves(page: Int) -> [Leaf] {
        let start = (page - 1) * pageSize
        let header = start + (page == 1 ? 100 : 0)
        let isLeaf = bytes[header] == 13
        let count = number(header + 3, 2)
        let cells = (0..<count).map { start + number(header + (isLeaf ? 8 : 12) + $0 * 2, 2) }
        if isLeaf {
            let keys = cells.map { cell -> Int64 in
                var place = cell
                _ = varint(&place)
                return varint(&place)
            }
            return [Leaf(page: page, keys: keys)]
        }
        return (cells.map { number($0, 4) } + [number(header + 8, 4)]).flatMap { leaves(page: $0) }
    }

    private func number(_ place: Int, _ width: Int) -> Int { bytes[place..<place + width].reduce(0) { $0 << 8 | Int($1) } }

    private func varint(_ place: inout Int) -> Int64 {
        var value: Int64 = 0
        for index in 0..<9 {
            let byte = bytes[place]
            place += 1
            if index == 8 { return value << 8 | Int64(byte) }
            value = value << 7 | Int64(byte & 0x7F)
            if byte < 0x80 { break }
        }
        return value
    }

    /// Changes the number of a row in a leaf of a table, by a byte of it.
    ///
    /// - Parameters:
    ///   - row: the place of the row in the page.
    ///   - byte: the place of the byte in the number.
    mutating func changeKey(page: Int, row: Int, byte: Int) throws {
        let start = (page - 1) * pageSize
        var place = start + number(start + 8 + row * 2, 2)
        _ = varint(&place)
        bytes[place + byte] ^= 0x71
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Makes a page unreadable.
    mutating func damage(page: Int) throws {
        for place in (page - 1) * pageSize..<page * pageSize { bytes[place] = 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Cuts the file to its first pages.
    mutating func truncate(pages: Int) throws {
        bytes.removeLast(bytes.count - pages * pageSize)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    var count: Int { bytes.count / pageSize }
}
