/// A package that another one needs.
public struct PackageDependency: Sendable, Hashable {
    /// The name of the package, `hl7.fhir.us.core`.
    public let name: String
    /// Its version: `6.1.0`, a range such as `6.1.x`, `latest`, or `current` for a build.
    public let version: String
    /// The name under which the other package has it, if it needs several versions of one; nil without one.
    public let alias: String?

    /// Reads a member of `dependencies`: `"hl7.fhir.us.core": "6.1.0"`, with an alias `"v610@npm:hl7.fhir.us.core": "6.1.0"` as packages of FHIR have it, or
    /// `"v610": "npm:hl7.fhir.us.core@6.1.0"` as NPM has it.
    init(member: String, value: String) {
        let mark = "@npm:"
        let prefix = "npm:"
        if let range = member.firstRange(of: mark), range.lowerBound > member.startIndex, range.upperBound < member.endIndex {
            (name, version, alias) = (String(member[range.upperBound...]), value, String(member[..<range.lowerBound]))
        } else if value.hasPrefix(prefix), let at = value.lastIndex(of: "@"), at > value.startIndex {
            let package = value[..<at].dropFirst(prefix.count)
            (name, version, alias) = (String(package), String(value[value.index(after: at)...]), member)
        } else if value.hasPrefix(prefix) {
            (name, version, alias) = (String(value.dropFirst(prefix.count)), "latest", member)
        } else {
            (name, version, alias) = (member, value, nil)
        }
    }

    /// Whether one of the given versions satisfies it. Without an alias any version does, as references to definitions name theirs.
    package func isSatisfied(by versions: [String]) -> Bool {
        alias == nil ? !versions.isEmpty : PackageCache.version(version, of: versions) != nil
    }

    /// `name#version`.
    public var key: String { "\(name)#\(version)" }
}

extension PackageManifest {
    /// The packages that it needs, without FHIR's own, by their names; the versions of one that have aliases come last.
    public var neededPackages: [PackageDependency] {
        dependencies.map { PackageDependency(member: $0.key, value: $0.value) }.filter { !Self.isCore($0.name) }
            .sorted { ($0.name, $0.alias ?? "") < ($1.name, $1.alias ?? "") }
    }

    /// The dependencies of the packages that are not among them, without FHIR's own, sorted: `name#version`.
    public static func missingDependencies(of packages: [PackageManifest]) -> [String] {
        let present = Dictionary(grouping: packages, by: \.name).mapValues { $0.map(\.version) }
        let missing = packages.flatMap(\.neededPackages).filter { !$0.isSatisfied(by: present[$0.name] ?? []) }
        return Set(missing.map(\.key)).sorted()
    }
}
