import FireLiteCore
import Foundation

/// The definitions that a terminology knows: code systems, supplements, value sets and concept maps, by canonical URL and version.
struct TerminologyLibrary: Sendable {
    private struct Entry<Value: Sendable>: Sendable {
        let version: String?
        let json: JSONItem
        let content: Lazily<Value>
    }

    private struct Definitions: Sendable {
        var systems: [String: [Entry<DefinedCodeSystem>]] = [:]
        var supplements: [String: [JSONItem]] = [:]
        var valueSets: [String: [Entry<ValueSetDefinition>]] = [:]
        var maps: [ConceptMapDefinition] = []
        /// The code systems whose value set of all codes has this URL.
        var wholeSystems: [String: JSONItem] = [:]
        /// The URLs of code systems by their other identifiers, such as `urn:oid:2.16.840.1.113883.6.96`.
        var otherNames: [String: String] = [:]
    }

    private var own = Definitions()
    private let found = FoundDefinitions()
    private var sources: [any TerminologySource] = []
    /// The code systems that are not resources, by URL.
    private var providers: [String: [any CodeProvider]] = [:]
    /// Those of them that are in tables.
    private var tables: [String: [TableCodeSystem]] = [:]
    private var grammars: [any ImplicitValueSets] = []
    /// The release whose own codes are known.
    private let release: FHIRRelease

    init(release: FHIRRelease) { self.release = release }

    // MARK: - Adding

    /// Adds a definition, which replaces a CodeSystem or ValueSet of the same URL and version. Other resources are ignored.
    mutating func add(_ json: JSONItem) { for definition in EarlierDefinitions.current(json) { Self.add(definition, to: &own) } }

    /// Adds a code system that is not a resource.
    mutating func add(_ provider: some CodeProvider) {
        providers[provider.url, default: []].append(provider)
        if let table = provider as? TableCodeSystem { tables[table.url, default: []].append(table) }
        if let grammar = provider as? any ImplicitValueSets { grammars.append(grammar) }
    }

    /// Adds a place where definitions are looked for that the library lacks.
    mutating func add(_ source: some TerminologySource) { sources.append(source) }

    private static func add(_ json: JSONItem, to definitions: inout Definitions) {
        let version = json["version"]?.text
        switch json["resourceType"]?.text {
        case "CodeSystem":
            guard let url = json["url"]?.text else { return }
            if json["content"]?.text == "supplement" {
                replace(in: &definitions.supplements[url, default: []], version: version, by: json) { $0["version"]?.text }
                return
            }
            let entry = Entry(version: version, json: json, content: Lazily { try DefinedCodeSystem(reading: json) })
            replace(in: &definitions.systems[url, default: []], version: version, by: entry, versionOf: \.version)
            for identifier in json["identifier"]?.items ?? [] where identifier["system"]?.text == "urn:ietf:rfc:3986" {
                if let value = identifier["value"]?.text, value.hasPrefix("urn:"), value != url { definitions.otherNames[value] = url }
            }
            if let whole = json["valueSet"]?.text { definitions.wholeSystems[Canonical(whole).url] = json }
        case "ValueSet":
            guard let url = json["url"]?.text else { return }
            let entry = Entry(version: version, json: json, content: Lazily { try ValueSetDefinition(json) })
            replace(in: &definitions.valueSets[url, default: []], version: version, by: entry, versionOf: \.version)
        case "NamingSystem":
            guard json["kind"]?.text == "codesystem" else { return }
            let names = (json["uniqueId"]?.items ?? []).compactMap { item in
                item["value"]?.text.map { (type: item["type"]?.text, isPreferred: item["preferred"]?.isTrue ?? false, value: $0) }
            }
            let urls = names.filter { $0.type == "uri" }
            guard let url = (urls.first { $0.isPreferred } ?? urls.first)?.value else { return }
            for name in names where name.value != url {
                let prefix = ["oid": "urn:oid:", "uuid": "urn:uuid:"][name.type ?? ""] ?? ""
                definitions.otherNames[name.value.hasPrefix(prefix) ? name.value : prefix + name.value] = url
            }
        case "ConceptMap":
            // The latest is found first; maps of one URL may differ in the code systems they are about.
            definitions.maps.insert(ConceptMapDefinition(json), at: 0)
        default: break
        }
    }

