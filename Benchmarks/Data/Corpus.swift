import FireLite
import FireLiteR4
import Foundation

/// Resources as lines of JSON in memory.
struct Corpus {
    /// What reports call the data.
    let title: String
    let text: Data
    let lines: [Swift.Range<Int>]

    init(title: String, text: Data, lines: [Swift.Range<Int>]) {
        self.title = title
        self.text = text
        self.lines = lines
    }

    var count: Int { lines.count }

    /// The size as NDJSON, with a line feed for each resource.
    var bytes: Int { lines.reduce(0) { $0 + $1.count + 1 } }

    /// Some of the resources, spread over all of them and in their order.
    func sample(_ size: Int) -> Corpus {
        guard size < count else { return self }
        var random = SeededRandom(seed: 5)
        let chosen = Array(lines.indices.shuffled(using: &random).prefix(size)).sorted()
        return Corpus(title: title, text: text, lines: chosen.map { lines[$0] })
    }

    /// Runs of the resources that are small enough to be in memory as objects.
    func chunks(of length: Int = 50_000) -> [Swift.Range<Int>] {
        stride(from: 0, to: count, by: length).map { $0..<min($0 + length, count) }
    }

    // MARK: - Content

    /// Calls `body` with the JSON of each resource.
    func forEach(_ range: Swift.Range<Int>? = nil, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
        try text.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            for line in lines[range ?? 0..<count] { try body(UnsafeBufferPointer(rebasing: bytes[line])) }
        }
    }

    func json(_ index: Int) -> Data { text.subdata(in: lines[index]) }

    /// The resources as fresh objects.
    func objects(_ range: Swift.Range<Int>? = nil) throws -> [FHIRResource] {
        let reader = FHIRJSONReader(release: .r4)
        var objects: [FHIRResource] = []
        objects.reserveCapacity(range?.count ?? count)
        try forEach(range) { objects.append(try reader.resource(from: $0)) }
        return objects
    }

    /// Writes the resources as NDJSON.
    func write(to path: String) throws {
        var lines = Data(capacity: bytes)
        forEach { line in
            lines.append(contentsOf: line)
            lines.append(UInt8(ascii: "\n"))
        }
        try lines.write(to: URL(fileURLWithPath: path))
    }
}
