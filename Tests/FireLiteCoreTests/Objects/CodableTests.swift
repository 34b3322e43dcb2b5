import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Objects through any coder: everything but the literals of numbers.
@Suite struct CodableTests {
    @Test func randomResourcesThroughJSONCoders() throws {
        try withEvery(Effort.seeds(300)) { seed in
            var random = RandomInstance(seed: seed)
            try check(random.resource(of: .r4))
        }
    }

    @Test func everyClassThroughJSONCoders() throws {
        for type in Effort.sample(FHIRRelease.r4.types, 250) where type._layout.isResource || !(type is FHIRResource.Type) {
            var random = RandomInstance(seed: 3, mode: .everything(round: 2))
            try check(random.object(of: type))
        }
    }

    private func check<Object: FHIRObject>(_ object: Object) throws {
        let encoded = try JSONEncoder().encode(object)
        let tree = try JSONTree(encoded).mappingNumbers(Self.canonical)
        try #require(JSONTree(object).mappingNumbers(Self.canonical).difference(to: tree) == nil)
        let json = FHIRJSON.data(object)
        let decoded = try JSONDecoder().decode(ObjectBox.self, from: json, configuration: Swift.type(of: object))
        try #require(JSONTree(decoded.object).mappingNumbers(Self.canonical).difference(to: tree) == nil)
        try #require(Swift.type(of: decoded.object) == Swift.type(of: object))
        expectSoundOwnership(decoded.object)
    }

    /// The number alone: 1.50, 1.5 and 15e-1 become one text.
    private static func canonical(_ literal: String) -> String {
        guard let decimal = Decimal(string: literal), decimal.isFinite, decimal != 0 || Double(literal) == 0 else {
            return "\(Double(literal) ?? .nan)"
        }
        return "\(decimal)"
    }

    /// Decodes an object of a class that is known at run time only.
    private struct ObjectBox: DecodableWithConfiguration {
        let object: FHIRObject
        init(from decoder: any Decoder, configuration: FHIRObject.Type) throws { object = try configuration._decoded(from: decoder) }
    }

