import FireLiteCore
import SQLiteBridge

/// Puts a resource together from the rows of its tables.
struct ResourceAssembler {
    /// A row that has been read: its object and its place.
    private struct Part {
        /// Nil for a place of a list of primitives.
        var object: FHIRObject?
        /// The value of a place of a list of primitives; nil for null.
        var text: String?
        let table: TablePlan
        let node: UInt32
        let parent: Int64
        let order: Int32
        let member: String?
    }

    private let schema: StorageSchema
    private var parts = ContiguousArray<Part>()
    /// The part of each row number, or -1.
    private var byNode = ContiguousArray<Int32>()
    private var farNodes: [UInt32: Int32] = [:]
    /// The inlined objects of the row being read.
    private var groups = ContiguousArray<FHIRObject?>()
    private var strings = StringCache(isEnabled: true)
    /// Whether the rows came list by list, each in its order.
    private var isInListOrder = true
    private static let nearNodes = 1 << 16

    init(schema: StorageSchema) { self.schema = schema }

    mutating func clear() {
        parts.removeAll(keepingCapacity: true)
        byNode.removeAll(keepingCapacity: true)
        farNodes.removeAll(keepingCapacity: true)
        resourceOrders.removeAll(keepingCapacity: true)
        isInListOrder = true
    }

    // MARK: - Rows to objects

    /// Takes in the row that `reader` stands on.
    mutating func take(_ reader: RowReader) {
        let statement = reader.statement
        let plan = reader.plan
        let node = UInt32(truncatingIfNeeded: statement.int(0) & 0xFF_FFFF)
        var part = Part(
            object: nil, text: nil, table: plan, node: node, parent: statement.type(1) == .null ? -1 : statement.int(1),
            order: Int32(truncatingIfNeeded: statement.int(2)), member: plan.memberColumn >= 0 ? member(reader) : nil)
        while groups.count < plan.groups.count { groups.append(nil) }
        if plan.primitive == nil {
            let object = plan.root.layout.type.init()
            object.becomeStored(node: node, owner: nil)
            groups[0] = object
        }
        readColumns(reader, &part, node)
        part.object = groups[0]
        for index in 0..<plan.groups.count { groups[index] = nil }
        if let last = parts.last, last.table === plan, (part.parent, part.order) < (last.parent, last.order) { isInListOrder = false }
        let index = Int32(truncatingIfNeeded: parts.count)
        if Int(node) < Self.nearNodes {
            while byNode.count <= Int(node) { byNode.append(-1) }
            byNode[Int(node)] = index
        } else {
            farNodes[node] = index
        }
        parts.append(part)
    }

    private func member(_ reader: RowReader) -> String? {
        // `_member` sorts before every other column.
        reader.statement.text(RowReader.fixedColumns)
    }

    @inline(__always)
    private mutating func readColumns(_ reader: RowReader, _ part: inout Part, _ node: UInt32) {
        let statement = reader.statement
        var index = 0
        let count = reader.sources.count
        while index < count {
            let source = reader.sources[index]
            let column = index + RowReader.fixedColumns
            index += 1
            let type = statement.type(column)
            if type == .null { continue }
            switch source.role {
            case .aside, .member: continue
            case .pk:
                let pk = statement.text(column)
                object(Int(source.group), reader.plan, node).withExtras { $0.pk = pk }
            case .main:
                let value = value(statement, column, type, source)
                if source.slot < 0 {
                    part.text = value.literal(source.primitive)
                } else {
                    object(Int(source.group), reader.plan, node).append(value, slot: Int(source.slot))
                }
            }
        }
    }

    /// The inlined object of a group in the current row, made when its first value comes.
    private mutating func object(_ group: Int, _ plan: TablePlan, _ node: UInt32) -> FHIRObject {
        if let known = groups[group] { return known }
        let groupPlan = plan.groups[group]
        let object = groupPlan.layout.type.init()
        object.becomeStored(node: group == 0 ? node : 0, owner: nil)
        groups[group] = object
        if group > 0 {
            attach(object, groupPlan, plan, node)
        }
        return object
    }

