import FireLiteCore
import Testing

/// The object and all in it.
func everyObject(in object: FHIRObject) -> [FHIRObject] {
    var objects = [object]
    object.forEachSlot { slot in slot.value.forEachChild { objects += everyObject(in: $0) } }
    return objects
}

/// That everything in the object has the right owner and nothing is in it twice.
func expectSoundOwnership(_ object: FHIRObject, sourceLocation: SourceLocation = #_sourceLocation) {
    let objects = everyObject(in: object)
    #expect(Set(objects.map { ObjectIdentifier($0) }).count == objects.count, sourceLocation: sourceLocation)
    #expect(everyStranger(in: object).isEmpty, sourceLocation: sourceLocation)
}

/// What is in the object but does not belong to what it is in.
private func everyStranger(in object: FHIRObject) -> [FHIRObject] {
    var strangers: [FHIRObject] = []
    object.forEachSlot { slot in
        slot.value.forEachChild { child in
            if child.ownerObject !== object { strangers.append(child) }
            strangers += everyStranger(in: child)
        }
    }
    return strangers
}

/// That two objects have no object in common.
func expectNothingShared(_ first: FHIRObject, _ second: FHIRObject, sourceLocation: SourceLocation = #_sourceLocation) {
    let both = Set(everyObject(in: first).map { ObjectIdentifier($0) }).intersection(everyObject(in: second).map { ObjectIdentifier($0) })
    #expect(both.isEmpty, sourceLocation: sourceLocation)
}