    @Test func propertyListsToo() throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            try withEvery(0..<20) { seed in
                var random = RandomInstance(seed: seed)
                random.isStrictlyValid = true
                let resource = random.resource(of: .r4)
                let decoded = try PropertyListDecoder().decode(Resource.self, from: encoder.encode(resource))
                try #require(
                    JSONTree(decoded).mappingNumbers(Self.canonical).difference(to: JSONTree(resource).mappingNumbers(Self.canonical))
                        == nil)
            }
        }
    }

    // MARK: - Resources by their type

    @Test func resourceTypeNamesTheClass() throws {
        let json = Data(#"{"resourceType":"Patient","id":"1","contained":[{"resourceType":"Basic"}]}"#.utf8)
        let resource = try JSONDecoder().decode(Resource.self, from: json)
        #expect(resource is Patient)
        #expect((resource as? Patient)?.contained[0] is Basic)
        #expect(try JSONDecoder().decode(DomainResource.self, from: json) is Patient)
        #expect(try JSONDecoder().decode(Patient.self, from: json).id == "1")
        #expect(try JSONDecoder().decode([Resource].self, from: Data("[".utf8) + json + Data("]".utf8)).first is Patient)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Person.self, from: json) }
        let bundle = Data(#"{"resourceType":"Bundle"}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DomainResource.self, from: bundle) }
    }

    @Test func theReleaseComesWithTheDecoder() throws {
        let json = Data(#"{"resourceType":"Patient","id":"1"}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(FHIRResource.self, from: json) }
        let decoder = JSONDecoder()
        decoder.userInfo[.fhirRelease] = FHIRRelease.r4
        #expect(try decoder.decode(FHIRResource.self, from: json) is Patient)
        #expect(try decoder.decode(FHIRObject.self, from: json) is Patient)
    }

    /// A struct with FHIR objects in it is `Codable` as any other.
    private struct Visit: Codable {
        var patient: Patient
        var names: [HumanName]
        var note: Annotation?
    }

    @Test func insideOtherTypes() throws {
        let visit = Visit(patient: Patient { $0.active = true }, names: [HumanName { $0.given = ["a"] }], note: nil)
        let decoded = try JSONDecoder().decode(Visit.self, from: JSONEncoder().encode(visit))
        #expect(decoded.patient == visit.patient)
        #expect(decoded.names == visit.names)
        #expect(decoded.note == nil)
    }

    // MARK: - Errors

    static let faulty = [
        (#"{"resourceType":"Patient","nmae":1}"#, "nmae"), (#"{"resourceType":"Patient","name":{}}"#, "name"),
        (#"{"resourceType":"Patient","name":[]}"#, "name"), (#"{"resourceType":"Patient","name":[{}]}"#, "name.0"),
        (#"{"resourceType":"Patient","name":[{"given":[1]}]}"#, "name.0.given.0"),
        (#"{"resourceType":"Patient","active":"true"}"#, "active"),
        (#"{"resourceType":"Patient","active":null}"#, "active"), (#"{"resourceType":"Patient","birthDate":"2020-13"}"#, "birthDate"),
        (#"{"resourceType":"Patient","multipleBirthInteger":2147483648}"#, "multipleBirthInteger"),
        (#"{"resourceType":"Patient","telecom":[{"rank":1},{"rank":0}]}"#, "telecom.1.rank"),
        (#"{"resourceType":"Patient","deceasedBoolean":true,"deceasedDateTime":"2020"}"#, "deceasedDateTime"),
        (#"{"resourceType":"Patient","_birthDate":{}}"#, "_birthDate"),
        (#"{"resourceType":"Patient","_birthDate":[{"id":"1"}]}"#, "_birthDate"),
        (#"{"resourceType":"Patient","contained":[{"resourceType":"Nope"}]}"#, "contained.0.resourceType"),
        (#"{"resourceType":"Patient","contained":[{"id":"1"}]}"#, "contained.0"), (#"{"resourceType":"Nope"}"#, "resourceType"), ("{}", ""),
    ]

    @Test(arguments: faulty)
    func errorsHaveACodingPath(_ json: String, _ path: String) throws {
        let error = try #require(throws: DecodingError.self) { try JSONDecoder().decode(Resource.self, from: Data(json.utf8)) }
        let context: DecodingError.Context
        switch error {
        case .dataCorrupted(let found), .keyNotFound(_, let found), .typeMismatch(_, let found), .valueNotFound(_, let found):
            context = found
        @unknown default: return
        }
        #expect(context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".") == path)
    }

    @Test func numbersThatACoderCannotCarry() throws {
        func coded(_ literal: String) throws -> String? {
            let quantity = Quantity { $0.value = FHIRDecimal(literal) }
            return try JSONDecoder().decode(Quantity.self, from: JSONEncoder().encode(quantity)).value?.literal
        }
        #expect(try coded("1.50") == "1.5")
        #expect(try coded("1e3") == "1000")
        #expect(try coded("12345678901234567890.123456789") == "12345678901234567890.123456789")
        #expect(try coded("1e-300").flatMap { Double($0) } == 1e-300)
        #expect(throws: EncodingError.self) { try coded("1e400") }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Quantity.self, from: Data(#"{"value":1e400}"#.utf8)) }
    }

    @Test func moreThan128LevelsOfNesting() {
        func json(_ extensions: Int) -> Data {
            let opening = String(repeating: #"{"extension":["#, count: extensions)
            return Data((opening + #"{"url":"u"}"# + String(repeating: "]}", count: extensions)).utf8)
        }
        #expect(throws: Never.self) { try JSONDecoder().decode(Extension.self, from: json(63)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Extension.self, from: json(64)) }
    }
}
