import FireLite
import FireLiteR4
import Foundation

/// JSON to objects and back, beside Foundation's coders with the same classes.
struct CodecWorkloads: Workload {
    static let decode = "decode"
    static let oneByOne = "decode call by call, against a kept reader"
    static let encode = "encode"
    static let serialization = "decode, JSONSerialization"
    static let jsonDecoder = "decode, JSONDecoder"
    static let jsonEncoder = "encode, JSONEncoder"
    /// How many resources each coder gets, the same ones: the cost of one does not depend on it.
    private static let limit = 4_000

    var names: [String] { [Self.decode, Self.oneByOne, Self.serialization, Self.jsonDecoder, Self.encode, Self.jsonEncoder] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last { $0 <= 10_000 } ?? sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.decode) { measurements.append(try decode(bench)) }
        if bench.wants(Self.oneByOne) { measurements.append(try oneByOne(bench)) }
        if bench.wants(Self.serialization) { measurements.append(try serialization(bench)) }
        if bench.wants(Self.jsonDecoder) { measurements.append(try jsonDecoder(bench)) }
        if bench.wants(Self.encode) { measurements.append(try encode(bench)) }
        if bench.wants(Self.jsonEncoder) { measurements.append(try jsonEncoder(bench)) }
        return measurements
    }

    // MARK: - FireLite

    private func decode(_ bench: Bench) throws -> Measurement {
        let corpus = bench.corpus.sample(Self.limit)
        var objects: [FHIRResource] = []
        return try bench.measure(
            Self.decode, operations: corpus.count,
            subject: { stopwatch in
                objects = []
                try stopwatch.measure { objects = try corpus.objects() }
            },
            verify: {
                try objects.count == corpus.count
                    && objects.indices.allSatisfy { try JSONContent.areEqual(FHIRJSON.data(objects[$0]), corpus.json($0)) }
            })
    }

    /// Each resource is released before the next one is read, as in a loop over lines.
    private func oneByOne(_ bench: Bench) throws -> Measurement {
        let texts = texts(bench)
        var (found, kept) = (0, 0)
        return try bench.measure(
            Self.oneByOne, operations: texts.count,
            subject: { stopwatch in
                found = 0
                try stopwatch.measure {
                    for text in texts { found += try FHIRJSON.resource(from: text, release: .r4).id?.utf8.count ?? 0 }
                }
            },
            floor: { stopwatch in
                kept = 0
                let reader = FHIRJSONReader(release: .r4)
                try stopwatch.measure { for text in texts { kept += try reader.resource(from: text).id?.utf8.count ?? 0 } }
            },
            verify: { found == kept && found > 0 })
    }

    private func encode(_ bench: Bench) throws -> Measurement {
        let corpus = bench.corpus.sample(Self.limit)
        let objects = try corpus.objects()
        var texts: [Data] = []
        return try bench.measure(
            Self.encode, operations: corpus.count,
            subject: { stopwatch in
                texts = []
                texts.reserveCapacity(objects.count)
                stopwatch.measure { for object in objects { texts.append(FHIRJSON.data(object)) } }
            },
            verify: {
                try texts.count == corpus.count && texts.indices.allSatisfy { try JSONContent.areEqual(texts[$0], corpus.json($0)) }
            })
    }

    // MARK: - Foundation

    private func texts(_ bench: Bench) -> [Data] {
        let sample = bench.corpus.sample(Self.limit)
        return (0..<sample.count).map { sample.json($0) }
    }

    private func serialization(_ bench: Bench) throws -> Measurement {
        let texts = texts(bench)
        var values: [Any] = []
        return try bench.measure(
            Self.serialization, operations: texts.count,
            subject: { stopwatch in
                values = []
                try stopwatch.measure { for text in texts { values.append(try JSONSerialization.jsonObject(with: text)) } }
            },
            verify: {
                try zip(texts, values).allSatisfy { text, value in
                    let resource = try FHIRJSON.resource(from: text, release: .r4)
                    let members = value as? [String: Any]
                    return members?["resourceType"] as? String == resource.resourceType && members?["id"] as? String == resource.id
                }
            })
    }

    private func jsonDecoder(_ bench: Bench) throws -> Measurement {
        let texts = texts(bench)
        let decoder = JSONDecoder()
        decoder.userInfo[.fhirRelease] = FHIRRelease.r4
        var objects: [FHIRResource] = []
        return try bench.measure(
            Self.jsonDecoder, operations: texts.count,
            subject: { stopwatch in
                objects = []
                try stopwatch.measure { for text in texts { objects.append(try decoder.decode(FHIRResource.self, from: text)) } }
            },
            verify: { try zip(texts, objects).allSatisfy { try JSONContent.areEqual(FHIRJSON.resource(from: $0, release: .r4), $1) } })
    }

    private func jsonEncoder(_ bench: Bench) throws -> Measurement {
        let objects = try bench.corpus.sample(Self.limit).objects()
        let encoder = JSONEncoder()
        var texts: [Data] = []
        return try bench.measure(
            Self.jsonEncoder, operations: objects.count,
            subject: { stopwatch in
                texts = []
                try stopwatch.measure { for object in objects { texts.append(try encoder.encode(object)) } }
            },
            verify: { try zip(texts, objects).allSatisfy { try JSONContent.areEqual($0, FHIRJSON.data($1)) } })
    }
}
