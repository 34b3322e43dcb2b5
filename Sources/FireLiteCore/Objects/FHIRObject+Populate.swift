extension FHIRObject {
    /// Replaces the content with that of another object of the same class.
    ///
    /// Primitives are assigned, and nil overwrites. An element in both objects is changed in place and keeps its pk; an element only in
    /// `source` is copied with a new pk; an element only in this object is removed. Lists match by position, and get the source's order and
    /// length. The objects share nothing. Equal elements are not changed.
    ///
    /// - Throws: `FHIRObjectError.differentClass` if the classes differ, without changing anything.
    public final func populate(from source: FHIRObject) throws {
        guard layoutTable == source.layoutTable else {
            throw FHIRObjectError.differentClass(of: layout.name, source: source.layout.name)
        }
        assign(from: undisturbed(source))
    }

    /// The object, or a copy if both are parts of one object, so that changing this one does not change the source.
    final func undisturbed<Object: FHIRObject>(_ source: Object) -> Object {
        source !== self && source.rootObject === rootObject ? source.copy() : source
    }

    /// `populate(from:)` for objects known to have the same class.
    package final func assign(from source: FHIRObject) {
        guard source !== self else { return }
        for position in stride(from: Int(slotCount) - 1, through: 0, by: -1) {
            let slot = Int(slots.unsafelyUnwrapped[position].index)
            if source.position(of: slot) == nil { remove(slot) }
        }
        source.forEachSlot { assign($0.value, to: Int($0.index)) }
    }

    private final func remove(_ slot: Int) {
        willChange()
        value(slot)?.forEachChild { disown($0) }
        store(nil, in: slot)
    }

    private final func assign(_ new: SlotValue, to slot: Int) {
        guard let old = value(slot) else {
            willChange()
            let copy = new.copied(for: self)
            if objectFlags.contains(.managed) { copy.forEachChild { $0.becomeManaged() } }
            store(copy, in: slot)
            return
        }
        switch (old, new) {
        case (.object(let mine), .object(let theirs)) where mine.layoutTable == theirs.layoutTable:
            mine.assign(from: theirs)
        case (.objects(let mine), .objects(let theirs)):
            assign(theirs, to: slot, over: mine)
        case (.annotated(let mine), .annotated(let theirs)):
            mine.element.assign(from: theirs.element)
            let isSame =
                switch (mine.value, theirs.value) {
                case (nil, nil): true
                case (let first?, let second?): first.hasSameContent(as: second)
                default: false
                }
            if !isSame {
                willChange()
                store(.annotated(AnnotatedPrimitive(value: theirs.value, element: mine.element)), in: slot)
            }
        default:
            guard !old.hasSameContent(as: new) else { return }
            willChange()
            old.forEachChild { disown($0) }
            let copy = new.copied(for: self)
            if objectFlags.contains(.managed) { copy.forEachChild { $0.becomeManaged() } }
            store(copy, in: slot)
        }
    }

    private final func assign(_ theirs: [FHIRObject], to slot: Int, over mine: [FHIRObject]) {
        if mine.count == theirs.count, zip(mine, theirs).allSatisfy({ $0.layoutTable == $1.layoutTable }) {
            for index in mine.indices { mine[index].assign(from: theirs[index]) }
            return
        }
        var list: [FHIRObject] = []
        list.reserveCapacity(theirs.count)
        for (index, object) in theirs.enumerated() {
            if index < mine.count, mine[index].layoutTable == object.layoutTable {
                mine[index].assign(from: object)
                list.append(mine[index])
            } else {
                list.append(object.copyObject())
            }
        }
        setChildren(slot, list)
    }
}

/// Misuse of objects that can be detected only at run time.
public struct FHIRObjectError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An object is to be populated from one of another class.
        public static let differentClass = Code(rawValue: "differentClass")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it, without values.
    public let message: String

    static func differentClass(of target: String, source: String) -> FHIRObjectError {
        FHIRObjectError(
            code: .differentClass, message: "a \(target) cannot be populated from a \(source): pass an object of the same class")
    }
}
