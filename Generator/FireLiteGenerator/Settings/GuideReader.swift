extension SettingsReader {
    static let guideKeys = ["package", "dependencies", "accessor", "prefix", "endings", "profiles", "skipped", "names"]

    /// Reads one of `guides`.
    func guide(_ node: JSONNode) throws -> GuideSettings {
        var package: SettingText?
        var accessor: SettingText?
        var guide = GuideSettings(package: "", accessor: "", location: location(of: node))
        for (key, value) in try members(of: node, "a guide") {
            switch key {
            case "package": package = try path(value)
            case "accessor": accessor = try swiftName(value)
            case "dependencies": guide.dependencies = try list(value).map { try path($0).text }
            case "prefix": guide.prefix = try typeName(value).text
            case "endings": guide.endings = try list(value).map { try text($0, "the end of a name").text }
            case "profiles": guide.profiles = try list(value).map { try text($0, "the id or URL of a profile").text }
            case "skipped": guide.skipped = Set(try places(value).keys)
            case "names": guide.names = try map(value, swiftName).mapValues(\.text)
            default:
                throw error("unknown key `\(key)` of a guide; the keys are \(Self.guideKeys.joined(separator: ", "))", atKeyOf: value)
            }
        }
        guard let package, let accessor else { throw error("a guide needs `package` and `accessor`", at: node) }
        guide.package = package.text
        guide.accessor = accessor.text
        return guide
    }
}
