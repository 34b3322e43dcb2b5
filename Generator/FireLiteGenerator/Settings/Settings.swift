/// What a settings file says about the code to generate.
///
/// Keys of the maps are FHIR's names: of a type (`Patient`), a backbone element (`Patient.contact`), an element
/// (`Observation.value[x]`), or the URL of a value set.
struct Settings: Sendable {
    var release: SettingText?
    var resources: [SettingText] = []

    // Paths, relative to the current folder.
    var templates: SettingText?
    var definitions: SettingText?
    var descriptions: SettingText?
    var digest: SettingText?
    var profileDefinitions: SettingText?

    // Names by what they are for.
    var classes: [String: SettingText] = [:]
    var properties: [String: SettingText] = [:]
    var choices: [String: SettingText] = [:]
    var codes: [String: SettingText] = [:]

    /// Hand-written superclasses by class.
    var bases: [String: SettingText] = [:]
    /// Hand-written types that stand for FHIR's.
    var types: [String: SettingText] = [:]
    /// Value sets whose codes stay text, by URL.
    var ignoredCodes: [String: SourceLocation] = [:]
    /// Types and value sets whose files are written by hand.
    var handwritten: [String: SourceLocation] = [:]
    /// Types that are left out.
    var skipped: [String: SourceLocation] = [:]

    /// Whether classes have a method `upsert(element:)` for each to-one element, as FireKit's have.
    var hasUpsertMethods = false

    /// Templates by type.
    var classTemplates: [String: SettingText] = [:]
    var files: [FileSetting] = []

    /// URLs of profiles that constrain classes.
    var profiles: [SettingText] = []
    /// Guides whose profiles get views.
    var guides: [GuideSettings] = []
    /// The module with the classes that views are of; the release's own unless given.
    var models: SettingText?
    /// Kinds of logical models by URL.
    var logicalModels: [String: SettingText] = [:]

    /// The setting for an element, by its path or else by its name in all classes.
    static func value(_ settings: [String: SettingText], path: String) -> SettingText? {
        if settings.isEmpty { return nil }
        if let found = settings[path] { return found }
        guard let dot = path.lastIndex(of: ".") else { return nil }
        return settings[String(path[path.index(after: dot)...])]
    }
}
