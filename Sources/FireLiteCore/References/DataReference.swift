/// A `Reference` of a release that was read as data, for which there is no generated class.
final class DataReference: FHIRObject, FHIRReference {
    /// `Reference.reference`.
    var reference: String? {
        get { layout.element(named: "reference").flatMap { _string($0.slot) } }
        set { if let element = layout.element(named: "reference") { _setString(element.slot, newValue) } }
    }
}
