import FireLiteCore
import FireLiteSearch
import Foundation

/// What a store has of a person: resources, and rows about them.
struct PersonContents {
    /// `Patient/1`.
    let person: String
    private let personType: String
    /// The numbers of the resources, by `Type/id` or, without an id, by pk.
    private(set) var roots: [Int64] = []
    /// The keys of all resources that are erased, also of deleted ones that only the history has.
    private(set) var keys: Set<String> = []
    private(set) var counts: [String: Int] = [:]
    private(set) var left: [ErasureReport.Remainder] = []
    /// Rows of the history of others' resources, from when they referred to the person.
    private(set) var sequences: [Int64] = []
    /// The ids of erased resources of a type.
    private(set) var ids: [String: [String]] = [:]

    /// The person's identifiers as they stand in JSON, where they have a system.
    private var identifiers: [String] = []

    /// Types whose resources are a person's if only the person's resources name them: Binary, and Device if samples came from it.
    private static let dependents = ["Binary", "Device"]

    /// - Throws: `ErasureError`; `FHIRStoreError`; `SearchError`.
    init(_ type: String, id: String, options: ErasureOptions, _ tx: ReadTransaction) throws {
        (person, personType) = ("\(type)/\(id)", type)
        let persons = type + "/"
        let members = try Self.compartment(type, id, tx)
        var isStored = false
        // The dependents that erased resources name, those among them that samples name, and those that others do.
        var named: Set<String> = []
        var namedBySamples: Set<String> = []
        var others: Set<String> = []
        var later: [(key: String, type: String, root: Int64, id: String?)] = []
        for name in try tx.counts().filter({ $0.count > 0 }).map(\.typeName) {
            try tx.forEach(typeName: name) { resource in
                guard let root = tx.number(of: resource) else { return }
                let key = resource.id.map { "\(name)/\($0)" } ?? resource.pk
                var tokens: Set<String> = []
                let opened = try tx.opened(resource)
                ReferenceTokens.forEach(in: FHIRJSON.string(opened)) { tokens.insert($0) }
                if key == person {
                    isStored = true
                    identifiers = try Self.identifiers(of: opened)
                }
                // Of a sealed resource the search knows only what is in the clear.
                let isSealed = try resource.id.map { try tx.isSealed(name, id: $0) } ?? false
                // Who is linked to the person, is somebody else's record.
                let isTheirs = name != type && (members.contains(root) || isSealed && tokens.contains(person))
                guard key == person || isTheirs else {
                    if Self.dependents.contains(name) { later.append((key, name, root, resource.id)) }
                    if tokens.contains(person) { left.append(ErasureReport.Remainder(kind: .reference, what: key)) }
                    others.formUnion(tokens.filter { $0 != key && Self.isDependent($0) })
                    return
                }
                let isShared = tokens.contains { $0.hasPrefix(persons) && $0 != person }
                guard key == person || !isShared || options.erasesShared else {
                    left.append(ErasureReport.Remainder(kind: .shared, what: key))
                    others.formUnion(tokens.filter(Self.isDependent))
                    return
                }
                add(root, name, resource.id)
                let dependents = tokens.filter(Self.isDependent)
                named.formUnion(dependents)
                if name == "Observation", !dependents.isEmpty, try ErasedTables.isOfSamples(resource.id, tx) {
                    namedBySamples.formUnion(dependents)
                }
            }
        }
        for dependent in later where named.contains(dependent.key) {
            switch (dependent.type, others.contains(dependent.key)) {
            case ("Device", true): break
            case ("Device", false) where !namedBySamples.contains(dependent.key):
                left.append(ErasureReport.Remainder(kind: .named, what: dependent.key))
            case (_, true) where !options.erasesShared: left.append(ErasureReport.Remainder(kind: .shared, what: dependent.key))
            default: add(dependent.root, dependent.type, dependent.id)
            }
        }
        try addReferences(tx)
        try addHistory(tx)
        guard isStored || !keys.isEmpty || !sequences.isEmpty else {
            throw ErasureError(.notFound, "\(person) is not in the store, nor in what it keeps of earlier states: check the id")
        }
        keys.insert(person)
    }

    private static func isDependent(_ token: String) -> Bool { dependents.contains { token.hasPrefix($0 + "/") } }

