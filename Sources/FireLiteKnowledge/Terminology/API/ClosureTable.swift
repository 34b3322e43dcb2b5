import FireLiteCore
import Foundation

/// Which codes are below which others, for the codes that a client has met so far (FHIR, ConceptMap: Maintaining a Closure Table).
///
/// ```swift
/// var table = ClosureTable(name: "problems")
/// let fresh = try table.add(codes, using: terminology)
/// ```
///
/// It is a value: store it with the data that it is about. The terminology keeps no copy.
public struct ClosureTable: Sendable, Hashable {
    /// A code that is below another one of the same code system.
    public struct Relation: Sendable, Hashable {
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

    /// An empty table.
    public init(name: String) { self.name = name }

    /// Adds codes, and finds what is below or above them among all codes of the table.
    ///
    /// - Parameters:
    ///   - added: the codes, with their systems. Codes that the table has are skipped.
    ///   - terminology: a terminology that knows their code systems.
    /// - Returns: the new relations.
    /// - Complexity: O(*n* · *m*) questions about subsumption, for *n* new codes and *m* codes of the same code system.
    /// - Throws: ``TerminologyError`` for a code or a code system that is unknown; the table stays as it was.
    @discardableResult
    public mutating func add(_ added: [TerminologyCode], using terminology: Terminology) throws -> [Relation] {
        var all = codes
        var known = Set(codes)
        var fresh: [Relation] = []
        for code in added {
            let plain = TerminologyCode(code.code, system: code.system, version: code.version)
            guard known.insert(plain).inserted else { continue }
            guard let system = plain.system else {
                throw TerminologyError(.invalid, "invalid", "a code of a closure table needs its system")
            }
            // A code that is unknown is an error even if it is the first one.
            _ = try terminology.lookup(plain)
            for other in all where other.system == system && other.version == plain.version {
                switch try terminology.relation(of: plain.code, to: other.code, in: Self.canonical(plain, system)) {
                case .subsumes: fresh.append(Relation(special: other, general: plain, version: version + 1))
                case .subsumedBy: fresh.append(Relation(special: plain, general: other, version: version + 1))
                case .equivalent, .notSubsumed: break
                }
            }
            all.append(plain)
        }
        version += 1
        codes = all
        relations += fresh
        return fresh
    }

    private static func canonical(_ code: TerminologyCode, _ system: String) -> String { code.version.map { "\(system)|\($0)" } ?? system }

    /// The relations added after a version, as the ConceptMap that `$closure` returns in R5. Version 0 gives all.
    public func conceptMap(since version: Int = 0) -> Data {
        let wanted = relations.filter { $0.version > version }
        let systems = Dictionary(grouping: wanted) { Self.canonical($0.special, $0.special.system ?? "") }
        let groups = systems.keys.sorted().map { system -> JSONItem in
            let bySource = Dictionary(grouping: systems[system] ?? []) { $0.special.code }
            let elements = bySource.keys.sorted().map { code -> JSONItem in
                let targets = (bySource[code] ?? []).map { relation -> JSONItem in
                    .object(["code": .string(relation.general.code), "relationship": .string("source-is-narrower-than-target")])
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
