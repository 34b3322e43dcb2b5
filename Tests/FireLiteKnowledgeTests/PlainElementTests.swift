import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Elements of a profile that say no more than FHIR's types do are left out, and that never changes a verdict.
@Suite struct PlainElementTests {
    private static let url = "http://a.org/p"

    private static func profile(_ elements: [String], type: String) -> Data {
        Data(
            """
            {"resourceType":"StructureDefinition","url":"\(url)","name":"P","status":"active","kind":"resource","abstract":false,"type":"\(type)",
            "baseDefinition":"http://hl7.org/fhir/StructureDefinition/\(type)","derivation":"constraint",
            "differential":{"element":[\(elements.joined(separator: ","))]}}
            """.utf8)
    }

    private func demanding(_ elements: [String]) throws -> [String] {
        let knowledge = Knowledge(release: .r4)
        try knowledge.add(Self.profile(elements, type: "Patient"), source: "test")
        let root = try #require(try knowledge.structure(Canonical(Self.url))).root
        // What Patient's own bindings and targets ask for stays.
        let plain = Knowledge(release: .r4)
        try plain.add(Self.profile([#"{"id":"Patient","path":"Patient"}"#], type: "Patient"), source: "test")
        let own = Set(try #require(try plain.structure(Canonical(Self.url))).root.demanding?.map(\.name) ?? [])
        return try #require(root.demanding).map(\.name).filter { !own.contains($0) }
    }

    @Test func elementsThatRepeatTheTypeAreLeftOut() throws {
        #expect(try demanding([#"{"id":"Patient.name","path":"Patient.name","min":0,"max":"*","mustSupport":true}"#]).isEmpty)
        #expect(try demanding([#"{"id":"Patient.name.given","path":"Patient.name.given","max":"*"}"#]).isEmpty)
    }

    @Test(arguments: [
        #"{"id":"Patient.name","path":"Patient.name","min":1}"#, #"{"id":"Patient.name","path":"Patient.name","max":"3"}"#,
        #"{"id":"Patient.name.family","path":"Patient.name.family","maxLength":4}"#,
        #"{"id":"Patient.name.use","path":"Patient.name.use","fixedCode":"official"}"#,
        #"{"id":"Patient.name.period.start","path":"Patient.name.period.start","min":1}"#,
        #"{"id":"Patient.name:a","path":"Patient.name","sliceName":"a"}"#,
        #"{"id":"Patient.name","path":"Patient.name","constraint":[{"key":"a","severity":"error","expression":"family.exists()"}]}"#,
        #"{"id":"Patient.name","path":"Patient.name","type":[{"code":"HumanName","profile":["http://a.org/n"]}]}"#,
    ])
    func elementsThatSayMoreAreNot(_ element: String) throws {
        #expect(try demanding([element]) == ["name"])
    }

    // MARK: - Verdicts

    private static let profiles = [
        "Patient": [
            #"{"id":"Patient.identifier","path":"Patient.identifier","min":1,"slicing":{"discriminator":[{"type":"value","path":"system"}],"rules":"open"}}"#,
            #"{"id":"Patient.identifier:a","path":"Patient.identifier","sliceName":"a","max":"1"}"#,
            #"{"id":"Patient.identifier:a.system","path":"Patient.identifier.system","min":1,"fixedUri":"http://a.org/a"}"#,
            #"{"id":"Patient.identifier:a.value","path":"Patient.identifier.value","min":1}"#,
            #"{"id":"Patient.name","path":"Patient.name","max":"2"}"#, #"{"id":"Patient.name.use","path":"Patient.name.use","min":1}"#,
            #"{"id":"Patient.contact.name","path":"Patient.contact.name","min":1}"#,
        ],
        "Observation": [
            #"{"id":"Observation.value[x]","path":"Observation.value[x]","type":[{"code":"Quantity"},{"code":"string"}]}"#,
            #"{"id":"Observation.valueQuantity","path":"Observation.valueQuantity"}"#,
            #"{"id":"Observation.valueQuantity.code","path":"Observation.valueQuantity.code","min":1}"#,
            #"{"id":"Observation.subject","path":"Observation.subject","min":1}"#,
            #"{"id":"Observation.component.code","path":"Observation.component.code","patternCodeableConcept":{"coding":[{"code":"c"}]}}"#,
        ],
    ]

    private static let records = [
        """
        {"resourceType":"Patient","id":"a","language":"en","identifier":[{"system":"http://a.org/a","value":"1"},{"system":"http://a.org/b"}],
        "name":[{"use":"official","family":"f","given":["g","h"],"period":{"start":"2020-01-01"}},{"use":"old","text":"t"}],"gender":"male",
        "contact":[{"name":{"family":"c"},"gender":"female","relationship":[{"text":"r"}]}],"generalPractitioner":[{"reference":"Practitioner/1"}],
        "communication":[{"language":{"coding":[{"system":"urn:ietf:bcp:47","code":"de"}]},"preferred":true}]}
        """,
        """
        {"resourceType":"Observation","id":"o","status":"final","category":[{"coding":[{"system":"http://a.org/s","code":"x"}]}],
        "code":{"coding":[{"system":"http://a.org/s","code":"y"}],"text":"t"},"subject":{"reference":"Patient/1"},
        "effectiveDateTime":"2020-01-01","valueQuantity":{"value":1.5,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"},
        "component":[{"code":{"coding":[{"code":"c"}]},"valueString":"s"}],"hasMember":[{"reference":"Observation/2"}]}
        """,
    ]

    @Test func leavingThemOutNeverChangesTheVerdict() throws {
        var (valid, invalid) = (0, 0)
        let knowledge = try Self.profiles.mapValues { elements in
            let knowledge = Knowledge(release: .r4)
            let type = elements[0].contains("Patient") ? "Patient" : "Observation"
            try knowledge.add(Self.profile(elements, type: type), source: "test")
            return knowledge
        }
        let rounds: UInt64 = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] == nil ? 600 : 20_000
        try withEvery(0..<rounds) { seed in
            var random = SeededGenerator(seed: seed)
            var json = try JSONSerialization.jsonObject(with: Data(random.pick(Self.records).utf8))
            for _ in 0..<random.int(0...3) { json = Self.damaged(json, &random) }
            let text = try JSONSerialization.data(withJSONObject: json)
            guard let resource = try? FHIRJSON.resource(from: text, release: .r4) else { return }
            let known = try #require(knowledge[resource.resourceType])
            var whole = ValidationOptions()
            whole.reportsMustSupport = true
            let found = try FHIRValidator(knowledge: known).validate(resource, against: [Self.url])
            let all = try FHIRValidator(knowledge: known, options: whole).validate(resource, against: [Self.url])
            func isValid(_ issues: [ValidationIssue]) -> Bool { !issues.contains { $0.severity == .error } }
            try #require(isValid(found) == isValid(all), "\(found) \(all)")
            // Nothing is reported that the profile does not say, and warnings stay.
            try #require(Set(all).isSuperset(of: found))
            func warnings(_ issues: [ValidationIssue]) -> Set<ValidationIssue> { Set(issues.filter { $0.severity == .warning }) }
            try #require(warnings(found) == warnings(all))
            if isValid(found) { valid += 1 } else { invalid += 1 }
        }
        #expect(valid > 50 && invalid > 50)
    }

    /// The JSON with one member removed, doubled or replaced.
    private static func damaged(_ json: Any, _ random: inout SeededGenerator) -> Any {
        if var members = json as? [String: Any] {
            let names = members.keys.filter { $0 != "resourceType" }.sorted()
            guard !names.isEmpty else { return json }
            let name = random.pick(names)
            switch random.int(0...9) {
            case 0: members[name] = nil
            case 1: if let list = members[name] as? [Any] { members[name] = list + list }
            case 2: if members[name] is String { members[name] = random.pick(["x", "http://a.org/a", "male", "Device/1", "final", "en"]) }
            default: members[name] = damaged(members[name] ?? "", &random)
            }
            return members
        }
        if var list = json as? [Any], !list.isEmpty {
            let place = random.int(0...list.count - 1)
            if random.percent(20) { list.remove(at: place) } else { list[place] = damaged(list[place], &random) }
            return list
        }
        return json
    }
}
