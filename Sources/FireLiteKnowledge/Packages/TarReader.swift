import FireLiteCore

/// Reads the files of a tar archive: ustar, with the long names of pax and GNU (POSIX, pax).
///
/// It refuses whatever a package has no need of: links, devices, absolute paths and such out of the archive's folder, files beyond a size.
struct TarReader {
    /// A file of the archive.
    struct Entry {
        let path: String
        let content: ArraySlice<UInt8>
    }

    private static let block = 512
    /// The largest file, in bytes.
    static let maximumFile = 64 << 20
    /// The number of files at most.
    static let maximumCount = 100_000

    let name: String

    /// Calls `body` with each regular file.
    ///
    /// - Throws: `KnowledgeError` with code `archive` or `limit`; what `body` throws.
    func forEach(in bytes: [UInt8], _ body: (Entry) throws -> Void) throws {
        var place = 0
        var longName: String?
        var count = 0
        while place + Self.block <= bytes.count {
            let header = bytes[place..<place + Self.block]
            if header.allSatisfy({ $0 == 0 }) { return }
            guard isSound(header) else { throw failure("its header at byte \(place) is damaged") }
            let size = try number(header, 124..<136)
            guard size <= Self.maximumFile else {
                throw KnowledgeError(.limit, "\(name): a file in it has more than \(Self.maximumFile) bytes, which no package needs")
            }
            let start = place + Self.block
            guard start + size <= bytes.count else { throw failure("it is truncated: get the file again") }
            let content = bytes[start..<start + size]
            place = start + (size + Self.block - 1) / Self.block * Self.block
            count += 1
            guard count <= Self.maximumCount else { throw KnowledgeError(.limit, "\(name): it has more than \(Self.maximumCount) files") }
            let kind = header[header.startIndex + 156]
            switch kind {
            case UInt8(ascii: "x"): longName = Self.paxPath(content) ?? longName
            case UInt8(ascii: "L"): longName = String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
            case UInt8(ascii: "g"), UInt8(ascii: "5"): longName = kind == UInt8(ascii: "g") ? longName : nil
            case UInt8(ascii: "0"), 0:
                let path = longName ?? Self.path(header)
                longName = nil
                try check(path)
                try body(Entry(path: path, content: content))
            case UInt8(ascii: "1"), UInt8(ascii: "2"): throw failure("it has a link, which no package needs")
            default: throw failure("it has an entry that is neither a file nor a folder")
            }
        }
        throw failure("it has no end: get the file again")
    }

    private func failure(_ problem: String) -> KnowledgeError { KnowledgeError(.archive, "\(name) is not a package: \(problem)") }

    private func check(_ path: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isBad = path.isEmpty || path.hasPrefix("/") || path.contains("\\") || path.contains(":") || parts.contains("..")
        if isBad || path.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            throw failure("the path of a file in it leads out of the package's folder")
        }
    }

    /// The checksum of a header: the sum of its bytes, with blanks instead of the sum itself.
    private func isSound(_ header: ArraySlice<UInt8>) -> Bool {
        guard let stated = try? number(header, 148..<156) else { return false }
        var sum = 0
        for (index, byte) in header.enumerated() { sum += (148..<156).contains(index) ? 0x20 : Int(byte) }
        return sum == stated
    }

    /// An octal number.
    private func number(_ header: ArraySlice<UInt8>, _ range: Range<Int>) throws -> Int {
        var value = 0
        for byte in header.dropFirst(range.lowerBound).prefix(range.count) {
            if byte == 0 || byte == 0x20 { continue }
            guard (48..<56).contains(byte) else { throw failure("a number in a header cannot be read") }
            value = value * 8 + Int(byte - 48)
            guard value < 1 << 40 else { throw failure("a number in a header is too large") }
        }
        return value
    }

    private static func path(_ header: ArraySlice<UInt8>) -> String {
        func text(_ from: Int, _ count: Int) -> String {
            String(decoding: header.dropFirst(from).prefix(count).prefix { $0 != 0 }, as: UTF8.self)
        }
        let prefix = header.dropFirst(257).starts(with: "ustar".utf8) ? text(345, 155) : ""
        return prefix.isEmpty ? text(0, 100) : "\(prefix)/\(text(0, 100))"
    }

    /// The record `path` of a pax header: `27 path=…`.
    private static func paxPath(_ content: ArraySlice<UInt8>) -> String? {
        for line in content.split(separator: UInt8(ascii: "\n")) {
            guard let space = line.firstIndex(of: 0x20) else { continue }
            let record = line[line.index(after: space)...]
            if record.starts(with: "path=".utf8) { return String(decoding: record.dropFirst(5), as: UTF8.self) }
        }
        return nil
    }
}
