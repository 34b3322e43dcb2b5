import FireLiteCore

/// Turns objects into rows: to-one elements become columns of their owner's row, and repeating ones rows of their own.
///
/// A row comes before the rows that it owns, and rows are numbered in that order, so that a table's rows of one resource are
/// adjacent and in document order.
struct Flattener {
    /// The numbering of a resource's rows.
    enum Numbering {
        /// From 0, whatever numbers the objects had.
        case fresh
        /// Objects keep their numbers; those without get one later (from `RowDiff`).
        case kept
    }

    static let unnumbered = UInt32.max
    /// The highest row number of a resource.
    static let maximumNode = UInt32(RowKey.lastNode)

    let schema: StorageSchema
    var buffer = RowBuffer()
    private var numbering = Numbering.fresh
    private var nextNode: UInt32 = 0
    private var resource: Int32 = 0
    private var marksManaged = false
    /// Whether the rows update a stored resource with the content of another, so that it keeps its own pks.
    private var takesOver = false
    /// The object of each row, if numbers are kept: new ones are set when the rows have been matched.
    private var objects: [FHIRObject?] = []
    /// The depth of the current row's owners.
    private var depth = 0

    init(schema: StorageSchema) { self.schema = schema }

    /// Adds the rows of a resource and returns the number of row numbers used.
    ///
    /// - Parameters:
    ///   - marksManaged: whether the objects become part of a stored resource, with the number of their row.
    ///   - takesOver: whether the content updates a stored resource, which keeps its pks.
    /// - Throws: `FHIRStoreError.tooLarge`, after which the buffer must not be used.
    mutating func add(
        _ object: FHIRObject, as resource: Int, numbering: Numbering, marksManaged: Bool, takesOver: Bool = false
    ) throws(FHIRStoreError) -> UInt32 {
        self.resource = Int32(truncatingIfNeeded: resource)
        self.numbering = numbering
        self.marksManaged = marksManaged
        self.takesOver = takesOver
        nextNode = 0
        depth = 0
        objects.removeAll(keepingCapacity: true)
        try addRow(
            .passUnretained(object), .passUnretained(schema.table(of: object.layout)), parent: -1, order: -1, member: nil)
        return nextNode
    }

    /// Discards all rows.
    mutating func clear() { buffer.clear() }

