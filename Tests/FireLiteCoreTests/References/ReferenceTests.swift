import FireLiteCore
import FireLiteR4
import Testing

/// References: their parts, and what they point to inside a container.
@Suite struct ReferenceTests {
    private func summary(_ text: String) -> String {
        let parts = ReferenceParts(text)
        return "\(parts.form) \([parts.base, parts.type, parts.id, parts.version].map { $0 ?? "-" }.joined(separator: " "))"
    }

    static let examples = [
        ("Patient/1", "relative - Patient 1 -"), ("Patient/a.B-3", "relative - Patient a.B-3 -"),
        ("Patient/1/_history/2", "relative - Patient 1 2"),
        ("Patient/_history/2", "other - - - -"), ("MadeUp/1", "relative - MadeUp 1 -"), ("patient/1", "other - - - -"),
        ("Patient/", "other - - - -"),
        ("Patient", "other - - - -"), ("/Patient/1", "other - - - -"), ("x/Patient/1", "other - - - -"), ("Patient/1/", "other - - - -"),
        ("Patient/1#x", "other - - - -"), ("Patient?identifier=1", "other - - - -"), ("Patient/1?x", "other - - - -"),
        ("Patient/a b", "other - - - -"),
        ("Patient/" + String(repeating: "a", count: 64), "relative - Patient \(String(repeating: "a", count: 64)) -"),
        ("Patient/" + String(repeating: "a", count: 65), "other - - - -"), ("Patient/1/_history/", "other - - - -"), ("", "other - - - -"),
        ("http://example.org/fhir/Patient/1", "absolute http://example.org/fhir Patient 1 -"),
        ("https://example.org/Patient/1/_history/2", "absolute https://example.org Patient 1 2"),
        ("https://example.org:8080/a/b/Observation/x.y", "absolute https://example.org:8080/a/b Observation x.y -"),
        ("http://example.org/fhir/patients/1", "other - - - -"), ("http://Patient/1", "other - - - -"), ("://x/Patient/1", "other - - - -"),
        ("http:/x/Patient/1", "other - - - -"), ("http://example.org/fhir", "other - - - -"),
        ("urn:uuid:c757873d-ec9a-4326-a141-556f43239520", "uuid - - c757873d-ec9a-4326-a141-556f43239520 -"),
        ("urn:uuid:C757873D-EC9A-4326-A141-556F43239520", "uuid - - C757873D-EC9A-4326-A141-556F43239520 -"),
        ("urn:uuid:1", "other - - - -"),
        ("urn:uuid:c757873dec9a-4326-a141-556f432395200", "other - - - -"), ("urn:oid:1.2.3", "oid - - 1.2.3 -"),
        ("urn:oid:3.2", "other - - - -"),
        ("urn:oid:1.02", "other - - - -"), ("#a", "contained - - a -"), ("#", "contained - - - -"), ("é/é", "other - - - -"),
    ]

    @Test(arguments: examples)
    func referencesAreSplitIntoParts(_ text: String, _ expected: String) {
        #expect(summary(text) == expected)
    }

    @Test func referencesToResources() {
        let patient = Patient { $0.id = "1" }
        #expect(Reference(to: patient).reference == "Patient/1")
        #expect(Reference(to: patient).parts == ReferenceParts("Patient/1"))
        let observation = Observation { $0.contained = [patient] }
        #expect(Reference(to: observation.contained[0]).reference == "#1")
        let bundle = Bundle { $0.entry = [BundleEntry { $0.resource = Patient { $0.id = "2" } }] }
        #expect(bundle.entry[0].resource.map { Reference(to: $0).reference } == "Patient/2")
        let nameless = Patient()
        #expect(Reference(to: nameless).reference == "urn:uuid:\(nameless.pk)")
        #expect(Reference().parts == nil)
    }

    @Test func containedTargets() throws {
        let json = ##"""
            {"resourceType":"Bundle","entry":[{"resource":{"resourceType":"MedicationRequest","id":"m",
            "contained":[{"resourceType":"Medication","id":"med","manufacturer":{"reference":"#org"},"batch":{"extension":[{"url":"u","valueReference":{"reference":"#"}}]}},
            {"resourceType":"Organization","id":"org"}],"medicationReference":{"reference":"#med"},"subject":{"reference":"#nobody"},"requester":{"reference":"Practitioner/1"}}},
            {"resource":{"resourceType":"Basic","subject":{"reference":"#med"}}}]}
            """##
        let bundle = try Bundle(json: json)
        let request = try #require(bundle.entry[0].resource as? MedicationRequest)
        let medication = try #require(request.medicationReference?.containedTarget() as? Medication)
        #expect(medication === request.contained[0])
        // From one contained resource to another, and back to the container.
        #expect(medication.manufacturer?.containedTarget() === request.contained[1])
        #expect(medication.batch?.extension[0].valueReference?.containedTarget() === request)
        #expect(request.subject?.containedTarget() == nil)
        #expect(request.requester?.containedTarget() == nil)
        // Each resource of a Bundle is a container of its own.
        let basic = try #require(bundle.entry[1].resource as? Basic)
        #expect(basic.subject?.containedTarget() == nil)
        #expect(basic.subject?.containedTarget(in: request) === medication)
        let free = Reference { $0.reference = "#med" }
        #expect(free.containedTarget() == nil)
        #expect(free.containedTarget(in: request) === medication)
    }
}
