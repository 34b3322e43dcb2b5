/// The value of a choice element, `value[x]`: an enum with a case for each type the element allows.
///
/// `==` compares the case and then the values with their own `==`: objects by content, dates and decimals by literal, texts as Swift
/// compares strings. An enum whose cases all hold primitives is `Sendable`; one with a case for an object is not, as objects belong to one
/// isolation at a time: hand over a copy of the object, or its keys.
public protocol FHIRChoice: Equatable {
    /// The value in `object` of the choice element whose first slot is `first`, or nil.
    init?(_object: FHIRObject, _ first: Int)
    /// Sets the choice element whose first slot is `first`, replacing its value.
    func _write(_ object: FHIRObject, _ first: Int)
}
