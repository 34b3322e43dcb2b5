import FireLite
import FireLiteR4
import Foundation

/// Resources as lines of JSON: those of a text in memory, once or several times with new ids, all of them or a sample.
struct Corpus {
    let kind: DataKind
    /// What reports call the data.
    let title: String
    private let text: Data
    private let lines: [Swift.Range<Int>]
    /// Where ids are, when the lines are there more than once.
    private let ids: UUIDPlaces?
    /// What belongs to the corpus: the number of a line, counted on through the repetitions.
    private let numbers: [Int]

    init(_ kind: DataKind, title: String, text: Data, lines: [Swift.Range<Int>]) {
        self.init(kind, title, text, lines, nil, Array(lines.indices))
    }

    private init(_ kind: DataKind, _ title: String, _ text: Data, _ lines: [Swift.Range<Int>], _ ids: UUIDPlaces?, _ numbers: [Int]) {
        self.kind = kind
        self.title = title
        self.text = text
        self.lines = lines
        self.ids = ids
        self.numbers = numbers
    }

    var count: Int { numbers.count }

    /// The size as NDJSON, with a line feed for each resource.
    var bytes: Int { numbers.indices.reduce(0) { $0 + bytes(at: $1) + 1 } }

    /// The size of one resource's JSON.
    func bytes(at index: Int) -> Int { lines[numbers[index] % lines.count].count }

    // MARK: - Other sizes

    /// The first resources, which are whole patients where the data are made patient by patient.
    func prefix(_ size: Int) -> Corpus { size < count ? Corpus(kind, title, text, lines, ids, Array(numbers.prefix(size))) : self }

    /// Some of the resources, spread over all of them and in their order.
    func sample(_ size: Int) -> Corpus {
        guard size < count else { return self }
        var random = SeededRandom(seed: 5)
        return Corpus(kind, title, text, lines, ids, numbers.shuffled(using: &random).prefix(size).sorted())
    }

    /// The resources over and over until there are enough, each time with other ids, to which the references among them go: more patients
    /// of the same kind.
    ///
    /// - Throws: `BenchmarkFailure` where the resources' ids are no UUIDs.
    func repeated(until size: Int) throws -> Corpus {
        guard size > count else { return self }
        for range in chunks() {
            guard try objects(range).allSatisfy({ UUIDPlaces.isUUID($0.id ?? "") }) else {
                throw BenchmarkFailure(
                    "\(title) are fewer than \(Figures.grouped(size)), and not all their ids are UUIDs, which could be others the next time: "
                        + "give a smaller --size"
                )
            }
        }
        let times = (size + count - 1) / count
        let title = "\(title), \(times) times with other ids"
        let numbers = (0..<times).flatMap { time in self.numbers.map { $0 + time * lines.count } }
        return Corpus(kind, title, text, lines, UUIDPlaces(text, lines), numbers)
    }

    /// Runs of the resources that are small enough to be in memory as objects.
    func chunks(of length: Int = 50_000) -> [Swift.Range<Int>] {
        stride(from: 0, to: count, by: length).map { $0..<min($0 + length, count) }
    }

    // MARK: - Content

    /// Calls `body` with the JSON of each resource.
    func forEach(_ range: Swift.Range<Int>? = nil, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
        var copy: [UInt8] = []
        try text.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            for number in numbers[range ?? 0..<count] {
                let (time, index) = number.quotientAndRemainder(dividingBy: lines.count)
                let line = UnsafeBufferPointer(rebasing: bytes[lines[index]])
                guard time > 0, let ids else {
                    try body(line)
                    continue
                }
                copy.removeAll(keepingCapacity: true)
                copy.append(contentsOf: line)
                ids.change(&copy, line: index, time: time)
                try copy.withUnsafeBufferPointer(body)
            }
        }
    }

    func json(_ index: Int) -> Data {
        var json = Data()
        forEach(index..<index + 1) { json = Data($0) }
        return json
    }

    /// One of the resources as a fresh object.
    func object(_ index: Int) throws -> FHIRResource { try FHIRJSON.resource(from: json(index), release: .r4) }

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
        let file = try OutputFile(path)
        forEach { line in
            file.write(UnsafeRawBufferPointer(line))
            file.writeLineFeed()
        }
        try file.close()
    }
}
