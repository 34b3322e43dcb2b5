import FireLite

/// Options for reading the content of an import.
struct ImportOptions: Sendable {
    var release: FHIRRelease
    /// Whether the first fault ends the file's import.
    var stopsAtFault = true
    /// Whether a Bundle is stored as one resource.
    var keepsBundles = false
    /// Corrects dates that are not in FHIR's format; nil if they are mistakes.
    var dates: DateMender?
    var limits = ImportLimits()
}
