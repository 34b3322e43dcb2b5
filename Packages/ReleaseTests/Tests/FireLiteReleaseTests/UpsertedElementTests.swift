import ReleaseTestSupport
import Testing

@testable import FireLiteCore

/// `upsert(_:to:)` of each element of each class does what the generated `upsert(element:)` did, which is still behind the Generator's setting.
@Suite struct UpsertedElementTests {
    @Test(arguments: Releases.all) func everyToOneElementOfEveryClass(_ release: FHIRRelease) throws {
        var elements = 0
        for type in release.types {
            var random = RandomInstance(seed: 11)
            for element in type._layout.elements where element.kind != .primitive && !element.isList {
                let path: ReferenceWritableKeyPath<FHIRObject, FHIRObject?> = \FHIRObject[toOne: element.slot]
                let (object, twin) = (type.init() as FHIRObject, type.init() as FHIRObject)
                for round in 0..<4 {
                    let before = object[toOne: element.slot]
                    let value = round == 3 ? nil : random.makeChild(element, of: object)
                    let content = value?.copy()
                    object.upsert(path, to: value)
                    twin._upsert(element.slot, value)
                    let after = object[toOne: element.slot]
                    let place = "\(type._layout.name).\(element.name), round \(round)"
                    #expect(object == twin && after == content && value == content, "\(place)")
                    #expect(value?.ownerObject == nil && (after == nil || after !== value), "\(place)")
                    #expect(after?.ownerObject === (after == nil ? nil : object), "\(place)")
                    if let before, let after {
                        #expect((before === after) == (before.layout.name == after.layout.name), "\(place)")
                    } else if let before {
                        #expect(before.ownerObject == nil, "\(place)")
                    }
                }
                #expect(object.filledSlotCount == 0)
                elements += 1
            }
        }
        #expect(elements > 400)
    }

    @Test(arguments: Releases.all) func everyListOfEveryClass(_ release: FHIRRelease) throws {
        var elements = 0
        for type in release.types {
            var random = RandomInstance(seed: 12)
            for element in type._layout.elements where element.kind != .primitive && element.isList {
                let object = type.init() as FHIRObject
                for count in [2, 3, 1, 0] {
                    let before = object[list: element.slot]
                    let values = (0..<count).map { _ in random.makeChild(element, of: object) }
                    let contents = values.map { $0.copy() }
                    object.upsert(\.[list: element.slot], to: values)
                    let after = object[list: element.slot]
                    let place = "\(type._layout.name).\(element.name), \(count)"
                    #expect(after == contents && values == contents, "\(place)")
                    #expect(values.allSatisfy { $0.ownerObject == nil }, "\(place)")
                    #expect(after.allSatisfy { $0.ownerObject === object }, "\(place)")
                    for (old, new) in zip(before, after) { #expect((old === new) == (old.layout.name == new.layout.name), "\(place)") }
                    #expect(before.dropFirst(count).allSatisfy { $0.ownerObject == nil }, "\(place)")
                }
                #expect(object.filledSlotCount == 0)
                elements += 1
            }
        }
        #expect(elements > 400)
    }
}

extension FHIRObject {
    /// A generated property with a to-one element, for any class.
    fileprivate subscript(toOne slot: Int) -> FHIRObject? {
        get { _object(slot) }
        set { _setObject(slot, newValue) }
    }

    /// A generated property with a list, for any class.
    fileprivate subscript(list slot: Int) -> [FHIRObject] {
        get { _objects(slot) }
        set { _setObjects(slot, newValue) }
    }
}
