import FireLiteCore

/// What is plain about an expression from the elements that an object has, without evaluating it.
///
/// Most constraints are about elements that most objects lack: `dataAbsentReason.empty() or value.empty()`. It says only what an evaluation would, its operands
/// in the same order, and otherwise that nothing is plain.
indirect enum PlainTruth: Sendable {
    /// The values in slots that follow one another.
    case member(first: UInt16, count: UInt16)
    /// What is empty if a collection is.
    case path(PlainTruth)
    case constant(Bool)
    case isEmpty(PlainTruth)
    case exists(PlainTruth)
    /// `exists(criterion)`
    case hasSome(PlainTruth)
    case hasValue(PlainTruth)
    /// Whether the text in a slot begins with another.
    case startsWith(slot: UInt16, String)
    case not(PlainTruth)
    case and(PlainTruth, PlainTruth)
    case or(PlainTruth, PlainTruth)
    case implies(PlainTruth, PlainTruth)
    /// Whether two truth values are the same, or are not.
    case areSame(PlainTruth, PlainTruth, Bool)
    case unknown

    /// What is known of a result.
    enum Fact {
        case unknown, empty, some, yes, no
    }

    /// The plain truth of an expression over objects of a layout, and of those that derive from it; nil if none of it is ever plain.
    init?(_ syntax: Syntax, on layout: Layout, _ options: FHIRPathOptions) {
        switch syntax.form {
        case .boolean(let value): self = .constant(value)
        case .member(let name):
            // A name with a capital may be that of a type; elements that are not there may be those of a derived type.
            guard name.utf8.first.map({ $0 &- 65 >= 26 }) ?? false,
                let slots = layout.slots(ofMember: name, allowsChoiceNames: options.allowsChoiceNames), !slots.isEmpty
            else { return nil }
            self = .member(first: UInt16(slots.lowerBound), count: UInt16(slots.count))
        case .invocation(let left, let right):
            guard let left = PlainTruth(left, on: layout, options) else { return nil }
            switch right.form {
            case .member: self = .path(left)
            case .function(let name, let arguments): self.init(name, arguments, of: left, layout)
            default: return nil
            }
        case .binary(let operation, let left, let right): self.init(operation, left, right, layout, options)
        default: return nil
        }
    }

    private init?(_ name: String, _ arguments: [Syntax], of left: PlainTruth, _ layout: Layout) {
        switch (name, arguments.count) {
        case ("empty", 0): self = .isEmpty(left)
        case ("exists", 0): self = .exists(left)
        case ("exists", 1): self = .hasSome(left)
        case ("hasValue", 0): self = .hasValue(left)
        case ("not", 0): self = .not(left)
        case ("where", 1), ("select", 1), ("first", 0), ("last", 0), ("tail", 0), ("children", 0), ("descendants", 0), ("resolve", 0):
            self = .path(left)
        case ("trace", 1...2):
            guard case .string = arguments[0].form else { return nil }
            self = .path(left)
        case ("startsWith", 1):
            guard case .member(let slot, 1) = left, case .string(let text) = arguments[0].form,
                layout.table.pointee.entries[Int(slot)].primitive.storage == .text, layout.elements[Int(slot)].kind == .primitive
            else { return nil }
            self = .startsWith(slot: slot, text)
        default: return nil
        }
    }

    private init?(_ operation: PathOperator, _ left: Syntax, _ right: Syntax, _ layout: Layout, _ options: FHIRPathOptions) {
        // The first operand decides whether the second is evaluated.
        guard let first = PlainTruth(left, on: layout, options) else { return nil }
        let second = PlainTruth(right, on: layout, options) ?? .unknown
        switch operation {
        case .and: self = .and(first, second)
        case .or: self = .or(first, second)
        case .implies: self = .implies(first, second)
        case .equal: self = .areSame(first, second, true)
        case .notEqual: self = .areSame(first, second, false)
        default: return nil
        }
    }

    // MARK: - Objects

    /// What is plain of the expression for an object.
    func fact(of object: FHIRObject) -> Fact {
        switch self {
        case .unknown: return .unknown
        case .constant(let value): return value ? .yes : .no
        case .member(let first, let count): return Self.member(first, count, object)
        case .path(let start): return start.fact(of: object) == .empty ? .empty : .unknown
        case .isEmpty(let items):
            switch items.fact(of: object) {
            case .unknown: return .unknown
            case .empty: return .yes
            case .some, .yes, .no: return .no
            }
        case .exists(let items):
            switch items.fact(of: object) {
            case .unknown: return .unknown
            case .empty: return .no
            case .some, .yes, .no: return .yes
            }
        case .hasSome(let items): return items.fact(of: object) == .empty ? .no : .unknown
        case .hasValue(let items): return items.fact(of: object) == .empty ? .no : .unknown
        case .startsWith(let slot, let text):
            guard let position = object.position(of: Int(slot)) else { return .empty }
            guard case .text(let value) = object.slotRun[position].value else { return .unknown }
            return value.utf8.starts(with: text.utf8) ? .yes : .no
        case .not(let operand):
            switch operand.fact(of: object) {
            case .yes: return .no
            case .no: return .yes
            case .empty: return .empty
            case .some, .unknown: return .unknown
            }
        case .and(let left, let right): return Self.combined(left, right, object, decidedBy: .no)
        case .or(let left, let right): return Self.combined(left, right, object, decidedBy: .yes)
        case .implies(let left, let right): return Self.implied(left, right, object)
        case .areSame(let left, let right, let wanted):
            let (one, two) = (left.fact(of: object), right.fact(of: object))
            guard one == .yes || one == .no, two == .yes || two == .no else { return .unknown }
            return (one == two) == wanted ? .yes : .no
        }
    }

    private static func member(_ first: UInt16, _ count: UInt16, _ object: FHIRObject) -> Fact {
        let run = object.slotRun
        guard let base = run.baseAddress else { return .empty }
        for place in run.indices {
            let slot = base + place
            if slot.pointee.index < first { continue }
            if slot.pointee.index >= first + count { return .empty }
            switch slot.pointee.value {
            case .word, .text, .object, .annotated: return .some
            case .objects: if !slot.objects.isEmpty { return .some }
            case .texts: if !slot.texts.isEmpty { return .some }
            case .annotatedTexts: return .unknown
            }
        }
        return .empty
    }

    /// `and`, which a false operand decides, or `or`, which a true one does (FHIRPath 2.0, Boolean logic).
    private static func combined(_ left: PlainTruth, _ right: PlainTruth, _ object: FHIRObject, decidedBy decisive: Fact) -> Fact {
        let first = left.fact(of: object)
        if first == decisive { return decisive }
        if first == .unknown || first == .some { return .unknown }
        let second = right.fact(of: object)
        if second == decisive { return decisive }
        if second == .unknown || second == .some { return .unknown }
        return first == .empty || second == .empty ? .empty : second
    }

    private static func implied(_ left: PlainTruth, _ right: PlainTruth, _ object: FHIRObject) -> Fact {
        let first = left.fact(of: object)
        if first == .no { return .yes }
        if first == .unknown || first == .some { return .unknown }
        let second = right.fact(of: object)
        if second == .yes { return .yes }
        if second == .unknown || second == .some { return .unknown }
        return first == .empty ? .empty : second
    }
}