    private static func replace<Item>(
        in list: inout [Item], version: String?, by item: Item, versionOf: (Item) -> String?
    ) {
        if let place = list.firstIndex(where: { versionOf($0) == version }) { list[place] = item } else { list.append(item) }
    }

    // MARK: - Finding

    /// The definitions of a URL, of the library itself before those of its sources.
    private func definitions(_ type: String, _ url: String, _ isThere: (Definitions) -> Bool) throws -> Definitions {
        if isThere(own) { return own }
        let fetched = try found.resources(type, url) {
            for source in sources {
                do {
                    let found = try source.definitions(ofType: type, url: url)
                    if !found.isEmpty { return try found.flatMap { EarlierDefinitions.current(try Terminology.json($0)) } }
                } catch {
                    // Whoever takes an unknown definition for an answer must not take this one for unknown.
                    throw ReadingFailures.noted(error)
                }
            }
            return CoreCodes(release)?.definition(ofType: type, url: url).map { [$0] } ?? []
        }
        if fetched.resources.isEmpty { return Self.nothing }
        var definitions = Definitions()
        for json in fetched.resources { Self.add(json, to: &definitions) }
        // What was read once stays read.
        if let systems = definitions.systems[url] {
            definitions.systems[url] = systems.map { entry in
                Entry(
                    version: entry.version, json: entry.json,
                    content: fetched.system(entry.version) { try DefinedCodeSystem(reading: entry.json) })
            }
        }
        return definitions
    }

    private static let nothing = Definitions()

    private static func latest<Item>(_ items: [Item], _ version: String?, _ versionOf: (Item) -> String?) -> Item? {
        if items.count == 1, version == nil { return items[0] }
        return items.filter { item in version.map { VersionPattern.matches(versionOf(item), $0) } ?? true }
            .max { VersionPattern.isOlder(versionOf($0), versionOf($1)) }
    }

    /// A code system by its URL; the latest one that a version or a pattern for versions allows. Nil if it is unknown, or has no codes.
    ///
    /// - Parameter supplements: the supplements to apply, if they are for this code system.
    func system(_ identifier: String, version: String?, supplements: [JSONItem] = []) throws -> (any CodeProvider)? {
        let url = systemURL(identifier)
        let entries = try definitions("CodeSystem", url) { $0.systems[url] != nil }.systems[url] ?? []
        // A release that was imported has all codes; a definition of the same code system that is not complete counts less.
        if !entries.contains(where: { $0.json["content"]?.text == "complete" }),
            let table = Self.latest(tables[url] ?? [], version, \.version)
        {
            return table
        }
        if let entry = Self.latest(entries.filter { $0.json["content"]?.text != "not-present" }, version, \.version) {
            let wanted = supplements.filter { supplement in
                let target = Canonical(supplement["supplements"]?.text ?? "")
                return target.url == url && (target.version == nil || VersionPattern.matches(entry.version, target.version ?? ""))
            }
            if wanted.isEmpty { return try entry.content.value }
            return try DefinedCodeSystem(reading: entry.json, supplements: wanted.map { (Self.canonical($0), $0) })
        }
        return Self.latest(providers[url] ?? [], version, \.version)
    }

    /// The URL of a code system, which a NamingSystem or an identifier of a CodeSystem gives for another name of it.
    func systemURL(_ identifier: String) -> String {
        // A code system of that very URL counts more than another name of one.
        own.systems[identifier] == nil ? own.otherNames[identifier] ?? identifier : identifier
    }

    private static func canonical(_ json: JSONItem) -> String {
        let url = json["url"]?.text ?? ""
        return json["version"]?.text.map { "\(url)|\($0)" } ?? url
    }

    /// The versions of a code system that are known, the oldest first.
    func versions(ofSystem url: String) throws -> [String] {
        let entries = try definitions("CodeSystem", url) { $0.systems[url] != nil }.systems[url] ?? []
        let all = entries.compactMap(\.version) + (providers[url] ?? []).compactMap(\.version)
        return all.sorted { VersionPattern.isOlder($0, $1) }
    }

