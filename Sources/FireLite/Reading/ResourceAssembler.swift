import FireLiteCore
import FireLiteSQLiteBridge

/// Assembles a resource from the rows of its tables.
///
/// Rows wait in plain memory, and references are counted as little as possible: an object is retained once, by `objects` until it is in its
/// owner's list.
struct ResourceAssembler {
    /// A row that has been read: its object and its position.
    private struct Part {
        /// The index of the row's object in `objects`; -1 for a position of a list of primitives without one.
        var object: Int32
        /// The index in `texts` of the value at a position of a list of primitives; -1 for null.
        var text: Int32
        /// The index in `members` of the member that a contained resource fills; -1 for other rows.
        var member: Int32
        let order: Int32
        let node: UInt32
        let isPrimitive: Bool
        let parent: Int64
        let columns: Unmanaged<RowColumns>
    }

    /// An object made from a row.
    private struct Held {
        let object: Unmanaged<FHIRObject>
        /// Whether its owner retains it, which suffices: no value is removed from an owner while a resource is assembled.
        var isLinked = false
    }

    private let schema: StorageSchema
    private var parts = ContiguousArray<Part>()
    private var objects = ContiguousArray<Held>()
    private var texts = ContiguousArray<String>()
    private var members = ContiguousArray<String>()
    /// The part of each row number, or -1.
    private var byNode = ContiguousArray<Int32>()
    private var farNodes: [UInt32: Int32] = [:]
    /// The inlined objects of the current row, which their owners retain.
    private var groups = ContiguousArray<Unmanaged<FHIRObject>?>()
    /// The positions of contained resources, whose lists may come from several tables.
    private var resourceOrders: [ObjectIdentifier: Int32] = [:]
    private let strings = StringCache(isEnabled: true)
    /// Whether the rows came list by list, each in order.
    private var isInListOrder = true
    /// Whether there are rows of lists of primitives.
    private var hasPrimitives = false
    /// Whether a row cannot have been written by this library: a file may contain anything.
    private var isDamaged = false
    /// Whether rows of the last resource were left out, as they name no row of it that can own them.
    private(set) var hasStrays = false
    private static let nearNodes = 1 << 16

    init(schema: StorageSchema) { self.schema = schema }

    mutating func clear() {
        parts.removeAll(keepingCapacity: true)
        for held in objects where !held.isLinked { held.object.release() }
        objects.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        members.removeAll(keepingCapacity: true)
        byNode.removeAll(keepingCapacity: true)
        if !farNodes.isEmpty { farNodes.removeAll(keepingCapacity: true) }
        if !resourceOrders.isEmpty { resourceOrders.removeAll(keepingCapacity: true) }
        isInListOrder = true
        hasPrimitives = false
        isDamaged = false
    }

    // MARK: - Rows to objects

    /// Adds a row of a table with these columns.
    mutating func take(_ row: ResultRow, _ columns: RowColumns) {
        let node = RowKey.node(row.value(0).int)
        let parent = row.value(1)
        var part = Part(
            object: -1, text: -1, member: -1, order: Int32(truncatingIfNeeded: row.value(2).int), node: node,
            isPrimitive: columns.isPrimitive, parent: parent.type == .null ? -1 : parent.int, columns: .passUnretained(columns))
        // `_member` sorts before every other column.
        if columns.hasMember, let member = row.text(RowColumns.fixedColumns) {
            part.member = Int32(truncatingIfNeeded: members.count)
            members.append(member)
        }
        let groupCount = columns.groups.count
        while groups.count < groupCount { groups.append(nil) }
        if columns.isPrimitive { hasPrimitives = true } else { _ = group(0, columns, node) }
        readColumns(columns, row: row, part: &part, node: node)
        if groups[0] != nil { part.object = Int32(truncatingIfNeeded: objects.count - 1) }
        for index in 0..<groupCount {
            guard let object = groups[index] else { continue }
            object._withUnsafeGuaranteedRef { columns.groups[index].note($0) }
            groups[index] = nil
        }
        if let last = parts.last, last.columns.toOpaque() == part.columns.toOpaque(), (part.parent, part.order) < (last.parent, last.order)
        {
            isInListOrder = false
        }
        note(node, Int32(truncatingIfNeeded: parts.count))
        parts.append(part)
    }

