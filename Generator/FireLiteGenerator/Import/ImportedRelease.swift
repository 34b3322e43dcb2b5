/// A release as it was read, and what there is to say about that.
struct ImportedRelease: Sendable {
    var definition: ReleaseDefinition
    /// One line each: what was skipped, and what was missing.
    var notes: [String] = []
}
