import Foundation
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// A release that is data does what its generated classes do.
@Suite struct BundledReleaseTests {
    /// The release of a module and the same one as data.
    private static func bundled(_ release: FHIRRelease) throws -> FHIRRelease { try #require(BundledRelease.named(release.name)).release }

    @Test(arguments: Releases.all) func itsLayoutsAreThoseOfTheClasses(_ release: FHIRRelease) throws {
        let bundled = try Self.bundled(release)
        #expect(bundled.name == release.name && bundled.version == release.version)
        #expect(bundled != release)
        #expect(bundled.types.isEmpty && bundled.resourceType(named: "Patient") == nil)
        #expect(bundled.resourceTypeNames == release.resourceTypeNames)
        #expect(bundled.layouts.map(\.name) == release.layouts.map(\.name))
        #expect(bundled.fingerprint == release.fingerprint)
        for layout in release.layouts {
            let other = try #require(bundled.layout(named: layout.name))
            #expect(other.kind == layout.kind && other.base?.name == layout.base?.name, "\(layout.name)")
            #expect(other.elements.map(Facts.init) == layout.elements.map(Facts.init), "\(layout.name)")
            for element in layout.elements {
                guard let binding = element.binding else { continue }
                #expect(bundled.codes(ofBinding: binding) == release.codes(ofBinding: binding))
            }
        }
        for name in ["HumanName", "Resource", "DomainResource", "patient", "", "Nope"] {
            #expect(bundled.resourceLayout(named: name) == nil && !bundled.hasResourceType(named: name))
        }
    }

    /// What an element says of itself.
    private struct Facts: Equatable {
        let texts: [String?]
        let numbers: [Int?]
        let targets: [String]

        init(_ element: LayoutElement) {
            texts = [
                element.name, element.typeName, element.layout?.name, element.choice?.name, element.binding, element.primitive?.name,
                "\(element.kind)",
            ]
            numbers = [
                element.slot, element.min, element.max, element.choice?.min, element.choice?.slots.lowerBound, element.choice?.slots.count,
            ]
            targets = element.targets
        }
    }

    @Test(arguments: Releases.all) func itsTextIsCheckedWhenItComesFromAFile(_ release: FHIRRelease) throws {
        let text = try #require(BundledRelease.named(release.name)).layouts
        #expect(try FHIRRelease(layouts: text).fingerprint == release.fingerprint)
    }

    @Test(arguments: Releases.resourceTypes(12)) func resourcesGoThroughMemoryAndStoreUnchanged(_ name: TypeName) throws {
        let bundled = try Self.bundled(name.release)
        let store = try FHIRStore.inMemory(release: bundled)
        let type = try #require(name.release.resourceType(named: name.name))
        let modes: [RandomInstance.Mode] = [.everything(round: 0), .everything(round: 1), .sparse, .sparse]
        for (seed, mode) in modes.enumerated() {
            var random = RandomInstance(seed: UInt64(seed), mode: mode)
            let typed = try #require(random.object(of: type) as? FHIRResource)
            typed.id = "\(seed)"
            let json = FHIRJSON.string(typed)
            let resource = try FHIRJSON.resource(from: Data(json.utf8), release: bundled)
            #expect(Swift.type(of: resource) == FHIRResource.self && resource.resourceType == name.name)
            #expect(FHIRJSON.string(resource) == json)
            #expect(resource.copy() == resource && resource.differences(to: resource.copy()).isEmpty)
            #expect(resource.validate() == typed.validate(), "\(name) seed \(seed)")
            try store.write { tx in _ = try tx.upsert(resource) }
            let fetched = try #require(try store.resource(typeName: name.name, id: "\(seed)"))
            #expect(fetched !== resource && FHIRJSON.string(fetched) == json)
        }
        #expect(try store.check() == [])
        try store.write { tx in
            for seed in modes.indices {
                let isDeleted = try tx.delete(typeName: name.name, id: "\(seed)")
                #expect(isDeleted)
            }
        }
        #expect(try store.counts().isEmpty)
    }

    @Test func oneFileIsOpenedWithTheClassesAndWithout() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        let bundled = try Self.bundled(.r5)
        var random = RandomInstance(seed: 4)
        let texts = try FHIRStore(path: path, release: .r5).closing { store in
            var texts: [String] = []
            for number in 0..<40 {
                let resource = random.resource(of: .r5)
                resource.id = "\(number)"
                texts.append(FHIRJSON.string(resource))
                try store.write { tx in _ = try tx.upsert(resource) }
            }
            return texts.sorted()
        }
        #expect(try FHIRStore.releaseName(ofFileAt: URL(fileURLWithPath: path)) == "R5")
        try FHIRStore(path: path, release: bundled).closing { store in
            var found: [String] = []
            try store.read { tx in
                for count in try tx.counts() { try tx.forEach(typeName: count.typeName) { found.append(FHIRJSON.string($0)) } }
            }
            #expect(found.sorted() == texts)
            #expect(try store.check() == [])
            // A write without classes is read with them.
            let json = Data(#"{"resourceType":"Basic","id":"new","code":{"text":"x"}}"#.utf8)
            try store.write { tx in _ = try tx.upsert(FHIRJSON.resource(from: json, release: bundled)) }
        }
        try FHIRStore(path: path, release: .r5).closing { store in
            let basic = try #require(try store.resource(typeName: "Basic", id: "new"))
            #expect(Swift.type(of: basic) == FHIRRelease.r5.resourceType(named: "Basic"))
        }
    }

    @Test func foundationsCodersTakeTheReleaseFromUserInfo() throws {
        let bundled = try Self.bundled(.dstu2)
        let json = #"{"resourceType":"Patient","name":[{"given":["Ada"],"_given":[{"id":"g"}]}],"birthDate":"1815-12"}"#
        let decoder = JSONDecoder()
        decoder.userInfo[.fhirRelease] = bundled
        let decoded = try decoder.decode(FHIRResource.self, from: Data(json.utf8))
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: bundled)
        #expect(decoded == resource)
        #expect(try JSONTree(JSONEncoder().encode(resource)) == JSONTree(Data(json.utf8)))
    }

    @Test func referencesWorkWithoutAClass() throws {
        let bundled = try Self.bundled(.stu3)
        let json = #"{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"Device/1"}}"#
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: bundled)
        let subject = try #require(resource.layout.element(named: "subject"))
        let reference = try #require(resource._object(subject.slot) as FHIRObject? as? any FHIRReference)
        #expect(reference.parts?.id == "1")
        reference.reference = "Patient/2"
        #expect(FHIRJSON.string(resource).contains(#""reference":"Patient/2""#))
    }
}

extension FHIRStore {
    fileprivate func closing<Value>(_ body: (FHIRStore) throws -> Value) throws -> Value {
        let value = try body(self)
        try close()
        return value
    }
}
