/// The root of every generated class: an object that holds FHIR elements in packed slots.
///
/// Only set elements take memory. Objects are not thread-safe; pass a `copy()` or the keys to another thread.
open class FHIRObject: FHIRObjectInitializers {
    // Exclusive access is not checked for these: no closure is called during an access, and checks cost a tenth of a bulk write.

    /// The class's slots; points to memory that is never freed.
    package final let layoutTable: UnsafePointer<LayoutTable>
    /// The values that are set, in the order of their slot numbers.
    @exclusivity(unchecked) package final var slots: UnsafeMutablePointer<ElementSlot>?
    @exclusivity(unchecked) package final var slotCount: UInt8 = 0
    @exclusivity(unchecked) package final var slotCapacity: UInt8 = 0
    @exclusivity(unchecked) package final var objectFlags: ObjectFlags = []
    /// The number of its row in the stored resource; 0 for the resource itself and for elements without a row of their own.
    @exclusivity(unchecked) package final var rowNode: UInt32 = 0
    /// The object that this one is a value of, not retained. Cleared when that object is released, so it never dangles.
    @exclusivity(unchecked) final var ownerReference: Unmanaged<FHIRObject>?
    /// State that few objects need: a pk, the tie to a store.
    @exclusivity(unchecked) package final var objectExtras: _ObjectExtras?

    /// The elements of the class; overridden by generated code.
    open class var _layout: Layout {
        misuse("\(self) is not a generated class: create instances of the classes in FireLiteR4 or another release's module")
    }

    /// Creates an object with no element set.
    public required init() {
        layoutTable = Self._layout.table
    }

    /// Creates an object with no element set, without asking the class for its layout. Not for use outside the library.
    ///
    /// - Precondition: the memory is the class's own `LayoutTable`, a type that only this package sees.
    public required init(_layoutTable: UnsafeRawPointer) {
        layoutTable = _layoutTable.assumingMemoryBound(to: LayoutTable.self)
    }

    deinit {
        guard let slots else { return }
        if objectFlags.contains(.managed), let tie = objectExtras, tie.isTie { pinSurvivors(tie, isHeld: false) }
        for place in slots..<slots + Int(slotCount) {
            // Words need no release and most texts are short: only objects need their owner cleared.
            switch place.pointee.value {
            case .word: continue
            case .text: break
            case .object:
                let child = place.object
                child._withUnsafeGuaranteedRef { $0.clearOwner(self) }
                child.release()
                continue
            case .objects:
                let list = UnsafeMutableRawPointer(place).assumingMemoryBound(to: [Unmanaged<FHIRObject>].self).move()
                for child in list { child._withUnsafeGuaranteedRef { $0.clearOwner(self) } }
                continue
            case .texts, .annotated, .annotatedTexts: place.pointee.value.forEachChild { $0.clearOwner(self) }
            }
            place.deinitialize(count: 1)
        }
        slots.freeSlotMemory()
    }

    /// The object that this one is a value of.
    package final var ownerObject: FHIRObject? {
        get { ownerReference?.takeUnretainedValue() }
        set { ownerReference = newValue.map { .passUnretained($0) } }
    }

    /// The elements of the object's class.
    public final var layout: Layout { layoutTable.pointee.layout._withUnsafeGuaranteedRef { $0 } }

    /// Whether no element is set.
    public final var isEmpty: Bool { slotCount == 0 }
}

/// The base of every release's resource types: a FHIR object with a logical id.
open class FHIRResource: FHIRObject {
    /// `Resource.id`: the logical id, `id` 0..1.
    ///
    /// In FHIR an id has 1 to 64 letters, digits, hyphens and dots. Other text is also stored and found unchanged, by its bytes;
    /// `validate()` reports it. An id is unique only together with the type.
    public final var id: String? {
        get { _string(0) }
        set { _setString(0, newValue) }
    }

    /// FHIR's name of the resource type: `Patient`.
    public final var resourceType: String { layout.name }
}

/// Marks of an object, as bits.
package struct ObjectFlags: OptionSet {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Belongs to a store, which tracks its changes.
    package static let managed = ObjectFlags(rawValue: 1)
    /// Seen in the list that is being replaced.
    package static let listed = ObjectFlags(rawValue: 2)
    /// Its row has changed in the current write.
    package static let changed = ObjectFlags(rawValue: 4)
    /// Was deleted from its store in the current write, whose failure would bring the object back.
    package static let deleted = ObjectFlags(rawValue: 8)
    /// Belonged to a managed resource that is no longer in memory.
    package static let stranded = ObjectFlags(rawValue: 16)
    /// Finds the slot behind a key path: reading an unset element records its slot (see `ElementProbe`).
    package static let probe = ObjectFlags(rawValue: 32)
}

/// The state that most objects do not need. A store gives its resources a subclass of it, the tie to the store.
///
/// Open and so public, as Swift does not allow a package class to have a subclass in another module of the package.
open class _ObjectExtras {
    package final var pk: String?

    /// None.
    public init() {}

    /// Whether this is a tie to a store.
    open var isTie: Bool { false }

    /// Called before a slot of `object` changes; the tie is that of the object's resource.
    open func willChange(_ object: FHIRObject) {}

    /// Called when an element has been removed from the resource.
    open func didRemove(_ object: FHIRObject) {}

    /// Whether an element that is added to the resource was removed from it in the same write, and so keeps its row.
    open func keepsRow(of object: FHIRObject) -> Bool { false }

    /// The pk of an object of the resource that has none of its own; nil if it has no row yet from which to derive it.
    open func derivedPK(of object: FHIRObject) -> String? { nil }
}
