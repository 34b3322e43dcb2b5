// Access to the packed slots. The only code that touches their memory, apart from the initializer and `deinit`.

extension FHIRObject {
    /// The set values, for reading in place: valid until one is set or removed.
    ///
    /// A function in this module, which does not check access to the fields; code in other modules would check each access.
    package final var slotRun: UnsafeMutableBufferPointer<ElementSlot> { UnsafeMutableBufferPointer(start: slots, count: Int(slotCount)) }

    /// Whether there are extras; also marks the object as part of a stored resource.
    package final func noteStored(_ marksManaged: Bool) -> Bool {
        if marksManaged { objectFlags.insert(.managed) }
        return objectExtras != nil
    }

    /// The number of values that are set.
    package final var filledSlotCount: Int { Int(slotCount) }

    package final func becomeOwned(by owner: FHIRObject) { self.ownerReference = .passUnretained(owner) }

    package final func become(_ extras: _ObjectExtras) { objectExtras = extras }

    /// The object in a slot that is `.object`.
    package final func object(in slot: Int) -> Unmanaged<FHIRObject>? {
        guard let slots, let position = position(of: slot), case .object = slots[position].value else { return nil }
        return (slots + position).object
    }

    /// Makes a new object part of a stored resource.
    package final func becomeStored(node: UInt32, owner: FHIRObject?) {
        objectFlags = .managed
        rowNode = node
        ownerObject = owner
    }

    /// The position of a slot's value, or nil if the slot is empty.
    @inline(__always)
    package final func position(of slot: Int) -> Int? {
        guard let slots else { return nil }
        let wanted = UInt16(truncatingIfNeeded: slot)
        var position = 0
        let slotCount = Int(slotCount)
        while position < slotCount {
            let index = slots[position].index
            if index == wanted { return position }
            if index > wanted { return nil }
            position += 1
        }
        return nil
    }

    /// The value of a slot, or nil.
    @inline(__always)
    package final func value(_ slot: Int) -> SlotValue? {
        guard let position = position(of: slot) else {
            if objectFlags.contains(.probe) { ElementProbe.record(slot, of: self) }
            return nil
        }
        return slots.unsafelyUnwrapped[position].value
    }

    /// The value of a slot without a primitive's id and extensions, or nil.
    @inline(__always)
    package final func plainValue(_ slot: Int) -> SlotValue? {
        guard let value = value(slot) else { return nil }
        if case .annotated(let primitive) = value { return primitive.value }
        return value
    }

    /// Sets the value of a slot, or removes it with nil. The caller sets owners.
    package final func store(_ value: SlotValue?, in slot: Int) {
        if let position = position(of: slot) {
            let slots = slots.unsafelyUnwrapped
            if let value {
                slots[position].value = value
            } else {
                (slots + position).deinitialize(count: 1)
                (slots + position).moveInitialize(from: slots + position + 1, count: Int(slotCount) - position - 1)
                slotCount -= 1
            }
        } else if let value {
            insert(ElementSlot(value: value, index: slot))
        }
    }

    /// Sets the value of a slot; fastest if it is empty and the last one, as when an object is assembled in order.
    package final func put(_ value: consuming SlotValue, slot: Int) {
        if let slots, slotCount > 0, slots[Int(slotCount) - 1].index >= UInt16(truncatingIfNeeded: slot) {
            store(value, in: slot)
        } else {
            insert(ElementSlot(value: value, index: slot))
        }
    }

    private final func insert(_ slot: consuming ElementSlot) {
        if slotCount == slotCapacity { reserve(Int(slotCount) + 1) }
        let slots = slots.unsafelyUnwrapped
        var position = Int(slotCount)
        while position > 0, slots[position - 1].index > slot.index { position -= 1 }
        if position < Int(slotCount) {
            (slots + position + 1).moveInitialize(from: slots + position, count: Int(slotCount) - position)
        }
        (slots + position).initialize(to: slot)
        slotCount += 1
    }

    /// Sets the value of an empty slot; fastest if it is the last one.
    @inline(__always)
    package final func append(_ value: consuming SlotValue, slot: Int) {
        insert(ElementSlot(value: value, index: slot))
    }

