import FireLiteCore

/// Options for reading the content of an import.
package struct ContentOptions: Sendable {
    package var release: FHIRRelease
    /// Whether the first fault ends the file's import.
    package var stopsAtFault: Bool
    /// Whether a Bundle is stored as one resource.
    package var keepsBundles: Bool
    /// Corrects dates that are not in FHIR's format; nil if they are mistakes.
    package var dates: DateMender?
    /// Mends what another program exports; nil to read FHIR's JSON only.
    package var mender: (any ResourceMender)?
    package var limits: ImportLimits
    /// Loads the library that unpacks gzip.
    package var zlib: @Sendable () throws -> Zlib = { try Zlib.system() }

    package init(
        release: FHIRRelease, stopsAtFault: Bool = true, keepsBundles: Bool = false, dates: DateMender? = nil,
        mender: (any ResourceMender)? = nil, limits: ImportLimits = ImportLimits()
    ) {
        self.release = release
        self.stopsAtFault = stopsAtFault
        self.keepsBundles = keepsBundles
        self.dates = dates
        self.mender = mender
        self.limits = limits
    }
}
