import Testing

@testable import FireLiteCore

/// The generated classes of each release and their layouts fit together.
@Suite struct LayoutTests {
    @Test(arguments: Releases.facts) func allTypesOfTheRelease(_ facts: Releases.Facts) {
        let release = facts.release
        #expect(release.version == facts.version)
        #expect(release.resourceTypes.count == facts.resources)
        let layouts = release.types.map(\._layout)
        #expect(layouts.filter { $0.kind == .abstract }.map(\.name).sorted() == facts.abstract)
        #expect(Set(layouts.map { ObjectIdentifier($0.type) }).count == layouts.count)
        #expect(layouts.allSatisfy { $0.release == release })
        #expect(release.resourceType(named: "Patient")?._layout.name == "Patient")
        #expect(release.type(named: "Patient.contact")?._layout.kind == .backbone)
        for name in ["HumanName", "Resource", "patient", "", "Nope"] { #expect(release.resourceType(named: name) == nil) }
    }

    @Test func releasesAreToldApart() {
        #expect(Releases.all.map(\.name) == ["DSTU2", "STU3", "R4", "R4B", "R5"])
        #expect(Set(Releases.all).count == Releases.all.count)
        #expect(Set(Releases.all.map(\.fingerprint)).count == Releases.all.count)
    }

    @Test(arguments: Releases.all) func layoutsDescribeTheirClasses(_ release: FHIRRelease) {
        for type in release.types {
            let layout = type._layout
            #expect(layout.type == type)
            #expect(release.type(named: layout.name) == type)
            #expect(layout.isResource == (type is FHIRResource.Type && layout.kind != .abstract))
            #expect(layout.elements.map(\.slot) == Array(layout.elements.indices))
            #expect(Set(layout.elements.map(\.name)).count == layout.elements.count)
            if let base = layout.base {
                #expect(layout.elements.prefix(base.elements.count).map(\.name) == base.elements.map(\.name))
            }
            for element in layout.elements { check(element, of: layout, release) }
            for name in ["", "_", "nope", "ID", "_id", "resourceTyp"] { #expect(layout.element(named: name) == nil) }
        }
    }

    private func check(_ element: LayoutElement, of layout: Layout, _ release: FHIRRelease) {
        #expect(layout.element(named: element.name)?.slot == element.slot)
        #expect((element.kind == .primitive) == (element.primitive != nil))
        #expect((element.kind == .object) == (element.type != nil))
        #expect(element.type.map { $0._layout.name == element.typeName && $0._layout.release == release } ?? true)
        guard let choice = element.choice else { return }
        #expect(choice.slots.contains(element.slot))
        #expect(choice.name.hasSuffix("[x]") && element.name.hasPrefix(choice.name.dropLast(3)))
    }

    @Test(arguments: Releases.all) func bindingsAreKnown(_ release: FHIRRelease) {
        for type in release.types {
            for element in type._layout.elements {
                guard let binding = element.binding else { continue }
                let codes = release.codes(ofBinding: binding)
                #expect(codes?.isEmpty == false, "\(binding) of \(type._layout.name).\(element.name)")
                #expect(codes.map { Set($0).count == $0.count } == true)
            }
        }
        #expect(release.codes(ofBinding: "AdministrativeGender") == ["male", "female", "other", "unknown"])
    }

    @Test(arguments: Releases.all) func targetsAreResourceTypes(_ release: FHIRRelease) {
        for type in release.types {
            for target in type._layout.elements.flatMap(\.targets) {
                #expect(release.resourceType(named: target) != nil, "\(type._layout.name): \(target)")
            }
        }
    }

    /// Every class named `Reference` is one by its protocol: `resolve`, conditions on references and `validate()` rely on it.
    @Test(arguments: Releases.all) func referencesAreReferences(_ release: FHIRRelease) throws {
        let type = try #require(release.type(named: "Reference"))
        let reference = try #require(type.init() as? any FHIRReference)
        reference.reference = "Patient/1"
        #expect(reference.parts?.id == "1")
        #expect(type._layout.element(named: "reference").flatMap { reference._string($0.slot) } == "Patient/1")
    }
}