    /// Makes room for that many values.
    package final func reserve(_ wanted: Int) {
        guard wanted > Int(slotCapacity) else { return }
        let larger = Swift.max(wanted, Swift.min(Int(slotCapacity) * 2, 255), 2)
        let fresh = UnsafeMutablePointer.slotMemory(larger)
        if let slots {
            fresh.moveInitialize(from: slots, count: Int(slotCount))
            slots.freeSlotMemory()
        }
        slots = fresh
        slotCapacity = UInt8(larger)
    }

    /// Moves values from initialized memory, which is left uninitialized; the object must have none.
    @inline(__always)
    package final func adopt(_ source: UnsafeMutablePointer<ElementSlot>, _ number: Int) {
        guard number > 0 else { return }
        let fresh = UnsafeMutablePointer.slotMemory(number)
        fresh.moveInitialize(from: source, count: number)
        slots = fresh
        slotCount = UInt8(number)
        slotCapacity = UInt8(number)
    }

    /// Calls `body` with every slot that is set, in order.
    @inline(__always)
    package final func forEachSlot(_ body: (ElementSlot) throws -> Void) rethrows {
        guard let slots else { return }
        for index in 0..<Int(slotCount) { try body(slots[index]) }
    }
}

extension FHIRObject {
    /// Stores the pk in elements that are still in use, as the resource from which it is derived is being released.
    final func pinSurvivors(_ tie: _ObjectExtras, isHeld: Bool) {
        guard let slots else { return }
        for place in slots..<slots + Int(slotCount) {
            switch place.pointee.value {
            case .word, .text, .texts: continue
            case .object: UnsafeMutableRawPointer(place).assumingMemoryBound(to: FHIRObject.self).pinSurvivor(tie, isHeld: isHeld)
            case .objects:
                let list = UnsafeMutableRawPointer(place).assumingMemoryBound(to: AnyObject.self)
                let isListHeld = isHeld || !isKnownUniquelyReferenced(&list.pointee)
                let first = place.objects.baseAddress.map { UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: FHIRObject.self) }
                for index in place.objects.indices { (first.unsafelyUnwrapped + index).pinSurvivor(tie, isHeld: isListHeld) }
            case .annotated(let primitive): primitive.element.pin(tie)
            case .annotatedTexts(let list): for element in list.elements { element?.pin(tie) }
            }
        }
    }

    final func pin(_ tie: _ObjectExtras) {
        guard objectExtras?.pk == nil, let pk = tie.derivedPK(of: self) else { return }
        withExtras { $0.pk = pk }
    }

    /// Stores their current pks in the object and everything in it, which are leaving their resource.
    package final func pinAll(_ tie: _ObjectExtras) {
        pin(tie)
        pinSurvivors(tie, isHeld: true)
    }
}

extension UnsafeMutablePointer where Pointee == FHIRObject {
    fileprivate func pinSurvivor(_ tie: _ObjectExtras, isHeld: Bool) {
        let isHeld = isHeld || !isKnownUniquelyReferenced(&pointee)
        UnsafeRawPointer(self).load(as: Unmanaged<FHIRObject>.self)._withUnsafeGuaranteedRef { object in
            if isHeld { object.pin(tie) }
            object.pinSurvivors(tie, isHeld: isHeld)
        }
    }
}

extension SlotValue {
    /// The objects in the value.
    @inline(__always)
    package func forEachChild(_ body: (FHIRObject) throws -> Void) rethrows {
        switch self {
        case .word, .text, .texts: return
        case .object(let child): try body(child)
        case .objects(let children): for child in children { try body(child) }
        case .annotated(let primitive): try body(primitive.element)
        case .annotatedTexts(let list): for element in list.elements { if let element { try body(element) } }
        }
    }

    /// Makes `owner` the owner of the objects in the value.
    @inline(__always)
    package func own(by ownerObject: FHIRObject) {
        forEachChild { $0.ownerObject = ownerObject }
    }
}

extension FHIRObject {
    /// Clears the owner if it is `owner`, which is being released.
    @inline(__always)
    final func clearOwner(_ owner: FHIRObject) {
        guard self.ownerReference?.toOpaque() == Unmanaged.passUnretained(owner).toOpaque() else { return }
        self.ownerReference = nil
        if objectFlags.contains(.managed) { objectFlags.insert(.stranded) }
    }
}
