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
    /// Mends what apps on FireKit export; nil to read FHIR's JSON only.
    var mender: FireKitMender?
    /// The type of resources that neither they nor their files' names tell; used with `mender`.
    var typeName: String?
    var limits = ImportLimits()
}
