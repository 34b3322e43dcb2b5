import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// No value of a record is in an error's description, whatever is wrong with the JSON and wherever: every value here has a marker in it.
@Suite struct DecodingMarkerTests {
    private static let marker = "MARKER"

    /// Every kind of value, each with a marker where its type has room for one.
    private static let json = """
        {"resourceType":"Patient","id":"MARKER","language":"MARKER","active":true,"multipleBirthInteger":777123,
         "birthDate":"1970-01-01","_birthDate":{"extension":[{"url":"MARKER","valueDecimal":777123.5}]},
         "name":[{"family":"MARKER","given":["MARKER",null],"_given":[null,{"id":"MARKER"}]}],"gender":"MARKER",
         "text":{"status":"MARKER","div":"<div>MARKER</div>"},"photo":[{"contentType":"MARKER","data":"MARKER","size":777123}],
         "contained":[{"resourceType":"Observation","code":{"text":"MARKER"},"valueQuantity":{"value":777123.50,"unit":"MARKER"},
           "effectiveInstant":"1977-07-07T07:07:07.777123Z","extension":[{"url":"u","valueTime":"07:07:07.777123"}]}],
         "link":[{"other":{"reference":"MARKER"},"type":"MARKER"}]}
        """

    private func expectSilent(_ error: any Error, _ json: [UInt8]) throws {
        for text in ["\(error)", String(reflecting: error), String(describing: error), error.localizedDescription] {
            try #require(!text.contains(Self.marker) && !text.contains("777123"), "\(text) of \(String(decoding: json, as: UTF8.self))")
        }
        let error = try #require(error as? FHIRDecodingError)
        for text in [error.path, error.expected, error.found] { try #require(!text.contains(Self.marker) && !text.contains("777123")) }
    }

    private static let changes: [[UInt8]] = [[], [0x22], [0x7B], [0x5B], [0x2C], [0x78], [0x35], [0x5C], [0xFF], [0x00]]

    /// Mistakes that one changed byte makes, at every byte.
    @Test func noDecodingErrorShowsAValueWhereverTheMistakeIs() throws {
        let json = Array(Self.json.utf8)
        var codes: Set<FHIRDecodingError.Code> = []
        let strict = FHIRJSONReader(release: .r4)
        let lenient = FHIRJSONReader(release: .r4, isLenient: true)
        for place in json.indices {
            // Two of the changes at each place, others at the next: every place and change, in a fifth of the time.
            for change in [Self.changes[place % 10], Self.changes[(place + 5) % 10]] {
                let broken = Array(json[..<place]) + change + Array(json[(place + 1)...])
                for reader in [strict, lenient] {
                    do {
                        _ = try broken.withUnsafeBufferPointer { try reader.resource(from: $0) }
                    } catch {
                        try expectSilent(error, broken)
                        if let error = error as? FHIRDecodingError { codes.insert(error.code) }
                    }
                    for issue in reader.issues {
                        try expectSilent(issue, broken)
                        codes.insert(issue.code)
                    }
                }
            }
        }
        #expect(codes.isSuperset(of: [.malformedJSON, .invalidText, .unknownMember, .wrongType, .invalidValue, .resourceType]))
    }

    /// Each code, with the marker in the place of what is wrong.
    static let mistakes: [(FHIRDecodingError.Code, String)] = [
        (.malformedJSON, #"{"resourceType":"Patient","language":MARKER}"#),
        (.malformedJSON, #"{"resourceType":"Patient","name":[{"MARKER"}]}"#),
        (.malformedJSON, #"{"resourceType":"Patient","name":[{"MARKER","text":1}]}"#), (.malformedJSON, #"{"MARKER""#),
        (.invalidText, #"{"resourceType":"Patient","language":"MARKER\ud800"}"#),
        (.tooDeep, #"{"resourceType":"Patient","extension":["# + String(repeating: #"{"url":"MARKER","extension":["#, count: 100)),
        (.trailingBytes, #"{"resourceType":"Patient"}"MARKER""#), (.unknownMember, #"{"resourceType":"Patient","x":"MARKER"}"#),
        (.unknownMember, #"{"resourceType":"Patient","MARKER of a person":1}"#),
        (.duplicateMember, #"{"resourceType":"Patient","language":"MARKER","language":"MARKER"}"#),
        (.secondChoice, #"{"resourceType":"Patient","deceasedBoolean":true,"deceasedDateTime":"1977"}"#),
        (.wrongType, #"{"resourceType":"Patient","active":"MARKER"}"#), (.wrongType, #"{"resourceType":"Patient","name":"MARKER"}"#),
        (.invalidValue, #"{"resourceType":"Patient","birthDate":"MARKER"}"#),
        (.invalidValue, #"{"resourceType":"Patient","multipleBirthInteger":777123777123}"#),
        (.empty, #"{"resourceType":"Patient","language":"MARKER","name":[]}"#), (.resourceType, #"{"resourceType":"MARKER"}"#),
        (.resourceType, #"{"resourceType":"Patient","contained":[{"resourceType":"MARKER","id":"MARKER"}]}"#),
        (.resourceType, #"{"id":"MARKER"}"#),
    ]

    @Test(arguments: mistakes) func noDecodingErrorOfAnyCodeShowsAValue(_ code: FHIRDecodingError.Code, _ json: String) throws {
        let error = try #require(decodingError(json))
        #expect(error.code == code)
        try expectSilent(error, Array(json.utf8))
        // On request only.
        if json.contains("MARKER"), code == .invalidValue { #expect(error.excerpt(of: Data(json.utf8)).contains("MARKER")) }
    }

    /// A code that is added to the type must be added to the cases above.
    @Test func everyCodeHasACase() throws {
        let source = try PackageFolder.text(of: "Sources/FireLiteCore/JSON/FHIRDecodingError.swift")
        let declared = source.matches(of: /Code\(rawValue: "(\w+)"\)/).map { String($0.1) }
        #expect(Set(declared) == Set(Self.mistakes.map(\.0.rawValue)))
    }

    @Test func issuesOfValidationShowNoValue() throws {
        let (patient, _) = try FHIRJSON.lenientResource(from: Data(Self.json.utf8), release: .r4)
        let issues = patient.validate()
        #expect(issues.count > 3)
        for issue in issues { #expect(!"\(issue)\(String(reflecting: issue))".contains(Self.marker)) }
    }

    @Test func populatingFromAnotherClassShowsNoValue() throws {
        let error = try #require(throws: FHIRObjectError.self) {
            try Patient { $0.id = Self.marker }.populate(from: Observation { $0.id = Self.marker })
        }
        #expect(!"\(error)\(String(reflecting: error))".contains(Self.marker))
    }

    @Test func errorsOfFoundationsCodersShowNoValue() throws {
        for json in [
            #"{"resourceType":"Patient","active":"MARKER"}"#, #"{"resourceType":"MARKER"}"#,
            #"{"resourceType":"Patient","birthDate":"MARKER"}"#,
        ] {
            let error = try #require(throws: (any Error).self) { try JSONDecoder().decode(Patient.self, from: Data(json.utf8)) }
            #expect(!"\(error)".contains(Self.marker))
        }
    }
}
