import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What patches say, applied as a server does it.
@Suite struct FHIRPathPatchTests {
    private func patient() -> Patient {
        Patient {
            $0.id = "a"
            $0.active = true
            $0.name = ["Smith", "Jones", "Miller"].map { family in
                HumanName {
                    $0.family = family; $0.given = ["Ann", "Bea"]
                }
            }
            $0.telecom = (0..<3).map { number in
                ContactPoint {
                    $0.value = "\(number)"; $0.rank = number + 1
                }
            }
            $0.deceasedBoolean = false
            $0.contact = [
                PatientContact {
                    $0.relationship = [CodeableConcept { $0.text = "sister" }]
                    $0.name = HumanName { $0.family = "Smith" }
                }
            ]
        }
    }

    private var changes: [(Patient) -> Void] {
        [
            { $0.active = nil }, { $0.gender = .male }, { $0.birthDate = "2000-01" }, { $0.deceasedBoolean = true },
            { $0.deceasedDateTime = "2024-05-01" }, { $0.name[0].family = "Taylor" }, { $0.name[1].given.append("Cleo") },
            { $0.name[1].given.removeFirst() }, { $0.name.append(HumanName { $0.text = "Last \"quoted\"" }) },
            { $0.name.insert(HumanName { $0.text = "First" }, at: 0) }, { $0.name.insert(HumanName { $0.text = "Second" }, at: 1) },
            { $0.telecom = [] }, { $0.telecom.remove(at: 1) }, { $0.telecom.append($0.telecom.remove(at: 0)) },
            { $0.telecom.insert($0.telecom.remove(at: 2), at: 0) }, { $0.maritalStatus = CodeableConcept { $0.text = "x" } },
            { $0.contact[0].name?.family = "Jones" }, { $0.contact[0].name = nil },
            {
                $0.contact.append(
                    PatientContact {
                        $0.relationship = [CodeableConcept { $0.text = "a" }, CodeableConcept { $0.text = "b" }]
                        $0.gender = .female
                        $0.period = Period { $0.start = "2020" }
                    })
            },
            {
                $0.link = [
                    PatientLink {
                        $0.other = Reference { $0.reference = "Patient/b" }; $0.type = .seealso
                    }
                ]
            },
            {
                $0.`extension`.append(
                    Extension {
                        $0.url = "http://example.org"; $0.valueQuantity = Quantity { $0.value = "1.5" }
                    })
            },
            { $0.multipleBirthInteger = 2 }, { $0.managingOrganization = Reference { $0.reference = "Organization/1" } },
        ]
    }

    /// Any two of the changes, in both directions.
    @Test func aPatchLeadsFromOneStateToTheOther() throws {
        var operations: Set<String> = []
        for first in changes.indices {
            for second in changes.indices {
                let (old, new) = (patient(), patient())
                changes[first](new)
                if second != first, !new.name.isEmpty, new.telecom.count == 3, new.name.count == 3, new.contact.count == 1 {
                    changes[second](new)
                }
                for (from, to) in [(old, new), (new, old)] where from != to {
                    let patch = try #require(FHIRPathPatch.patch(from: from, to: to), "\(first) and \(second)")
                    var patched = try PatchedResource(from)
                    try patched.apply(patch)
                    #expect(try patched.resource() == to, "\(first) and \(second): \(String(decoding: patch, as: UTF8.self))")
                    for part in try FHIRJSON.decode(Parameters.self, from: patch).parameter {
                        if let type = part.part.first?.valueCode { operations.insert(type) }
                    }
                }
            }
        }
        #expect(operations == ["add", "delete", "insert", "move", "replace"])
    }

    /// What a patch cannot say is sent whole.
    @Test func whatAPatchCannotExpressHasNone() throws {
        let (old, new) = (patient(), patient())
        new.contained = [samplePatient("x")]
        #expect(FHIRPathPatch.patch(from: old, to: new) == nil)
        let text = #"{"resourceType":"Patient","id":"a","_birthDate":{"extension":[{"url":"http://example.org","valueCode":"x"}]}}"#
        let annotated = try FHIRJSON.decode(Patient.self, from: Data(text.utf8))
        #expect(FHIRPathPatch.patch(from: Patient { $0.id = "a" }, to: annotated) == nil)
    }
}
