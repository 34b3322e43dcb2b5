import Foundation

// The one place where users change a slot of an object: every generated setter ends here.

extension FHIRObject {
    /// Sets a primitive and keeps its id and extensions; nil removes only the value.
    final func setPrimitive(_ slot: Int, _ value: SlotValue?) {
        willChange()
        if value != nil { clearOtherChoices(of: slot) }
        if let position = position(of: slot), case .annotated(let old) = slots.unsafelyUnwrapped[position].value {
            let fresh = AnnotatedPrimitive(value: value, element: old.element)
            slots.unsafelyUnwrapped[position].value = .annotated(fresh)
            return
        }
        store(value, in: slot)
    }

    /// Sets a list of primitives by their literals. Ids and extensions stay with their values: see `AnnotatedList.withValues`.
    final func setPrimitives(_ slot: Int, _ texts: [String]) {
        willChange()
        if let position = position(of: slot), case .annotatedTexts(let old) = slots.unsafelyUnwrapped[position].value {
            let new = old.withValues(texts)
            disown(old.elements, except: Self.elements(of: new))
            store(new, in: slot)
            return
        }
        store(texts.isEmpty ? nil : .texts(texts), in: slot)
    }

    /// Replaces the values of a list of primitives one by one: nulls, ids and extensions keep their positions.
    package final func replacePrimitives(_ slot: Int, _ texts: [String]) {
        guard case .annotatedTexts(let old)? = value(slot) else { return setPrimitives(slot, texts) }
        willChange()
        store(old.replacingValues(with: texts), in: slot)
    }

    private static func elements(of value: SlotValue?) -> [FHIRObject?] {
        if case .annotatedTexts(let list)? = value { list.elements } else { [] }
    }

    /// Sets a to-one complex element. A value that belongs to another object is copied, never shared.
    final func setChild(_ slot: Int, _ child: FHIRObject?) {
        let old: FHIRObject? = if case .object(let old)? = value(slot) { old } else { nil }
        if let child, old === child { return }
        willChange()
        if child != nil { clearOtherChoices(of: slot) }
        if let old { disown(old) }
        guard let child else {
            store(nil, in: slot)
            return
        }
        let own = adopt(child)
        store(.object(own), in: slot)
        // The pk derived from the position belonged to the previous object.
        if objectFlags.contains(.managed), own.objectExtras?.pk == nil { own.withExtras { $0.pk = UUID().uuidString.lowercased() } }
    }

    /// Sets a list of complex elements. An element that belongs to another object, or is in the list twice, is copied, never shared.
    final func setChildren(_ slot: Int, _ children: [FHIRObject]) {
        let old: [FHIRObject] = if case .objects(let old)? = value(slot) { old } else { [] }
        if old.count == children.count, zip(old, children).allSatisfy({ $0 === $1 }) { return }
        willChange()
        for child in old { child.objectFlags.insert(.listed) }
        var list = children
        for index in list.indices {
            let child = list[index]
            if child.objectFlags.contains(.listed), child.ownerObject === self {
                child.objectFlags.remove(.listed)
            } else {
                list[index] = adopt(child)
            }
        }
        for child in old where child.objectFlags.contains(.listed) {
            child.objectFlags.remove(.listed)
            disown(child)
        }
        store(list.isEmpty ? nil : .objects(list), in: slot)
    }

    /// The object itself, or a copy if it already has an owner, as a value of this one.
    package final func adopt(_ child: FHIRObject) -> FHIRObject {
        let isTaken = child.ownerObject != nil || !child.objectFlags.isDisjoint(with: [.managed, .stranded, .deleted]) || isInside(child)
        let own = isTaken ? child.copy() : child
        own.ownerObject = self
        guard objectFlags.contains(.managed) else { return own }
        if rootObject.objectExtras?.keepsRow(of: own) != true { own.forgetRows() }
        own.becomeManaged()
        return own
    }

    private final func isInside(_ child: FHIRObject) -> Bool {
        var ancestor: FHIRObject? = self
        while let current = ancestor {
            if current === child { return true }
            ancestor = current.ownerObject
        }
        return false
    }

    /// Releases a value, which becomes an unmanaged object of its own.
    final func disown(_ child: FHIRObject) {
        guard child.objectFlags.contains(.managed) else {
            child.ownerObject = nil
            return
        }
        let tie = rootObject.objectExtras
        if let tie { child.pinAll(tie) }
        child.ownerObject = nil
        tie?.didRemove(child)
        child.becomeUnmanaged()
    }

    final func clearOtherChoices(of slot: Int) {
        let entry = layoutTable.pointee.entries[slot]
        guard entry.choiceCount > 0 else { return }
        for other in Int(entry.choiceFirst)..<Int(entry.choiceFirst + entry.choiceCount) where other != slot {
            guard let old = value(other) else { continue }
            old.forEachChild { disown($0) }
            store(nil, in: other)
        }
    }

    /// Notifies the store, if the object belongs to one, that a slot is about to change.
    @inline(__always)
    package final func willChange() {
        if !objectFlags.isEmpty { managedWillChange() }
    }

    @inline(never)
    private final func managedWillChange() {
        guard !objectFlags.isDisjoint(with: [.managed, .stranded]) else { return }
        guard let tie = rootObject.objectExtras, tie.isTie, !objectFlags.contains(.stranded) else {
            misuse(
                "this \(layout.name) belongs to a stored resource that is no longer in memory, so a change of it could not be saved: "
                    + "keep the resource in a variable while you change its parts, or change a copy()")
        }
        tie.willChange(self)
    }

    /// The outermost owner: the resource, if the object belongs to one.
    package final var rootObject: FHIRObject {
        var current = self
        while let ownerObject = current.ownerObject { current = ownerObject }
        return current
    }

    /// Marks the object and everything in it as part of a stored resource.
    package final func becomeManaged() {
        objectFlags.insert(.managed)
        forEachSlot { $0.value.forEachChild { $0.becomeManaged() } }
    }

    /// Marks the object and everything in it as new to a store, which then writes new rows for them.
    package final func forgetRows() {
        rowNode = 0
        forEachSlot { $0.value.forEachChild { $0.forgetRows() } }
    }

    /// Sets or clears a mark on the object and everything in it.
    package final func mark(_ flag: ObjectFlags, _ isSet: Bool) {
        if isSet { objectFlags.insert(flag) } else { objectFlags.remove(flag) }
        forEachSlot { $0.value.forEachChild { $0.mark(flag, isSet) } }
    }

    /// Marks the object and everything in it as not part of a stored resource.
    package final func becomeUnmanaged() {
        objectFlags.subtract([.managed, .changed, .stranded])
        forEachSlot { $0.value.forEachChild { $0.becomeUnmanaged() } }
    }
}
