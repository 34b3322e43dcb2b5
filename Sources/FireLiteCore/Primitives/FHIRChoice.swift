/// The value of a choice element, `value[x]`: an enum with a case for each type the element allows.
public protocol FHIRChoice {
    /// What the choice element whose first slot is `first` holds in `_object`, or nil.
    init?(_object: FHIRObject, _ first: Int)
    /// Sets the choice element whose first slot is `first`, in place of what it held.
    func _write(_ object: FHIRObject, _ first: Int)
}
