/// A text of a settings file with its place.
struct SettingText: Sendable {
    var text: String
    var location: SourceLocation
}