    /// Records the part with a row number. Row numbers are unique in a resource.
    private mutating func note(_ node: UInt32, _ index: Int32) {
        guard Int(node) < Self.nearNodes else {
            if farNodes.updateValue(index, forKey: node) != nil { isDamaged = true }
            return
        }
        while byNode.count <= Int(node) { byNode.append(-1) }
        if byNode[Int(node)] >= 0 { isDamaged = true }
        byNode[Int(node)] = index
    }

    /// Records the current positions of the parts.
    private mutating func noteAgain() {
        for (index, part) in parts.enumerated() {
            if Int(part.node) < Self.nearNodes {
                byNode[Int(part.node)] = Int32(truncatingIfNeeded: index)
            } else {
                farNodes[part.node] = Int32(truncatingIfNeeded: index)
            }
        }
    }

    @inline(__always)
    private mutating func readColumns(_ columns: RowColumns, row: ResultRow, part: inout Part, node: UInt32) {
        let sources = columns.sources
        var index = 0
        while index < sources.count {
            let source = sources[index]
            let column = index + RowColumns.fixedColumns
            // A second column is read with its value.
            index += source.hasAside ? 2 : 1
            let cell = row.value(column)
            if cell.type == .null { continue }
            switch source.role {
            case .aside, .member: continue
            case .pk:
                let pk = String(decoding: cell.textBytes, as: UTF8.self)
                group(Int(source.group), columns, node)._withUnsafeGuaranteedRef { $0.withExtras { $0.pk = pk } }
            case .main:
                let value = source.hasAside ? value(cell, beside: row.value(column + 1), source) : value(cell, beside: nil, source)
                if source.slot < 0 {
                    if let text = value.literal(source.primitive) {
                        part.text = Int32(truncatingIfNeeded: texts.count)
                        texts.append(text)
                    }
                } else {
                    group(Int(source.group), columns, node)._withUnsafeGuaranteedRef { $0.append(value, slot: Int(source.slot)) }
                }
            }
        }
    }

    /// The inlined object of a group in the current row, created with its first value.
    @inline(__always)
    private mutating func group(_ index: Int, _ columns: RowColumns, _ node: UInt32) -> Unmanaged<FHIRObject> {
        groups[index] ?? makeGroup(index, columns, node)
    }

    private mutating func makeGroup(_ index: Int, _ columns: RowColumns, _ node: UInt32) -> Unmanaged<FHIRObject> {
        let group = columns.groups[index]
        let made = Unmanaged.passRetained(group.type.init(_layoutTable: group.layoutTable))
        made._withUnsafeGuaranteedRef { $0.reserve(Int(group.expectedSlots)) }
        groups[index] = made
        guard index > 0 else {
            made._withUnsafeGuaranteedRef { $0.becomeStored(node: node, owner: nil) }
            objects.append(Held(object: made))
            return made
        }
        self.group(group.parent, columns, node)._withUnsafeGuaranteedRef { parent in
            made._withUnsafeGuaranteedRef { $0.becomeStored(node: 0, owner: parent) }
            if group.isAnnotation {
                let annotated = AnnotatedPrimitive(value: parent.value(group.parentSlot), element: made.takeRetainedValue())
                parent.store(.annotated(annotated), in: group.parentSlot)
            } else {
                parent.append(.object(made.takeRetainedValue()), slot: group.parentSlot)
            }
        }
        return made
    }

    @inline(__always)
    private mutating func value(_ cell: ResultValue, beside aside: ResultValue?, _ source: RowColumns.Source) -> SlotValue {
        let value: SlotValue?
        switch source.storage {
        case .boolean: value = ValueCodec.boolean(cell)
        case .integer: value = ValueCodec.integer(cell)
        case .text:
            if cell.type != .text { isDamaged = true }
            // No two resources of a type have the same id.
            if source.primitive == .id { return .text(String(decoding: cell.textBytes, as: UTF8.self)) }
            return .text(string(cell.textBytes))
        case .decimal: value = ValueCodec.decimal(cell, aside: aside)
        case .temporal: value = ValueCodec.temporal(cell, aside: aside, source.primitive)
        }
        if let value { return value }
        isDamaged = true
        return .word(0)
    }

