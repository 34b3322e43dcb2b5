import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Any bytes give a value or an error: never a crash, and never a value from what is no JSON.
@Suite struct RobustnessTests {
    @Test func randomBytesNeverCrash() throws {
        let reader = FHIRJSONReader(release: .r4)
        let lenient = FHIRJSONReader(release: .r4, isLenient: true)
        try withEvery(0..<2_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let bytes = Data((0..<generator.int(0...60)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
            try check(bytes, reader, lenient)
            try check(Data("{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"".utf8) + bytes, reader, lenient)
        }
    }

    /// Documents of the tokens of JSON in random order, which come further than random bytes.
    @Test func randomTokensNeverCrash() throws {
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"resourceType\"", "\"Patient\"", "\"Bundle\"", "\"name\"", "\"given\"",
            "\"_given\"", "\"active\"",
            "\"extension\"", "\"contained\"", "\"entry\"", "\"resource\"", "1", "-", "1.5e3", "true", "null", " ", "\\u", "\\ud800",
            "\u{0}", "é",
        ]
        let reader = FHIRJSONReader(release: .r4)
        let lenient = FHIRJSONReader(release: .r4, isLenient: true)
        try withEvery(0..<3_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let noise = (0..<generator.int(0...30)).map { _ in generator.pick(tokens) }.joined()
            try check(Data(("{\"resourceType\":\"Patient\"," + noise).utf8), reader, lenient)
        }
    }

    @Test func mutatedDocumentsNeverCrash() throws {
        let documents = (UInt64(0)..<25).map { seed in
            var random = RandomInstance(seed: seed)
            return Array(FHIRJSON.data(random.resource(of: .r4)))
        }
        let reader = FHIRJSONReader(release: .r4)
        let lenient = FHIRJSONReader(release: .r4, isLenient: true)
        try withEvery(Effort.seeds(byDay: 5_000, atNight: 20_000)) { seed in
            var generator = SeededGenerator(seed: seed)
            var document = generator.pick(documents)
            for _ in 0..<generator.pick([1, 1, 2, 4]) { Self.mutate(&document, &generator, documents) }
            try check(Data(document.prefix(20_000)), reader, lenient, checksLenient: seed % 4 == 0)
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator, _ documents: [[UInt8]]) {
        guard !bytes.isEmpty else { return }
        let place = generator.int(0...bytes.count - 1)
        let end = min(place + generator.int(1...20), bytes.count)
        switch generator.int(0...7) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        case 1: bytes[place] ^= 1 << UInt8(generator.int(0...7))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.insert(generator.pick("{}[],:\"\\0-tfn ".utf8.map { $0 }), at: place)
        case 5: bytes = Array(bytes[..<place])
        case 6:
            bytes.insert(
                contentsOf: generator.pick(["null", "{}", "[]", "\"\"", "-1e5", "\\u12", "\"id\":\"x\","].map { Array($0.utf8) }), at: place
            )
        default:
            let other = generator.pick(documents)
            let from = generator.int(0...other.count - 1)
            bytes.replaceSubrange(place..<end, with: other[from..<min(from + 40, other.count)])
        }
    }

    private func check(_ bytes: Data, _ reader: FHIRJSONReader, _ lenient: FHIRJSONReader, checksLenient: Bool = true) throws {
        do {
            let resource = try reader.resource(from: bytes)
            // Foundation takes it too, and it stays itself.
            _ = try #require(try? JSONSerialization.jsonObject(with: bytes))
            let json = FHIRJSON.data(resource)
            let again = try reader.resource(from: json)
            try #require(again == resource)
            try #require(FHIRJSON.data(again) == json)
        } catch let error as FHIRDecodingError {
            try #require(error.line >= 1 && error.column >= 1 && error.offset >= 0 && error.offset <= bytes.count)
        }
        guard checksLenient else { return }
        do {
            let resource = try lenient.resource(from: bytes)
            let json = FHIRJSON.data(resource)
            _ = try #require(try? JSONSerialization.jsonObject(with: json), "\(String(decoding: json, as: UTF8.self))")
            for issue in lenient.issues { try #require(issue.offset <= bytes.count) }
        } catch let error as FHIRDecodingError {
            try #require(error.offset <= bytes.count)
        }
    }

    /// Many mistakes in one text are found in one walk over it: this would not end if each began anew.
    @Test func manyIssuesInOneText() throws {
        let half = String(repeating: "\\ud800", count: 20_000)
        let unknown = (0..<20_000).map { "\"x\($0)\":1" }.joined(separator: ",")
        let json = Data(patient("\"language\":\"\(half)\",\(unknown)").utf8)
        let issues = try FHIRJSON.lenientResource(from: json, release: .r4).issues
        #expect(issues.count == 40_000)
        #expect(issues.last?.path == "Patient.x19999")
        #expect(issues[19_999].path == "Patient.language")
    }
}
