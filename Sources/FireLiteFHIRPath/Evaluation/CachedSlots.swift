import FireLiteCore
import Foundation

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