    @inline(__always)
    private mutating func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard StringCache.keeps(bytes.count), let base = bytes.baseAddress else { return String(decoding: bytes, as: UTF8.self) }
        return strings.string(base, bytes.count)
    }

    // MARK: - Objects to a resource

    private func part(of node: Int64) -> Int? {
        if node < 0 || node > Int64(Flattener.maximumNode) { return nil }
        if node < Self.nearNodes { return node < byNode.count && byNode[Int(node)] >= 0 ? Int(byNode[Int(node)]) : nil }
        return farNodes[UInt32(truncatingIfNeeded: node)].map { Int($0) }
    }

    /// The maximum depth of rows that own each other: JSON's (`FHIRJSON.maximumDepth`), as a row is at least one level of it.
    static let maximumDepth = FHIRJSON.maximumDepth

    /// Whether a row's owners lead to the resource's own row within the maximum depth. Rows of recursive elements and of contained
    /// resources may name any row as their owner, so one that owns itself, directly or through others, would never end.
    private func leadsToResource(_ index: Int) -> Bool {
        var index = index
        for _ in 0..<Self.maximumDepth {
            let parent = parts[index].parent
            if parent < 0 { return parts[index].node == 0 }
            guard let owner = part(of: parent) else { return false }
            index = owner
        }
        return false
    }

    /// Links the added rows and returns the resource; nil if its own row is missing, or rows are not as this library writes them.
    /// Discards everything.
    mutating func assemble() -> FHIRObject? {
        hasStrays = false
        if !isInListOrder { sortParts() }
        // Lists of primitives come last: extensions of their positions are linked before.
        linkRuns(ofPrimitives: false)
        if hasPrimitives { linkRuns(ofPrimitives: true) }
        var resource: FHIRObject?
        if !isDamaged, let own = part(of: 0), parts[own].parent < 0 { resource = object(of: own)?.takeUnretainedValue() }
        clear()
        return resource
    }

    /// The object of a part.
    @inline(__always)
    private func object(of part: Int) -> Unmanaged<FHIRObject>? {
        let index = Int(parts[part].object)
        return index < 0 ? nil : objects[index].object
    }

    /// Sorts the rows by list and position, an order that edits and recursion may have changed.
    private mutating func sortParts() {
        func key(_ part: Part) -> (Int, Int, Int64, String, Int32) {
            let table = part.columns.takeUnretainedValue().plan
            return (table.depth, table.index, part.parent, part.member < 0 ? "" : members[Int(part.member)], part.order)
        }
        parts.sort { key($0) < key($1) }
        noteAgain()
    }

    private mutating func linkRuns(ofPrimitives: Bool) {
        var index = 0
        while index < parts.count {
            let first = parts[index]
            let start = index
            index += 1
            while index < parts.count, isSameList(parts[index], first) { index += 1 }
            if first.parent >= 0 {
                if first.isPrimitive == ofPrimitives { linkRun(start..<index) }
            } else if first.node != 0 || index - start > 1 {
                hasStrays = true
            }
        }
    }

    private func isSameList(_ part: Part, _ other: Part) -> Bool {
        guard part.parent == other.parent, part.columns.toOpaque() == other.columns.toOpaque() else { return false }
        if part.member < 0 || other.member < 0 { return part.member == other.member }
        return members[Int(part.member)] == members[Int(other.member)]
    }

    /// Sets the rows of one list in their owner.
    private mutating func linkRun(_ range: Range<Int>) {
        let first = parts[range.lowerBound]
        guard let ownerIndex = part(of: first.parent) else {
            hasStrays = true
            return
        }
        guard isOwned(first.columns, ownerIndex) || leadsToResource(ownerIndex) else {
            isDamaged = true
            return
        }
        if first.member >= 0 { return linkMember(range, members[Int(first.member)], to: ownerIndex) }
        guard let (slot, group) = first.columns._withUnsafeGuaranteedRef({ place(of: $0, in: ownerIndex) }) else {
            hasStrays = true
            return
        }
        let owner = owner(ownerIndex, group)
        owner._withUnsafeGuaranteedRef { owner in
            if first.isPrimitive { linkTexts(range, slot, to: owner) } else { linkObjects(range, slot, to: owner) }
            parts[ownerIndex].columns._withUnsafeGuaranteedRef { if group < $0.groups.count { $0.groups[group].note(owner) } }
        }
    }

    /// Whether rows of a table belong to the table above it, which rules out cycles.
    @inline(__always)
    private func isOwned(_ columns: Unmanaged<RowColumns>, _ owner: Int) -> Bool {
        columns._withUnsafeGuaranteedRef { columns in
            parts[owner].columns._withUnsafeGuaranteedRef { $0.table.toOpaque() == columns.owner }
        }
    }

    /// The list, and the inlined object of a row, that the rows of a table belong to.
    @inline(__always)
    private func place(of columns: RowColumns, in owner: Int) -> (slot: Int, group: Int)? {
        parts[owner].columns._withUnsafeGuaranteedRef { ownerColumns in
            if ownerColumns.table.toOpaque() == columns.owner { return (columns.ownerSlot, columns.ownerGroup) }
            return columns.plan.link(from: ownerColumns.plan).map { ($0.slot, $0.group.index) }
        }
    }

    @inline(__always)
    private mutating func linkObjects(_ range: Range<Int>, _ slot: Int, to owner: FHIRObject) {
        guard owner.position(of: slot) == nil else {
            isDamaged = true
            return
        }
        let list = [FHIRObject](unsafeUninitializedCapacity: range.count) { list, count in
            for index in range {
                let held = Int(parts[index].object)
                if held < 0 { continue }
                let object = objects[held].object
                objects[held].isLinked = true
                object._withUnsafeGuaranteedRef { $0.becomeOwned(by: owner) }
                (list.baseAddress.unsafelyUnwrapped + count).initialize(to: object.takeRetainedValue())
                count += 1
            }
        }
        owner.put(.objects(list), slot: slot)
    }

    private func linkTexts(_ range: Range<Int>, _ slot: Int, to owner: FHIRObject) {
        if range.allSatisfy({ parts[$0].object < 0 && parts[$0].text >= 0 }) {
            let list = [String](unsafeUninitializedCapacity: range.count) { list, count in
                for index in range {
                    (list.baseAddress.unsafelyUnwrapped + count).initialize(to: texts[Int(parts[index].text)])
                    count += 1
                }
            }
            return owner.put(.texts(list), slot: slot)
        }
        let elements = range.map { object(of: $0)?.takeUnretainedValue() }
        for element in elements { element?.becomeOwned(by: owner) }
        let plain = range.map { index -> String? in parts[index].text >= 0 ? texts[Int(parts[index].text)] : nil }
        owner.store(AnnotatedList.value(texts: plain, elements: elements), in: slot)
    }

    /// Sets the rows that name the member they fill in their owner: contained resources, and lists that share a table.
    private mutating func linkMember(_ range: Range<Int>, _ member: String, to ownerIndex: Int) {
        guard var owner = object(of: ownerIndex)?.takeUnretainedValue() else { return }
        let steps = member.split(separator: ".").map(String.init)
        for step in steps.dropLast() {
            guard let element = owner.layout.element(named: step), let layout = element.layout else { return }
            owner = inlined(owner, element.slot, layout).takeUnretainedValue()
        }
        guard let last = steps.last, let element = owner.layout.element(named: last) else { return }
        if element.isList {
            // A list may contain resources of several types, which come from several tables.
            var list: [FHIRObject] = []
            if case .objects(let known)? = owner.value(element.slot) { list = known }
            for index in range {
                guard let object = object(of: index)?.takeUnretainedValue() else { continue }
                object.becomeOwned(by: owner)
                resourceOrders[ObjectIdentifier(object)] = parts[index].order
                list.append(object)
            }
            list.sort { resourceOrders[ObjectIdentifier($0), default: 0] < resourceOrders[ObjectIdentifier($1), default: 0] }
            owner.store(.objects(list), in: element.slot)
        } else if let object = object(of: range.lowerBound)?.takeUnretainedValue() {
            object.becomeOwned(by: owner)
            owner.store(.object(object), in: element.slot)
        }
    }

    /// The object in a slot of another, created if there is none.
    private func inlined(_ owner: FHIRObject, _ slot: Int, _ layout: Layout) -> Unmanaged<FHIRObject> {
        if let known = owner.object(in: slot) { return known }
        let object = layout.makeObject()
        object.becomeStored(node: 0, owner: owner)
        owner.store(.object(object), in: slot)
        return .passUnretained(object)
    }

    /// The object inlined in a row that a list belongs to, created if it has no other content.
    @inline(__always)
    private mutating func owner(_ index: Int, _ group: Int) -> Unmanaged<FHIRObject> {
        let columns = parts[index].columns
        return columns._withUnsafeGuaranteedRef { columns in
            known(index, group, columns) ?? owner(index, columns.plan.groups[group])
        }
    }

    /// The object inlined in a row, if it exists.
    private func known(_ index: Int, _ group: Int, _ columns: RowColumns) -> Unmanaged<FHIRObject>? {
        // Most lists belong to the row's own object.
        if group == 0 { return object(of: index) }
        guard group < columns.groups.count, !columns.groups[group].isAnnotation else { return nil }
        return known(index, columns.groups[group].parent, columns)?._withUnsafeGuaranteedRef {
            $0.object(in: columns.groups[group].parentSlot)
        }
    }

    private mutating func owner(_ index: Int, _ group: GroupPlan) -> Unmanaged<FHIRObject> {
        guard let parent = group.parent else {
            if let known = object(of: index) { return known }
            let element = group.layout.makeObject()
            element.becomeStored(node: parts[index].node, owner: nil)
            parts[index].object = Int32(truncatingIfNeeded: objects.count)
            objects.append(Held(object: .passRetained(element)))
            return .passUnretained(element)
        }
        return owner(index, parent)._withUnsafeGuaranteedRef { outer -> Unmanaged<FHIRObject> in
            if !group.isAnnotation { return inlined(outer, group.parentSlot, group.layout) }
            let plain = outer.value(group.parentSlot)
            if case .annotated(let known)? = plain { return .passUnretained(known.element) }
            let element = group.layout.makeObject()
            element.becomeStored(node: 0, owner: outer)
            outer.store(.annotated(AnnotatedPrimitive(value: plain, element: element)), in: group.parentSlot)
            return .passUnretained(element)
        }
    }
}

