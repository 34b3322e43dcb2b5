/// The value of a choice element, `value[x]`: an enum with a case for each type the element allows.
///
/// `==` compares the case and then the values with their own `==`: objects by content, dates and decimals by literal, texts as Swift
/// compares strings. An enum whose cases all hold primitives is `Sendable`; one with a case for an object is not, as objects belong to one
/// isolation at a time: hand over a copy of the object, or its keys.
public protocol FHIRChoice: Equatable {
    /// What the choice element whose first slot is `first` holds in `_object`, or nil; for generated code.
    init?(_object: FHIRObject, _ first: Int)
    /// Sets the choice element whose first slot is `first`, in place of what it held; for generated code.
    func _write(_ object: FHIRObject, _ first: Int)
}
