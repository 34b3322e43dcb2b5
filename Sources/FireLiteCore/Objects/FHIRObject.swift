/// The root of every generated class: an object that holds FHIR elements in packed slots.
///
/// Only elements that are set take memory. Objects are not thread-safe; hand another thread a `copy()` or the keys.
open class FHIRObject: FHIRObjectInitialisers {
    // Exclusive access is not checked for these: no closure is ever called in the middle of an access, and checks cost a tenth of a bulk write.

    /// The class's slots; points to memory that is never freed.
    package final let layoutTable: UnsafePointer<LayoutTable>
    /// The values that are set, in the order of their slot numbers.
    @exclusivity(unchecked) package final var slots: UnsafeMutablePointer<ElementSlot>?
    @exclusivity(unchecked) package final var slotCount: UInt8 = 0
    @exclusivity(unchecked) package final var slotCapacity: UInt8 = 0
    @exclusivity(unchecked) package final var objectFlags: ObjectFlags = []
    /// The number of its row in the stored resource; 0 for a resource itself and for what has no row of its own.
    @exclusivity(unchecked) package final var rowNode: UInt32 = 0
    /// The object that this one is a value of, not held. Cleared when that object goes, so it never dangles.
    @exclusivity(unchecked) final var ownerReference: Unmanaged<FHIRObject>?
    /// What few objects need: a pk, the tie to a store.
    @exclusivity(unchecked) package final var objectExtras: _ObjectExtras?

    /// The elements of the class; generated code overrides it.
    open class var _layout: Layout {
        misuse("\(self) is no generated class: make instances of the classes in FireLiteR4 and its like")
    }

    /// An object with no element set.
    public required init() {
        layoutTable = Self._layout.table
    }

    /// An object with no element set, made without asking the class for its layout. Not for use outside the library.
    ///
    /// - Precondition: the memory is the class's own `LayoutTable`, a type that only this package sees.
    public required init(_layoutTable: UnsafeRawPointer) {
        layoutTable = _layoutTable.assumingMemoryBound(to: LayoutTable.self)
    }

    deinit {
        guard let slots else { return }
        if objectFlags.contains(.managed), let tie = objectExtras, tie.isTie { pinSurvivors(tie, isHeld: false) }
        for place in slots..<slots + Int(slotCount) {
            // A word has nothing to give back, and most texts are short ones: only objects have to be told.
            switch place.pointee.value {
            case .word: continue
            case .text: break
            case .object:
                let child = place.object
                child._withUnsafeGuaranteedRef { $0.strand(from: self) }
                child.release()
                continue
            case .objects:
                let list = UnsafeMutableRawPointer(place).assumingMemoryBound(to: [Unmanaged<FHIRObject>].self).move()
                for child in list { child._withUnsafeGuaranteedRef { $0.strand(from: self) } }
                continue
            case .texts, .annotated, .annotatedTexts: place.pointee.value.forEachChild { $0.strand(from: self) }
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

/// What a resource type of every release is: a FHIR object with a logical id.
open class FHIRResource: FHIRObject {
    /// `Resource.id`: the logical id, `id` 0..1.
    ///
    /// In FHIR 1 to 64 letters, digits, hyphens and dots. Any other text is kept, stored and found as it is, by its bytes; `validate()` reports it.
    /// Not unique by itself: the type belongs to it.
    public final var id: String? {
        get { _string(0) }
        set { _setString(0, newValue) }
    }

    /// FHIR's name of the resource type: `Patient`.
    public final var resourceType: String { layout.name }
}

/// Marks that an object carries, in bits.
package struct ObjectFlags: OptionSet {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Belongs to a store: changes are watched.
    package static let managed = ObjectFlags(rawValue: 1)
    /// Seen in the list that is being replaced.
    package static let listed = ObjectFlags(rawValue: 2)
    /// Its row, or a part of it, has changed in the current write.
    package static let changed = ObjectFlags(rawValue: 4)
    /// Was deleted from its store in the write that goes on: its failure would bring the object back.
    package static let deleted = ObjectFlags(rawValue: 8)
    /// Belonged to a managed resource that is no longer in memory.
    package static let stranded = ObjectFlags(rawValue: 16)
    /// Finds the slot behind a key path: reading an unset element notes its slot (see `ElementProbe`).
    package static let probe = ObjectFlags(rawValue: 32)
}

/// The part of an object's state that most objects do without. A store gives its resources a subclass of it, the tie to the store.
///
/// Open and so public, as Swift lets no class that is only the package's have a subclass in another module of it.
open class _ObjectExtras {
    package final var pk: String?

    /// None.
    public init() {}

    /// Whether this is a tie to a store.
    open var isTie: Bool { false }

    /// Called before a slot of `object` changes; the tie belongs to the resource that the object is part of.
    open func willChange(_ object: FHIRObject) {}

    /// Called when an element has been taken out of the resource.
    open func didRemove(_ object: FHIRObject) {}

    /// Whether an element that is put into the resource was taken out of it in the same write, and so keeps its row.
    open func keepsRow(of object: FHIRObject) -> Bool { false }

    /// The pk of an object of the resource that has none of its own; nil where it has no row yet that it could be made of.
    open func derivedPK(of object: FHIRObject) -> String? { nil }
}