    private mutating func attach(_ object: FHIRObject, _ group: GroupPlan, _ plan: TablePlan, _ node: UInt32) {
        let parent = self.object(group.parent?.index ?? 0, plan, node)
        object.ownerObject = parent
        if group.isAnnotation {
            let plain = parent.value(group.parentSlot)
            parent.store(.annotated(AnnotatedPrimitive(value: plain, element: object)), in: group.parentSlot)
        } else {
            parent.append(.object(object), slot: group.parentSlot)
        }
    }

    @inline(__always)
    private mutating func value(_ statement: Statement, _ column: Int, _ type: ColumnType, _ source: RowReader.Source) -> SlotValue {
        switch source.storage {
        case .boolean, .integer: return .word(statement.int(column))
        case .text: return .text(string(statement.textBytes(column)))
        case .decimal:
            if source.hasAside, statement.type(column + 1) == .text {
                let literal = statement.textBytes(column + 1)
                return DecimalWord(literal).map { .word($0.raw) } ?? .text(String(decoding: literal, as: UTF8.self))
            }
            return DecimalWord(shortest: statement.double(column)).map { .word($0.raw) } ?? .text("\(statement.double(column))")
        case .temporal: return temporal(statement, column, source)
        }
    }

    @inline(__always)
    private mutating func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard StringCache.lengths.contains(bytes.count), let base = bytes.baseAddress else { return String(decoding: bytes, as: UTF8.self) }
        return strings.string(base, bytes.count)
    }

    private func temporal(_ statement: Statement, _ column: Int, _ source: RowReader.Source) -> SlotValue {
        var zone = TemporalCell.Zone.none
        if source.hasAside {
            switch statement.type(column + 1) {
            case .integer: zone = .minutes(Int(clamping: statement.int(column + 1)))
            case .text: zone = .text(statement.textBytes(column + 1).first == UInt8(ascii: "-") ? "-00:00" : "+00:00")
            default: break
            }
        }
        let bytes = statement.textBytes(column)
        let stored = TemporalWord.readStored(bytes, source.primitive)
        if let stored, let word = TemporalCell.join(stored, zone) { return .word(word.raw) }
        let text = String(decoding: bytes, as: UTF8.self)
        if zone != .none, let literal = TemporalCell.join(text: text, zone) { return .text(literal) }
        return .text(text)
    }

    // MARK: - Objects to a resource

    private func part(of node: Int64) -> Int? {
        if node < 0 { return nil }
        if node < Self.nearNodes { return node < byNode.count && byNode[Int(node)] >= 0 ? Int(byNode[Int(node)]) : nil }
        return farNodes[UInt32(truncatingIfNeeded: node)].map { Int($0) }
    }

    /// Links what was taken in and returns the resource; nil where its own row is missing.
    mutating func assemble() -> FHIRObject? {
        if !isInListOrder { sortParts() }
        // Lists of primitives come last: what is linked before may give their places extensions.
        linkRuns(ofPrimitives: false)
        linkRuns(ofPrimitives: true)
        return part(of: 0).flatMap { parts[$0].object }
    }

    /// Brings the rows of each list together and into its order, which edits and recursion may have left otherwise.
    private mutating func sortParts() {
        parts.sort {
            ($0.table.depth, $0.table.index, $0.parent, $0.member ?? "", $0.order)
                < ($1.table.depth, $1.table.index, $1.parent, $1.member ?? "", $1.order)
        }
        for (index, part) in parts.enumerated() {
            if Int(part.node) < Self.nearNodes { byNode[Int(part.node)] = Int32(index) } else { farNodes[part.node] = Int32(index) }
        }
    }

    private mutating func linkRuns(ofPrimitives: Bool) {
        var index = 0
        while index < parts.count {
            let first = index
            let (table, parent) = (parts[first].table, parts[first].parent)
            index += 1
            while index < parts.count, parts[index].table === table, parts[index].parent == parent, parts[index].member == parts[first].member {
                index += 1
            }
            if parent >= 0, (table.primitive != nil) == ofPrimitives { linkRun(first..<index) }
        }
    }

    /// Gives an owner the rows that are one list of it.
    private mutating func linkRun(_ range: Range<Int>) {
        let first = parts[range.lowerBound]
        guard let ownerIndex = part(of: first.parent) else { return }
        if let member = first.member {
            linkMember(range, member, to: ownerIndex)
        } else if let (group, slot) = first.table.link(from: parts[ownerIndex].table), let owner = owner(ownerIndex, group) {
            if first.table.primitive != nil {
                linkTexts(range, slot, to: owner)
            } else {
                linkObjects(range.compactMap { parts[$0].object }, slot, to: owner)
            }
        }
    }

    private func linkObjects(_ objects: [FHIRObject], _ slot: Int, to owner: FHIRObject) {
        for object in objects { object.ownerObject = owner }
        owner.store(.objects(objects), in: slot)
    }

    private func linkTexts(_ range: Range<Int>, _ slot: Int, to owner: FHIRObject) {
        var texts: [String?] = []
        var elements: [FHIRObject?] = []
        for index in range {
            texts.append(parts[index].text)
            elements.append(parts[index].object)
            parts[index].object?.ownerObject = owner
        }
        owner.store(AnnotatedList.value(texts: texts, elements: elements), in: slot)
    }

    private mutating func linkMember(_ range: Range<Int>, _ member: String, to ownerIndex: Int) {
        guard var owner = parts[ownerIndex].object else { return }
        let steps = member.split(separator: ".").map(String.init)
        for step in steps.dropLast() {
            guard let element = owner.layout.element(named: step), let type = element.type else { return }
            owner = inlined(owner, element.slot, type)
        }
        guard let last = steps.last, let element = owner.layout.element(named: last) else { return }
        if element.isList {
            // A list may hold resources of several types, which come from several tables.
            var list: [FHIRObject] = []
            if case .objects(let known)? = owner.value(element.slot) { list = known }
            let fresh = range.compactMap { index in parts[index].object.map { ($0, parts[index].order) } }
            for (object, order) in fresh {
                object.ownerObject = owner
                resourceOrders[ObjectIdentifier(object)] = order
            }
            list += fresh.map(\.0)
            list.sort { resourceOrders[ObjectIdentifier($0), default: 0] < resourceOrders[ObjectIdentifier($1), default: 0] }
            owner.store(.objects(list), in: element.slot)
        } else if let object = parts[range.lowerBound].object {
            object.ownerObject = owner
            owner.store(.object(object), in: element.slot)
        }
    }

    private var resourceOrders: [ObjectIdentifier: Int32] = [:]

    private func inlined(_ owner: FHIRObject, _ slot: Int, _ type: FHIRObject.Type) -> FHIRObject {
        if case .object(let known)? = owner.value(slot) { return known }
        let object = type.init()
        object.objectFlags = .managed
        object.ownerObject = owner
        owner.store(.object(object), in: slot)
        return object
    }

    /// The object inlined in a row that a list belongs to, made where it had no other content.
    private mutating func owner(_ index: Int, _ group: GroupPlan) -> FHIRObject? {
        guard let parent = group.parent else {
            if parts[index].object == nil {
                let element = group.layout.type.init()
                element.objectFlags = .managed
                parts[index].object = element
            }
            return parts[index].object
        }
        guard let outer = owner(index, parent) else { return nil }
        switch outer.value(group.parentSlot) {
        case .object(let known)? where !group.isAnnotation: return known
        case .annotated(let known)? where group.isAnnotation: return known.element
        case let plain:
            let object = group.layout.type.init()
            object.objectFlags = .managed
            object.ownerObject = outer
            let value: SlotValue = group.isAnnotation ? .annotated(AnnotatedPrimitive(value: plain, element: object)) : .object(object)
            outer.store(value, in: group.parentSlot)
            return object
        }
    }
}

extension TemporalWord {
    /// Reads a date or time as tables keep it: a `date` or `time` literal, or a date and time without a zone.
    static func readStored(_ bytes: UnsafeBufferPointer<UInt8>, _ type: PrimitiveType) -> TemporalWord? {
        var scanner = TemporalScanner(bytes: bytes)
        if type == .time { return scanner.readTime() && scanner.isAtEnd && scanner.fractionDigits <= 3 ? scanner.word : nil }
        guard scanner.readDate() else { return nil }
        if scanner.isAtEnd { return scanner.word }
        guard scanner.readLocalTime(), scanner.fractionDigits <= 3 else { return nil }
        return scanner.word
    }
}
