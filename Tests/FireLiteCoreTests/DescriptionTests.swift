import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Text about an object names its type and its id or pk and holds no value; a mirror, which is asked for, holds them all.
@Suite struct DescriptionTests {
    private struct Holder {
        let object: FHIRObject
    }

    private func isValidID(_ id: String) -> Bool { id.wholeMatch(of: /[A-Za-z0-9.\-]{1,64}/) != nil }

    /// What the description of an object without a pk has to be.
    private func expected(_ object: FHIRObject) -> String {
        let name = object.layout.name
        guard let id = (object as? FHIRResource)?.id, isValidID(id) else { return name }
        return "\(name)/\(id)"
    }

    /// Every type, every way of making text: exactly type and id, whatever the values are.
    @Test func noValueIsInTheTextAboutAnObject() throws {
        try withEvery(Effort.seeds(60)) { seed in
            var random = RandomInstance(seed: seed)
            for object in [random.resource(of: .r4), random.make(Observation.self), random.make(StructureDefinition.self)] {
                for part in everyObject(in: object) {
                    let expected = expected(part)
                    let elements = part.filledSlotCount == 1 ? "1 element" : "\(part.filledSlotCount) elements"
                    let debug = "\(expected) (\(elements))"
                    try #require("\(part)" == expected)
                    try #require(String(describing: part) == expected)
                    try #require(String(reflecting: part) == debug)
                    try #require("\([part])" == "[\(debug)]")
                    try #require("\(Optional(part) as Any)" == "Optional(\(debug))")
                    try #require("\(["a": part])" == #"["a": \#(debug)]"#)
                    try #require("\(Holder(object: part))" == "Holder(object: \(debug))")
                    try #require("\((1, part))" == "(1, \(debug))")
                }
            }
        }
    }

    /// With a marker in every text, also where an id or a pk is not what FHIR or the library would make.
    @Test func textsThatAreNoIDsAreNotShown() throws {
        let patient = try FHIRJSON.decode(
            Patient.self,
            from: Data(
                """
                {"resourceType":"Patient","id":"MARKER of a person","language":"MARKER","name":[{"id":"MARKER","family":"MARKER","given":["MARKER"]}],
                 "_birthDate":{"extension":[{"url":"MARKER","valueString":"MARKER"}]}}
                """.utf8))
        for object in everyObject(in: patient) {
            #expect(!"\(object)\(String(reflecting: object))\([object])".contains("MARKER"))
        }
        #expect("\(patient)" == "Patient")
        let name = patient.name[0]
        name.pk = "MARKER of a person"
        #expect("\(name)" == "HumanName")
        name.pk = "\u{1B}[31mred"
        #expect(String(reflecting: name) == "HumanName (3 elements)")
        name.pk = String(repeating: "a", count: 201)
        #expect("\(name)" == "HumanName")
        name.pk = "d2c5a0/12/period"
        #expect("\(name)" == "HumanName (pk d2c5a0/12/period)")
    }

    /// Text about an object does not make it a pk.
    @Test func describingChangesNothing() {
        let name = HumanName { $0.family = "Chalmers" }
        #expect("\(name)" == "HumanName" && String(reflecting: name) == "HumanName (1 element)")
        #expect(name.objectExtras == nil)
        let pk = name.pk
        #expect("\(name)" == "HumanName (pk \(pk))" && String(reflecting: name) == "HumanName (pk \(pk), 1 element)")
        let patient = Patient { $0.id = "123" }
        #expect("\(patient)" == "Patient/123" && String(reflecting: patient) == "Patient/123 (1 element)")
    }

