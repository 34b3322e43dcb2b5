import FireLite

/// Gives a resource another value in one element that it has, as a correction would.
enum FieldChange {
    /// Elements that a correction is likely to be about, the first that is set being changed.
    private static let candidates = ["status", "gender", "name", "intent", "criticality", "title", "deviceName"]

    static func apply(to resource: FHIRResource) {
        let layout = resource.layout
        for name in candidates {
            guard let element = layout.element(named: name), !element.isList, element.kind == .primitive,
                let value = resource._string(element.slot)
            else { continue }
            resource._setString(element.slot, value == "unknown" ? "entered-in-error" : "unknown")
            return
        }
        // Every resource may say its language.
        if let language = layout.element(named: "language") {
            resource._setString(language.slot, resource._string(language.slot) == "en" ? "de" : "en")
        }
    }
}
