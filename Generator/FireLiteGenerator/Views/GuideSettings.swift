/// What a settings file says about the profiles of one guide.
package struct GuideSettings: Sendable {
    /// The package: an archive or a folder, relative to the current folder.
    package var package: String
    /// Packages that it depends on.
    package var dependencies: [String] = []
    /// The name of views in accessors and queries: `usCore` in `patient.usCore`.
    package var accessor: String
    /// What the names of the views begin with.
    package var prefix = ""
    /// Endings of profiles' names that the names of the views leave out.
    package var endings = ["Profile", "Extension"]
    /// The profiles by id or URL; empty for all.
    package var profiles: [String] = []
    /// Profiles without a view, by id or URL.
    package var skipped: Set<String> = []
    /// Names by profile (`us-core-patient`), and by profile and element (`us-core-patient#Patient.extension:race`).
    package var names: [String: String] = [:]
    /// Where the settings have it.
    package var location: SourceLocation

    package init(package: String, accessor: String, location: SourceLocation) {
        (self.package, self.accessor, self.location) = (package, accessor, location)
    }
}

/// Reads the profiles of packages.
package protocol ProfileSource: Sendable {
    /// The profiles of a guide, and all that they use, in the order of their URLs; and what the run should report.
    ///
    /// - Throws: `GeneratorError` for a package or a profile that cannot be used.
    func profiles(of guide: GuideSettings, release: String, version: String) throws -> GuideProfiles
}

/// The profiles of a guide.
package struct GuideProfiles: Sendable {
    /// The package and its version: `hl7.fhir.us.core 6.1.0`.
    package var title: String
    package var profiles: [ProfileDefinition]
    package var notes: [String]

    package init(title: String, profiles: [ProfileDefinition], notes: [String] = []) {
        (self.title, self.profiles, self.notes) = (title, profiles, notes)
    }
}
