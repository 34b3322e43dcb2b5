/// A template of one's own that makes further files.
struct FileSetting: Sendable {
    /// What there is a file for.
    enum Subject: String, Sendable, CaseIterable {
        case type, codes, release
    }

    var template: SettingText
    var subject: Subject
    /// Relative to the output folder, with tags.
    var path: SettingText
}