    /// Sets the numbers of the rows in their objects.
    mutating func assignNumbers() {
        for (row, object) in objects.enumerated() { object?.rowNode = buffer.rows[row].node }
        objects.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private mutating func number(_ object: Unmanaged<FHIRObject>?) throws(FHIRStoreError) -> UInt32 {
        if numbering == .kept { return keptNumber(object?.takeUnretainedValue()) }
        let node = nextNode
        nextNode += 1
        guard node <= Self.maximumNode else {
            throw FHIRStoreError(.tooLarge, "a resource has more than \(Self.maximumNode) rows: split it into several")
        }
        if marksManaged { object?._withUnsafeGuaranteedRef { $0.rowNode = node } }
        return node
    }

    @inline(never)
    private mutating func keptNumber(_ object: FHIRObject?) -> UInt32 {
        objects.append(object)
        guard let object, object.objectFlags.contains(.managed), object.ownerObject == nil || object.rowNode > 0 else {
            return Self.unnumbered
        }
        return object.rowNode
    }

    // MARK: - Rows

    // Objects and plans are passed on unmanaged, as counting references took a third of the time here: the resource retains the objects,
    // the schema the plans.

    private mutating func addRow(
        _ object: Unmanaged<FHIRObject>, _ table: Unmanaged<TablePlan>, parent: Int64, order: Int32, member: String?
    ) throws(FHIRStoreError) {
        let node = try number(object)
        guard depth < ResourceAssembler.maximumDepth else { throw tooDeep() }
        depth += 1
        defer { depth -= 1 }
        let row = buffer.begin(table: table.beginRow(), node: node, parent: parent, order: order, resource: resource)
        if let member { buffer.add(table.takeUnretainedValue().memberColumnIndex(), text: member) }
        let group = table.root
        let hasChildren = try addCells(of: object, group)
        buffer.end(row)
        if table.isTooWide { throw tooWide(table.takeUnretainedValue()) }
        if hasChildren { try addChildren(of: object, group, parent: numbering == .fresh ? Int64(node) : Int64(row)) }
    }

    private func tooDeep() -> FHIRStoreError {
        FHIRStoreError(
            .tooLarge, "a resource has more than \(ResourceAssembler.maximumDepth) levels of lists and contained resources: flatten it")
    }

    private func tooWide(_ table: TablePlan) -> FHIRStoreError {
        FHIRStoreError(
            .tooLarge,
            "a resource needs more than \(StorageSchema.maximumColumns) columns in the table \(table.name), which SQLite cannot hold")
    }

    /// Adds the values of an object that is inlined in the current row; returns true if it has lists too.
    private mutating func addCells(of object: Unmanaged<FHIRObject>, _ group: Unmanaged<GroupPlan>) throws(FHIRStoreError) -> Bool {
        let marksManaged = marksManaged
        let hasExtras = object._withUnsafeGuaranteedRef { $0.noteStored(marksManaged) }
        if takesOver {
            let column = group._withUnsafeGuaranteedRef { $0.pkColumn }
            if column >= 0 { buffer.keep(column) }
        } else if hasExtras {
            addPK(of: object.takeUnretainedValue(), group.takeUnretainedValue())
        }
        var hasChildren = false
        let slots = object.slotRun
        for position in slots.indices {
            let place = slots.baseAddress.unsafelyUnwrapped + position
            let slot = Int(place.pointee.index)
            switch place.pointee.value {
            case .word(let word): addWord(word, group, slot)
            case .text: addText(place.text, group, slot)
            case .object:
                if group.entries[slot].kind == .resource {
                    hasChildren = true
                } else {
                    let more = try addCells(of: place.object, group.group(slot))
                    hasChildren = hasChildren || more
                }
            case .objects, .texts, .annotatedTexts: hasChildren = true
            case .annotated(let primitive):
                switch primitive.value {
                case .word(let word)?: addWord(word, group, slot)
                case .text(var text)?: withUnsafePointer(to: &text) { addText($0, group, slot) }
                default: break
                }
                let more = try addCells(of: .passUnretained(primitive.element), annotation(group, slot))
                hasChildren = hasChildren || more
            }
        }
        return hasChildren
    }

    @inline(never)
    private mutating func addPK(of object: FHIRObject, _ group: GroupPlan) {
        guard let pk = object.objectExtras?.pk, group.parent != nil || object.ownerObject != nil else { return }
        if numbering == .kept, object.rootObject.objectExtras?.derivedPK(of: object) == pk { return }
        buffer.add(group.table.pkColumn(group), text: pk)
    }

    private mutating func addChildren(
        of object: Unmanaged<FHIRObject>, _ group: Unmanaged<GroupPlan>, parent: Int64
    ) throws(FHIRStoreError) {
        let slots = object.slotRun
        for position in slots.indices {
            let place = slots.baseAddress.unsafelyUnwrapped + position
            let slot = Int(place.pointee.index)
            switch place.pointee.value {
            case .word, .text: continue
            case .object:
                let child = place.object
                if group.entries[slot].kind == .resource {
                    try addRow(child, table(of: child), parent: parent, order: 0, member: group.path(to: slot))
                } else if child.hasLists {
                    try addChildren(of: child, group.group(slot), parent: parent)
                }
            case .objects: try addRows(place.objects, group: group, slot: slot, parent: parent)
            case .texts:
                let table = child(of: group, slot)
                let texts = place.texts
                for order in texts.indices {
                    try addRow(texts.baseAddress.unsafelyUnwrapped + order, nil, table, parent: parent, order: order)
                }
            case .annotated(let primitive):
                try addChildren(of: .passUnretained(primitive.element), annotation(group, slot), parent: parent)
            case .annotatedTexts(let list): try addRows(list, child(of: group, slot), parent)
            }
        }
    }

    /// Adds the rows of a list of complex elements or resources.
    private mutating func addRows(
        _ children: UnsafeBufferPointer<Unmanaged<FHIRObject>>, group: Unmanaged<GroupPlan>, slot: Int, parent: Int64
    ) throws(FHIRStoreError) {
        if group.entries[slot].kind == .resource {
            let member = group.path(to: slot)
            for order in children.indices {
                let child = children[order]
                try addRow(child, table(of: child), parent: parent, order: Int32(truncatingIfNeeded: order), member: member)
            }
            return
        }
        let table = child(of: group, slot)
        // Known only when the table is.
        let member = group.members[slot].sharesChild ? group.path(to: slot) : nil
        for order in children.indices {
            try addRow(children[order], table, parent: parent, order: Int32(truncatingIfNeeded: order), member: member)
        }
    }

    /// Adds the rows of a list of primitives with nulls, ids or extensions.
    private mutating func addRows(_ list: AnnotatedList, _ table: Unmanaged<TablePlan>, _ parent: Int64) throws(FHIRStoreError) {
        for (order, text) in list.texts.enumerated() {
            guard var text else {
                try addRow(nil, list.elements[order], table, parent: parent, order: order)
                continue
            }
            try withUnsafePointer(to: &text) { (text: UnsafePointer<String>) throws(FHIRStoreError) in
                try addRow(text, list.elements[order], table, parent: parent, order: order)
            }
        }
    }

    /// Adds a row of a list of primitives.
    private mutating func addRow(
        _ text: UnsafePointer<String>?, _ element: FHIRObject?, _ table: Unmanaged<TablePlan>, parent: Int64, order: Int
    ) throws(FHIRStoreError) {
        let element = element.map { Unmanaged.passUnretained($0) }
        let node = try number(element)
        let row = buffer.begin(
            table: table.beginRow(), node: node, parent: parent, order: Int32(truncatingIfNeeded: order), resource: resource)
        if let text { addValue(text, table.takeUnretainedValue()) }
        guard let element else { return buffer.end(row) }
        let hasChildren = try addCells(of: element, table.root)
        buffer.end(row)
        if hasChildren { try addChildren(of: element, table.root, parent: numbering == .fresh ? Int64(node) : Int64(row)) }
    }

    // MARK: - Values

    @inline(__always)
    private mutating func addWord(_ word: Int64, _ group: Unmanaged<GroupPlan>, _ slot: Int) {
        ValueCodec.add(word, (group.entries + slot).pointee.storage, to: &buffer, group.mainColumn(slot)) { group.asideColumn(slot) }
    }

    @inline(__always)
    private mutating func addText(_ text: UnsafePointer<String>, _ group: Unmanaged<GroupPlan>, _ slot: Int) {
        let entry = group.entries + slot
        ValueCodec.add(text, storage: entry.pointee.storage, type: entry.pointee.primitive, to: &buffer, column: group.mainColumn(slot)) {
            group.asideColumn(slot)
        }
    }

    private mutating func addValue(_ literal: UnsafePointer<String>, _ table: TablePlan) {
        ValueCodec.add(literal: literal, table.primitive ?? .string, to: &buffer, table.valueColumnIndex()) { table.valueAsideIndex() }
    }
}

extension Flattener {
    @inline(__always)
    fileprivate func child(of group: Unmanaged<GroupPlan>, _ slot: Int) -> Unmanaged<TablePlan> {
        group.members[slot].child ?? .passUnretained(schema.child(of: group.takeUnretainedValue(), slot))
    }

    @inline(__always)
    fileprivate func annotation(_ group: Unmanaged<GroupPlan>, _ slot: Int) -> Unmanaged<GroupPlan> {
        group.members[slot].group ?? .passUnretained(schema.annotation(group.takeUnretainedValue(), slot))
    }

    fileprivate func table(of resource: Unmanaged<FHIRObject>) -> Unmanaged<TablePlan> {
        .passUnretained(schema.table(of: resource.takeUnretainedValue().layout))
    }
}

extension Unmanaged where Instance == FHIRObject {
    @inline(__always)
    fileprivate var slotRun: UnsafeMutableBufferPointer<ElementSlot> { _withUnsafeGuaranteedRef { $0.slotRun } }

    /// Whether the object, or an object inlined with it, has a list or another resource. Returns true if that is not quick to find out.
    @inline(__always)
    fileprivate var hasLists: Bool {
        for slot in slotRun {
            switch slot.value {
            case .word, .text: continue
            default: return true
            }
        }
        return false
    }
}
