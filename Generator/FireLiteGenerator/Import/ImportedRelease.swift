/// A release as it was read, with notes.
struct ImportedRelease: Sendable {
    var definition: ReleaseDefinition
    /// One line each: what was skipped, and what was missing.
    var notes: [String] = []
}
