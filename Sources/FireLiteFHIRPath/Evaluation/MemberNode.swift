import FireLiteCore
import Foundation

/// The name of an element, or at the beginning of a path that of a type.
final class MemberNode: Node, @unchecked Sendable {
    let name: String
    /// Whether nothing stands before it, so that it can be the name of a type.
    let isFirst: Bool
    /// Its number in the expression, for the cache.
    let number: Int

    init(_ name: String, isFirst: Bool, number: Int, _ position: Int) {
        self.name = name
        self.isFirst = isFirst && name.utf8.first.map { $0 &- 65 < 26 } ?? false
        self.number = number
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        var result: [Item] = []
        for item in focus { append(item, evaluator, &result) }
        try evaluator.count(result.count, at: position)
        return result
    }

    @inline(__always)
    func append(_ item: Item, _ evaluator: Evaluator, _ result: inout [Item]) {
        if case .object(let object) = item {
            append(object, item: item, evaluator: evaluator, result: &result)
        } else {
            appendOther(item, evaluator, &result)
        }
    }

    @inline(__always)
    private func append(_ object: FHIRObject, item: Item, evaluator: Evaluator, result: inout [Item]) {
        let slots = evaluator.slots(self, of: object.layoutTable)
        if slots.count > 0 {
            for slot in object.slotRun {
                if slot.index < slots.first { continue }
                if slot.index >= slots.first + slots.count { return }
                slot.value.append(to: &result, object.layoutTable.pointee.entries[Int(slot.index)].primitive)
            }
        } else if slots.isType {
            result.append(item)
        }
    }

    /// The value in an object, if it has exactly one and that is plain: what most comparisons need, without an array for it.
    @inline(__always)
    func plainValue(of object: FHIRObject, _ evaluator: Evaluator) -> Item? {
        let slots = evaluator.slots(self, of: object.layoutTable)
        guard slots.count == 1, let position = object.position(of: Int(slots.first)) else { return nil }
        let slot = object.slotRun[position]
        let type = object.layoutTable.pointee.entries[Int(slots.first)].primitive
        switch slot.value {
        case .word(let word): return .word(word, type)
        case .text(let text): return .text(text, type)
        default: return nil
        }
    }

    @inline(never)
    private func appendOther(_ item: Item, _ evaluator: Evaluator, _ result: inout [Item]) {
        switch item {
        case .annotated(let primitive, _):
            if name == "value", let value = item.system { return result.append(value) }
            append(primitive.element, item: .object(primitive.element), evaluator: evaluator, result: &result)
        case .word, .text: if name == "value", let value = item.system { result.append(value) }
        case .quantity(let quantity):
            switch name {
            case "value": result.append(.decimal(quantity.value))
            case "code": result.append(.string(quantity.unit.code))
            case "unit":
                if case .calendar(let unit) = quantity.unit {
                    result.append(.string(unit.rawValue))
                } else {
                    result.append(.string(quantity.unit.code))
                }
            default: return
            }
        case .type(let type):
            if name == "name" { result.append(.string(type.name)) }
            if name == "namespace" { result.append(.string(type.namespace ?? "")) }
        default: return
        }
    }
}

/// Where the values of a member are in the objects of one class.
struct CachedSlots {
    var table: UnsafePointer<LayoutTable>?
    /// Whether the member is not an element but the name of the class.
    var isType = false
    var first: UInt16 = 0
    var count: UInt16 = 0
}

extension Layout {
    /// The slots of an element by its name in FHIRPath: of a choice element, `value`, those of all its types.
    package func slots(ofMember name: String, allowsChoiceNames: Bool) -> Range<Int>? {
        if let element = element(named: name), element.choice == nil || allowsChoiceNames { return element.slot..<element.slot + 1 }
        let choice = name + "[x]"
        return elements.first { $0.choice?.name == choice }?.choice?.slots
    }
}
