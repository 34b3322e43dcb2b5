import FireLiteCore
import FireLiteR4
import Testing

/// The generated classes and their layouts fit together.
@Suite struct ReleaseTests {
    @Test func allTypesOfTheRelease() {
        #expect(FHIRRelease.r4.name == "R4")
        #expect(FHIRRelease.r4.version == "4.0.1")
        #expect(FHIRRelease.r4.resourceTypes.count == 146)
        let layouts = FHIRRelease.r4.types.map(\._layout)
        #expect(
            layouts.filter { $0.kind == .abstract }.map(\.name).sorted() == ["BackboneElement", "DomainResource", "Element", "Resource"])
        #expect(Set(layouts.map { ObjectIdentifier($0.type) }).count == layouts.count)
        #expect(FHIRRelease.r4.resourceType(named: "Patient") == Patient.self)
        #expect(FHIRRelease.r4.type(named: "Patient.contact") == PatientContact.self)
        for name in ["HumanName", "Resource", "patient", "", "Nope"] { #expect(FHIRRelease.r4.resourceType(named: name) == nil) }
    }

    @Test func layoutsDescribeTheirClasses() {
        for type in FHIRRelease.r4.types {
            let layout = type._layout
            #expect(layout.type == type)
            #expect(FHIRRelease.r4.type(named: layout.name) == type)
            #expect(layout.isResource == (type is FHIRResource.Type && layout.kind != .abstract))
            #expect(layout.elements.map(\.slot) == Array(layout.elements.indices))
            #expect(Set(layout.elements.map(\.name)).count == layout.elements.count)
            if let base = layout.base {
                #expect(layout.elements.prefix(base.elements.count).map(\.name) == base.elements.map(\.name))
            }
            for element in layout.elements {
                #expect(layout.element(named: element.name)?.slot == element.slot)
                #expect((element.kind == .primitive) == (element.primitive != nil))
                #expect((element.kind == .object) == (element.type != nil))
                #expect(element.type.map { $0._layout.name == element.typeName } ?? true)
                if let choice = element.choice {
                    #expect(choice.slots.contains(element.slot))
                    #expect(choice.name.hasSuffix("[x]") && element.name.hasPrefix(choice.name.dropLast(3)))
                }
            }
            for name in ["", "_", "nope", "ID", "_id", "resourceTyp"] { #expect(layout.element(named: name) == nil) }
        }
    }

    @Test func bindingsAreKnown() {
        for type in FHIRRelease.r4.types {
            for element in type._layout.elements {
                guard let binding = element.binding else { continue }
                let codes = FHIRRelease.r4.codes(ofBinding: binding)
                #expect(codes?.isEmpty == false, "\(binding) of \(type._layout.name).\(element.name)")
                #expect(codes.map { Set($0).count == $0.count } == true)
            }
        }
        #expect(FHIRRelease.r4.codes(ofBinding: "AdministrativeGender") == ["male", "female", "other", "unknown"])
    }

    @Test func targetsAreResourceTypes() {
        for type in FHIRRelease.r4.types {
            for target in type._layout.elements.flatMap(\.targets) {
                #expect(FHIRRelease.r4.resourceType(named: target) != nil, "\(type._layout.name): \(target)")
            }
        }
    }
}