    /// A supplement by its canonical reference.
    func supplement(_ reference: String) throws -> JSONItem? {
        let canonical = Canonical(reference)
        let all = try definitions("CodeSystem", canonical.url) { $0.supplements[canonical.url] != nil }.supplements[canonical.url] ?? []
        return Self.latest(all, canonical.version) { $0["version"]?.text }
    }

    /// A value set by its URL, or the one that a code system has for all of its codes.
    ///
    /// - Throws: ``TerminologyError`` if its definition cannot be used.
    func valueSet(_ url: String, version: String?) throws -> ValueSetDefinition? {
        let entries = try definitions("ValueSet", url) { $0.valueSets[url] != nil }.valueSets[url] ?? []
        if let entry = Self.latest(entries, version, \.version) { return try entry.content.value }
        if let system = own.wholeSystems[url], version == nil || VersionPattern.matches(system["version"]?.text, version ?? "") {
            return try ValueSetDefinition(Self.whole(system, url))
        }
        for grammar in grammars { if let json = try grammar.implicitValueSet(url) { return try ValueSetDefinition(json) } }
        return nil
    }

    private static func whole(_ system: JSONItem, _ url: String) -> JSONItem {
        .object([
            "resourceType": .string("ValueSet"), "url": .string(url), "version": system["version"], "name": system["name"],
            "status": system["status"],
            "compose": .object(["include": .array([.object(["system": system["url"], "version": system["version"]])])]),
        ])
    }

    /// The concept maps that the library has itself; those of its sources are found by URL.
    var maps: [ConceptMapDefinition] { own.maps }

    func map(_ url: String, version: String?) throws -> ConceptMapDefinition? {
        let maps = try definitions("ConceptMap", url) { $0.maps.contains { $0.url == url } }.maps
        return Self.latest(maps.filter { $0.url == url }, version, \.version)
    }

    /// Whether there is a value set with this URL, for those who take it for a code system.
    func hasValueSet(_ url: String) throws -> Bool { try definitions("ValueSet", url) { $0.valueSets[url] != nil }.valueSets[url] != nil }
}

/// Value sets that a code system defines by the form of their URLs.
protocol ImplicitValueSets: Sendable {
    /// The definition of a value set; nil if the URL is none of the code system's.
    func implicitValueSet(_ url: String) throws -> JSONItem?
}

/// What the sources of a library had, so that each is asked once for a URL.
///
/// `@unchecked Sendable`: `lock` guards `known`.
private final class FoundDefinitions: @unchecked Sendable {
    final class Found: @unchecked Sendable {
        let resources: [JSONItem]
        // `lock` guards `systems`.
        private let lock = NSLock()
        private var systems: [String?: Lazily<DefinedCodeSystem>] = [:]

        init(_ resources: [JSONItem]) { self.resources = resources }

        func system(_ version: String?, _ read: @escaping @Sendable () throws -> DefinedCodeSystem) -> Lazily<DefinedCodeSystem> {
            lock.lock()
            defer { lock.unlock() }
            if let known = systems[version] { return known }
            let fresh = Lazily { try read() }
            systems[version] = fresh
            return fresh
        }
    }

    private let lock = NSLock()
    private var known: [String: Found] = [:]
    /// The code systems that value sets of DSTU2 define.
    private var inner: [String: [JSONItem]] = [:]

    func resources(_ type: String, _ url: String, _ find: () throws -> [JSONItem]) throws -> Found {
        let key = "\(type) \(url)"
        lock.lock()
        if let found = known[key] {
            lock.unlock()
            return found
        }
        lock.unlock()
        // Sources may take their time, and may have other things of this library to ask.
        var resources = try find()
        lock.lock()
        defer { lock.unlock() }
        if let found = known[key] { return found }
        if resources.isEmpty, type == "CodeSystem" { resources = inner[url] ?? [] }
        let fresh = Found(resources)
        known[key] = fresh
        for json in resources where type == "ValueSet" && json["resourceType"]?.text == "CodeSystem" {
            guard let url = json["url"]?.text else { continue }
            inner[url, default: []].append(json)
            if known["CodeSystem \(url)"]?.resources.isEmpty == true { known["CodeSystem \(url)"] = nil }
        }
        return fresh
    }
}
