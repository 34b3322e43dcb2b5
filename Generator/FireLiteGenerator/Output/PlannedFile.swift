/// A file to write, complete in memory.
struct PlannedFile: Sendable, Equatable {
    /// Path as the user would name it.
    var path: String
    var content: String
}
