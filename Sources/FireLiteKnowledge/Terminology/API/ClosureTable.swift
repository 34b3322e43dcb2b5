import FireLiteCore
import Foundation

/// Which codes are below which others, for the codes that a client has met so far (FHIR, ConceptMap: Maintaining a Closure Table).
///
/// ```swift
/// var table = ClosureTable(name: "problems")
/// let fresh = try table.add(codes, using: terminology)
/// ```
///
/// It is a value: store it with the data that it is about. The terminology keeps no copy. ``ClosureTables`` has several by their names, and answers as a
/// server does.
public struct ClosureTable: Sendable, Hashable, Codable {
    /// A code that is below another one of the same code system.
    public struct Relation: Sendable, Hashable, Codable {
        /// The more specific code.
        public let special: TerminologyCode
        /// The more general code.
        public let general: TerminologyCode
        /// The version of the table that added the relation.
        public let version: Int
    }

    /// The name that the client gave the table.
    public let name: String
    /// The number of times that codes were added.
    public private(set) var version = 0
    /// The codes, without their displays, in the order in which they came.
    public private(set) var codes: [TerminologyCode] = []
    /// Which codes are below which, directly or not.
    public private(set) var relations: [Relation] = []

    /// The maximum number of codes of a table.
    public static let maximumCodes = 10_000
    private static let maximumRelations = 1_000_000

    /// An empty table.
    public init(name: String) { self.name = name }

    /// Adds codes, and finds what is below or above them among all codes of the table.
    ///
    /// - Parameters:
    ///   - added: the codes, with their systems. Codes that the table has are skipped.
    ///   - terminology: a terminology that knows their code systems.
    /// - Returns: the new relations.
    /// - Complexity: O(*n*), for *n* codes of the table afterwards: each is asked for what is above it.
    /// - Throws: ``TerminologyError`` for a code or a code system that is unknown, and for more than ``maximumCodes`` codes; the table stays as it was.
    @discardableResult
    public mutating func add(_ added: [TerminologyCode], using terminology: Terminology) throws -> [Relation] {
        var known = Set(codes)
        var fresh: [TerminologyCode] = []
        for code in added {
            let plain = TerminologyCode(code.code, system: code.system, version: code.version)
            guard plain.system != nil else { throw TerminologyError(.invalid, "invalid", "a code of a closure table needs its system") }
            if known.insert(plain).inserted { fresh.append(plain) }
        }
        let all = codes + fresh
        guard all.count <= Self.maximumCodes else {
            throw TerminologyError(
                .tooCostly, "too-costly", "the closure table '\(name)' would have more than \(Self.maximumCodes) codes: begin another one")
        }
        let run = try TerminologyRun(terminology.library, OperationSettings(RequestParameters()))
        let own = try all.map { try run.place(of: $0) }
        var numbers: [CodePlace: [Int]] = [:]
        for (number, place) in own.enumerated() { numbers[place, default: []].append(number) }
        var found: [Relation] = []
        for (special, place) in own.enumerated() {
            try run.forEachPlace(above: place) { above in
                for general in numbers[above] ?? [] where special >= codes.count || general >= codes.count {
                    found.append(Relation(special: all[special], general: all[general], version: version + 1))
                }
            }
            guard relations.count + found.count <= Self.maximumRelations else {
                throw TerminologyError(
                    .tooCostly, "too-costly",
                    "the closure table '\(name)' would have more than \(Self.maximumRelations) relations: begin another one")
            }
        }
        version += 1
        codes = all
        relations += found
        return found
    }

    private static func canonical(_ code: TerminologyCode, _ system: String) -> String { code.version.map { "\(system)|\($0)" } ?? system }

    /// The relations added after a version, as the ConceptMap that `$closure` returns in R5. Version 0 gives all.
    public func conceptMap(since version: Int = 0) -> Data { conceptMap(of: relations.filter { $0.version > version }, isR4: false) }

    /// Some relations as a ConceptMap, which calls the relationship equivalence in R4.
    func conceptMap(of wanted: [Relation], isR4: Bool) -> Data {
        let kind = isR4 ? ("equivalence", "subsumes") : ("relationship", "source-is-narrower-than-target")
        let systems = Dictionary(grouping: wanted) { Self.canonical($0.special, $0.special.system ?? "") }
        let groups = systems.keys.sorted().map { system -> JSONItem in
            let bySource = Dictionary(grouping: systems[system] ?? []) { $0.special.code }
            let elements = bySource.keys.sorted().map { code -> JSONItem in
                let targets = (bySource[code] ?? []).map { relation -> JSONItem in
                    .object([.init(name: "code", value: .string(relation.general.code)), .init(name: kind.0, value: .string(kind.1))])
                }
                return .object(["code": .string(code), "target": .array(targets)])
            }
            return .object(["source": .string(system), "target": .string(system), "element": .array(elements)])
        }
        let map = JSONItem.object([
            "resourceType": .string("ConceptMap"), "version": .string("\(self.version)"), "name": .string(name),
            "status": .string("active"),
            "experimental": .bool(true), "group": groups.isEmpty ? nil : .array(groups),
        ])
        return Data(map.json.utf8)
    }
}

/// A concept by which codes of a closure table are compared.
private struct CodePlace: Hashable {
    let system: String
    let version: String?
    let code: String
}

extension TerminologyRun {
    /// The concept of a code.
    ///
    /// - Throws: ``TerminologyError`` if it is unknown.
    fileprivate func place(of code: TerminologyCode) throws -> CodePlace {
        try effort.checkTime()
        let system = code.system ?? ""
        return CodePlace(system: system, version: code.version, code: try known(code.code, system, code.version).1.code)
    }

    /// Calls `body` with every concept above one.
    ///
    /// - Throws: ``TerminologyError`` if the operation takes too long.
    fileprivate func forEachPlace(above own: CodePlace, _ body: (CodePlace) throws -> Void) throws {
        try effort.checkTime()
        let provider = try known(own.code, own.system, own.version).0
        func visit(_ code: String) throws { try body(CodePlace(system: own.system, version: own.version, code: code)) }
        if let table = provider as? TableCodeSystem {
            try table.forEach([ConceptFilter("concept", .generalizes, own.code)], effort) { other, _ in
                if other.code != own.code { try visit(other.code) }
                return true
            }
            return
        }
        var waiting = [own.code]
        var seen: Set<String> = [own.code]
        while let one = waiting.popLast() {
            try effort.step()
            for parent in try provider.parents(of: one) where seen.insert(parent).inserted {
                try visit(parent)
                waiting.append(parent)
            }
        }
    }
}