extension TemporalWord {
    /// Reads the UTC date and time that tables keep with a zone.
    static func readStored(_ bytes: UnsafeBufferPointer<UInt8>) -> TemporalWord? {
        if let word = readUsual(bytes) { return word }
        var scanner = TemporalScanner(bytes: bytes)
        guard scanner.readDate(), scanner.readLocalTime(), scanner.fractionDigits <= 3 else { return nil }
        return scanner.word
    }

    /// The same for `2015-02-07T11:28:17` and `2015-02-07T11:28:17.239`, which nearly all are; nil for others, and for a day that not every month has.
    @inline(__always)
    private static func readUsual(_ bytes: UnsafeBufferPointer<UInt8>) -> TemporalWord? {
        let hasFraction = bytes.count == 23
        guard hasFraction || bytes.count == 19 else { return nil }
        // Whether all that should be digits are, and all others what they should be.
        var isRight = bytes[4] == UInt8(ascii: "-") && bytes[7] == UInt8(ascii: "-") && bytes[10] == UInt8(ascii: "T")
        isRight = isRight && bytes[13] == UInt8(ascii: ":") && bytes[16] == UInt8(ascii: ":")
        func pair(_ index: Int) -> Int {
            let (tens, ones) = (bytes[index] &- 48, bytes[index + 1] &- 48)
            if tens > 9 || ones > 9 { isRight = false }
            return Int(tens) * 10 + Int(ones)
        }
        let (year, month, day) = (pair(0) * 100 + pair(2), pair(5), pair(8))
        let (hour, minute, second) = (pair(11), pair(14), pair(17))
        var fraction = 0
        if hasFraction {
            let last = bytes[22] &- 48
            if bytes[19] != UInt8(ascii: ".") || last > 9 { isRight = false }
            fraction = pair(20) * 10 + Int(last)
        }
        guard isRight, year > 0, month - 1 < 12, month > 0, day > 0, day <= 28, hour <= 23, minute <= 59, second <= 60 else { return nil }
        return TemporalWord(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, fractionDigits: hasFraction ? 3 : 0,
            fraction: fraction, zone: TemporalWord.zoneNone)
    }
}
