import FireLite
import FireLiteFHIRPath
import FireLiteKnowledge
import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

@Suite struct UsingTerminologyExamples {
    private let store: FHIRStore
    private let json = Data(
        #"{"resourceType":"ValueSet","url":"http://example.org/ValueSet/pressure","status":"active","compose":{"include":[{"system":"http://loinc.org","concept":[{"code":"8480-6","display":"Systolic"}]}]}}"#
            .utf8)

    init() throws { store = try FHIRStore.inMemory(release: .r4) }

    @Test func aCodeIsValidated() throws {
        // example UsingTerminology.md
        var terminology = Terminology(release: .r4)
        try terminology.add(contentsOf: json)
        terminology.add(StoredDefinitions(store))

        let code = TerminologyCode("8480-6", system: "http://loinc.org", display: "Systolic")
        let found = try terminology.validate(code, in: "http://example.org/ValueSet/pressure")
        if !found.isValid { print(found.issues.map(\.text)) }
        // end
        // LOINC itself is not known here.
        #expect(found.issues.map(\.code) == ["not-found"])
        // example UsingTerminology.md
        switch try terminology.membership(of: [TerminologyCode("female")], in: "http://hl7.org/fhir/ValueSet/administrative-gender") {
        case .member: print("in the value set")
        case .notMember(let issues): print("not in the value set", issues.map(\.text))
        case .unknown(let issues): print("unknown", issues.map(\.text))
        }
        // end
    }

    /// The time is that of the store whose definitions are used, or of a clock that is given.
    @Test func expansionsHaveTheTimeOfTheirClock() throws {
        func clock(_ seconds: Double) -> FHIRClock {
            FHIRClock(now: { Date(timeIntervalSince1970: seconds) }, sleep: { _ in }, random: { 0 })
        }
        var configuration = FHIRStore.Configuration()
        configuration.clock = clock(86_400)
        var terminology = Terminology(release: .r4)
        terminology.add(StoredDefinitions(try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)))
        let request = Data(
            #"{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/administrative-gender"}]}"#
                .utf8)
        func time(_ terminology: Terminology) throws -> String? {
            let answer = try JSONSerialization.jsonObject(with: try terminology.perform(.expand, parameters: request)) as? [String: Any]
            return (answer?["expansion"] as? [String: Any])?["timestamp"] as? String
        }
        #expect(try time(terminology) == "1970-01-02T00:00:00Z")
        terminology.clock = clock(0)
        terminology.add(StoredDefinitions(store))
        #expect(try time(terminology) == "1970-01-01T00:00:00Z")
    }

    @Test func anOperationIsAnswered() throws {
        let terminology = Terminology(release: .r4)
        let json = Data(
            #"{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/administrative-gender"},{"name":"coding","valueCoding":{"system":"http://hl7.org/fhir/administrative-gender","code":"female"}}]}"#
                .utf8)
        // example UsingTerminology.md
        do {
            let answer = try terminology.perform(.validateCode, parameters: json, language: "de, en; q=0.5")
            print(String(decoding: answer, as: UTF8.self))
        } catch let error as TerminologyError {
            print(String(decoding: error.operationOutcome, as: UTF8.self))
        }
        // end
    }

    /// Compiled and not run: it writes into the current folder.
    private func aReleaseIsImported(_ release: URL) throws {
        // example UsingTerminology.md
        let file = CodeSystemFile(path: "codes.sqlite")
        let snomed = try file.add([release]) { print($0) }
        print(snomed.name, snomed.version, snomed.conceptCount)

        var terminology = Terminology(release: .r4)
        try terminology.addCodeSystems(at: URL(fileURLWithPath: "codes.sqlite"))
        let findings = try terminology.expand("http://snomed.info/sct?fhir_vs=isa/404684003", filter: "hea att", count: 20)
        for code in findings.codes { print(code.code, code.display ?? "") }
        // end
    }

    @Test func othersUseIt() throws {
        let knowledge = Knowledge(release: .r4)
        let patient = Patient { $0.gender = .female }
        // example UsingTerminology.md
        var terminology = Terminology(release: .r4)
        terminology.add(knowledge)
        let validator = FHIRValidator(knowledge: knowledge, codes: terminology)
        let issues = try validator.validate(patient)
        // end
        #expect(issues.allSatisfy { $0.severity != .error })
        // example UsingTerminology.md
        var context = FHIRPathContext()
        context.terminology = terminology
        let isFemale = try FHIRPath("gender.memberOf('http://hl7.org/fhir/ValueSet/administrative-gender')")
            .evaluate(on: patient, context: context)
        // end
        #expect(isFemale.count == 1)
    }

    @Test func searchesUseIt() throws {
        var made = Terminology(release: .r4)
        try made.add(
            contentsOf: Data(
                #"{"resourceType":"CodeSystem","url":"http://example.org/colors","status":"active","content":"complete","concept":[{"code":"red","concept":[{"code":"crimson"}]}]}"#
                    .utf8))
        let terminology = made
        for (id, code) in [("1", "crimson"), ("2", "blue")] {
            try store.write { tx in
                try tx.add(
                    Observation {
                        $0.id = id
                        $0.status = .final
                        $0.code = CodeableConcept {
                            $0.coding = [
                                Coding {
                                    $0.system = "http://example.org/colors"; $0.code = code
                                }
                            ]
                        }
                    })
            }
        }
        // example UsingTerminology.md
        var options = SearchOptions()
        options.codesInValueSet = { try terminology.codes(inValueSet: $0) }
        options.relatedCodes = { try terminology.codes(relatedTo: $0, in: $1, areBelow: $2) }
        let result = try store.search("Observation?code:below=http://example.org/colors|red", options: options)
        // end
        #expect(result.matches.count == 1)
    }
}