    /// An element that FHIR calls `description` stays itself.
    @Test func elementsCalledDescriptionStayElements() {
        let definition = StructureDefinition {
            $0.id = "a"; $0.description = "MARKER"
        }
        // Not within `#expect`, which has a form for two strings that would rather take the text.
        let isElement = definition.description == "MARKER"
        let text = definition.description
        #expect(isElement && text == .some("MARKER") && (definition.description ?? "").count == 6)
        definition[element: \.description] = Element { $0.id = "d" }
        #expect((definition[element: \.description] as? Element)?.id == "d")
        definition.description = nil
        let isUnset = definition.description == nil
        #expect(isUnset)
        #expect("\(definition)" == "StructureDefinition/a")
        let any: any CustomStringConvertible = definition
        #expect(any.description == "StructureDefinition/a")
    }

    /// A mirror has a child for each member that JSON has, by its name, in its order.
    @Test func mirrorsHaveTheElementsByName() throws {
        try withEvery(Effort.seeds(80)) { seed in
            var random = RandomInstance(seed: seed)
            let object = random.resource(of: .r4)
            for part in everyObject(in: object) {
                let mirror = Mirror(reflecting: part)
                try #require(mirror.displayStyle == .class && mirror.superclassMirror == nil)
                let labels = mirror.children.map { $0.label ?? "" }
                let names = labels.filter { !$0.hasPrefix("_") }
                try #require(Set(names).isSubset(of: part.layout.elements.map(\.name)))
                for label in labels where label.hasPrefix("_") {
                    try #require(part.layout.element(named: String(label.dropFirst())) != nil)
                }
                try #require(Set(labels).count == labels.count)
                // An annotation alone has no member of its own.
                let members = part.layout.elements.filter { element in
                    guard let value = part.value(element.slot) else { return false }
                    if case .annotated(let primitive) = value { return primitive.value != nil }
                    return true
                }
                try #require(names == members.map(\.name))
            }
        }
    }

    @Test func mirrorsHaveSwiftsTypes() throws {
        let patient = try Patient(
            json: """
                {"resourceType":"Patient","active":true,"name":[{"given":["Peter",null],"_given":[null,{"id":"x"}]}],
                 "birthDate":"1970-03","_birthDate":{"id":"b"},"multipleBirthInteger":2}
                """)
        let children = Dictionary(uniqueKeysWithValues: Mirror(reflecting: patient).children.map { ($0.label ?? "", $0.value) })
        #expect(children.keys.sorted() == ["_birthDate", "active", "birthDate", "multipleBirthInteger", "name"])
        #expect(children["active"] as? Bool == true && children["multipleBirthInteger"] as? Int == 2)
        #expect(children["birthDate"] as? FHIRDate == "1970-03" && (children["_birthDate"] as? Element)?.id == "b")
        let name = try #require((children["name"] as? [FHIRObject])?.first)
        #expect(Mirror(reflecting: name).descendant("given") as? [String?] == ["Peter", nil])
        #expect((Mirror(reflecting: name).descendant("_given") as? [FHIRObject?])?.count == 2)
        var text = ""
        dump(patient, to: &text)
        #expect(text.contains("Peter") && text.contains("1970-03"))
        let quantity = Quantity { $0.value = "1.50" }
        #expect((Mirror(reflecting: quantity).descendant("value") as? FHIRDecimal)?.literal == "1.50")
    }

    /// Objects are equal by content, which changes: no keys. Their ids are.
    @Test func objectsAreNoKeys() throws {
        let (one, two) = (HumanName { $0.family = "a" }, HumanName { $0.family = "a" })
        #expect(one == two)
        #expect((one as Any) as? any Hashable == nil)
        let byID: [FHIRObjectID: HumanName] = [one.identity: one, two.identity: two]
        #expect(byID.count == 2)
        one.family = "b"
        #expect(byID[one.identity] === one)
        #expect(Set([ObjectIdentifier(one), ObjectIdentifier(two)]).count == 2)
    }
}

extension FHIRObject {
    /// `Identifiable.id`, which `Element.id` would hide.
    fileprivate var identity: FHIRObjectID { FHIRObjectID(pk: pk) }
}
