import FireLite

/// How the content of an import is read.
struct ImportOptions: Sendable {
    var release: FHIRRelease
    /// Whether the first fault ends the file's import.
    var stopsAtFault = true
    /// Whether a Bundle is stored as the one resource it is.
    var keepsBundles = false
    /// How dates are mended that are not written in FHIR's way; nil where they are mistakes.
    var dates: DateMender?
    var limits = ImportLimits()
}
