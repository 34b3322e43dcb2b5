/// The value of a choice element, `value[x]`: an enum with a case for each type the element allows.
public protocol FHIRChoice {
    /// The value in `object` of the choice element whose first slot is `first`, or nil.
    init?(_ object: FHIRObject, _ first: Int)
    /// Sets the choice element whose first slot is `first`, replacing its value.
    func _write(_ object: FHIRObject, _ first: Int)
}