    // MARK: - Notes

    /// What the file keeps of an erasure between its deletions and the deletion of what these have left: the keys and numbers of what is erased.
    var note: String { ([person] + roots.map(String.init) + keys.subtracting([person]).sorted()).joined(separator: "\n") }

    /// The contents that a note names; nil if it names none.
    init?(note: String) {
        let lines = note.split(separator: "\n").map(String.init)
        guard let person = lines.first, let slash = person.firstIndex(of: "/") else { return nil }
        self.person = person
        personType = String(person[..<slash])
        roots = lines.dropFirst().compactMap { Int64($0) }
        keys = Set(lines.filter { $0.contains("/") })
        for (type, id) in keyPairs { ids[type, default: []].append(id) }
    }

    // MARK: - Finding

    private mutating func add(_ root: Int64, _ type: String, _ id: String?) {
        roots.append(root)
        counts[type, default: 0] += 1
        guard let id else { return }
        keys.insert("\(type)/\(id)")
        ids[type, default: []].append(id)
    }

    /// Lists what is kept and refers to a resource that is erased, or to the person by an identifier.
    private mutating func addReferences(_ tx: ReadTransaction) throws {
        guard !keys.isEmpty else { return }
        let erased = Set(roots)
        let listed = Set(left.map(\.what))
        for name in try tx.counts().filter({ $0.count > 0 }).map(\.typeName) {
            try tx.forEach(typeName: name) { resource in
                guard let root = tx.number(of: resource), !erased.contains(root) else { return }
                let key = resource.id.map { "\(name)/\($0)" } ?? resource.pk
                guard !listed.contains(key) else { return }
                let json = FHIRJSON.string(try tx.opened(resource))
                guard ReferenceTokens.hasAny(of: keys, in: json) || identifiers.contains(where: json.contains) else { return }
                left.append(ErasureReport.Remainder(kind: .reference, what: key))
            }
        }
    }

    /// - Throws: `ErasureError.cannotRead` if the person's JSON cannot be read again: who names the person by an identifier alone could not be listed.
    private static func identifiers(of person: FHIRResource) throws -> [String] {
        let json: JSONItem
        do { json = try FHIRJSON.withUTF8(of: person) { try JSONItemReader.read($0) } } catch {
            throw ErasureError(.cannotRead, "the identifiers of \(person.resourceType)/\(person.id ?? "") cannot be read: check the store")
        }
        guard let member = json["identifier"] else { return [] }
        return (member.isObject ? [member] : member.items).compactMap { identifier in
            guard let system = identifier["system"]?.text, let value = identifier["value"]?.text else { return nil }
            return "\"system\":\(JSONText.string(system, .short)),\"value\":\(JSONText.string(value, .short))"
        }
    }

    /// The numbers of the resources in a compartment.
    private static func compartment(_ type: String, _ id: String, _ tx: ReadTransaction) throws -> Set<Int64> {
        var roots: Set<Int64> = []
        let name = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id
        var request = try SearchRequest("\(type)/\(name)/*").count(pageSize)
        while true {
            let result: SearchResult
            do { result = try tx.search(request) } catch let error as SearchError where error.code == .notSupported {
                throw ErasureError(.notSupported, "\(error.message): name a Patient, or another type with a compartment")
            }
            for match in result.matches { if let root = tx.number(of: match) { roots.insert(root) } }
            guard let next = result.next else { return roots }
            request = request.after(next)
        }
    }

    private static let pageSize = 500

    /// Adds resources that were the person's once, and rows about others' resources from when they referred to the person.
    private mutating func addHistory(_ tx: ReadTransaction) throws {
        let stored = Set(roots)
        var gone: Set<Int64> = []
        try tx.forEachRecordedContent { sequence, root, type, id, json in
            let key = id.map { "\(type)/\($0)" }
            guard key == person || ReferenceTokens.hasAny(of: [person], in: json), !stored.contains(root) else { return }
            // Of another person, only what named this one goes.
            let isOther = type == personType && key != person
            if try isOther || tx.isStored(number: root) { return sequences.append(sequence) }
            if gone.insert(root).inserted { roots.append(root) }
            if let key, let id {
                keys.insert(key)
                ids[type, default: []].append(id)
            }
        }
    }
}
