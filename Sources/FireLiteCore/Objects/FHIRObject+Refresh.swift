extension FHIRObject {
    /// Takes over the content of another object of the same stored resource, read later, which is empty afterwards.
    ///
    /// Elements that are the same rows keep their objects; a to-one element keeps its object while its class is the same. Elements that are
    /// gone become objects of their own.
    package final func refresh(from fresh: FHIRObject) {
        rowNode = fresh.rowNode
        if let pk = fresh.objectExtras?.pk, !(objectExtras?.isTie ?? false) { withExtras { $0.pk = pk } }
        for position in stride(from: Int(slotCount) - 1, through: 0, by: -1) {
            let slot = Int(slots.unsafelyUnwrapped[position].index)
            guard fresh.position(of: slot) == nil else { continue }
            value(slot)?.forEachChild { release($0) }
            store(nil, in: slot)
        }
        while fresh.slotCount > 0, let last = fresh.slots?[Int(fresh.slotCount) - 1] {
            let slot = Int(last.index)
            fresh.store(nil, in: slot)
            refresh(slot, last.value)
        }
    }

    private final func refresh(_ slot: Int, _ new: SlotValue) {
        switch (value(slot), new) {
        case (.object(let mine)?, .object(let theirs)) where mine.layoutTable == theirs.layoutTable:
            mine.refresh(from: theirs)
        case (.objects(let mine)?, .objects(let theirs)):
            var byRow: [UInt32: FHIRObject] = [:]
            for object in mine where object.rowNode > 0 { byRow[object.rowNode] = object }
            let list = theirs.map { object in
                guard object.rowNode > 0, let known = byRow[object.rowNode], known.layoutTable == object.layoutTable else { return object }
                byRow[object.rowNode] = nil
                known.refresh(from: object)
                return known
            }
            let kept = Set(list.map { ObjectIdentifier($0) })
            for object in mine where !kept.contains(ObjectIdentifier(object)) { release(object) }
            for object in list { object.ownerObject = self }
            store(.objects(list), in: slot)
        case (.annotated(let mine)?, .annotated(let theirs)):
            mine.element.refresh(from: theirs.element)
            store(.annotated(AnnotatedPrimitive(value: theirs.value, element: mine.element)), in: slot)
        case (let old, _):
            old?.forEachChild { release($0) }
            new.own(by: self)
            store(new, in: slot)
        }
    }

    /// Makes an element that the resource no longer has an object of its own.
    private final func release(_ child: FHIRObject) {
        if let tie = rootObject.objectExtras, tie.isTie { child.pinAll(tie) }
        child.ownerObject = nil
        child.becomeUnmanaged()
        child.forgetRows()
    }
}
