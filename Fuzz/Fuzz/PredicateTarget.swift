import FireLite
import FireLiteR4
import Foundation

/// The conditions and paths of `firelite find`: each is refused as an argument, or runs; and of a condition with `=` and its opposite with
/// `!=` exactly one holds for each resource.
///
/// The first byte says of which type.
enum PredicateTarget {
    private static let types: [FHIRResource.Type] = [
        Patient.self, Observation.self, Questionnaire.self, Bundle.self, MedicationRequest.self, StructureDefinition.self,
    ]

    private static let store: FHIRStore = {
        do {
            let store = try FHIRStore.inMemory(release: .r4)
            let resources = try StoreTarget.examples.map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) }
            try store.write { tx in _ = try tx.upsert(resources) }
            return store
        } catch {
            fatalError("\(error)")
        }
    }()

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard let first = bytes.first else { return }
        let type = types[Int(first) % types.count]
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let parser = PredicateParser(type._layout)
        if let column = try argument({ try parser.column(text) }) {
            _ = try argument { try store.forEachCells(QueryRequest(type._layout), [column]) { _ in } }
        }
        if let path = try argument({ try parser.valuePath(text) }) {
            var request = QueryRequest(type._layout)
            request.sort = [SortKey(path: path, isDescending: first > 127, nulls: .last)]
            _ = try argument { try store.count(request) }
        }
        let words = text.split(separator: " ").map(String.init)
        if let predicate = try argument({ try parser.conditions(words) }) {
            var request = QueryRequest(type._layout)
            request.add(predicate)
            _ = try argument { try store.count(request) }
        }
        guard let count = try count(text, parser, type) else { return }
        // An expression's opposite is another one than that of its first condition.
        let isExpression = text.hasPrefix("(") || text.lowercased().hasPrefix("not")
        if isExpression { return }
        if let relation = text.firstRange(of: "="), !text.hasSuffix("}"), !"!<>:^$*~".contains(text[..<relation.lowerBound].last ?? "x") {
            let opposite = try self.count(text.replacingCharacters(in: relation, with: "!="), parser, type)
            guard text[..<relation.lowerBound].allSatisfy({ !"<>~".contains($0) }) else { return }
            let all = try store.count(QueryRequest(type._layout))
            require(opposite.map { $0 + count == all } ?? true, "\(count) and \(opposite ?? 0) of \(all)")
        }
    }

    private static func count(_ text: String, _ parser: PredicateParser, _ type: FHIRResource.Type) throws -> Int? {
        try argument {
            var request = QueryRequest(type._layout)
            request.add(try parser.condition(text))
            return try store.count(request)
        }
    }

    /// What `body` gives; nil where it says that an argument is wrong. Any other error is a finding.
    private static func argument<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let error as FHIRStoreError where error.code == .invalidArgument {
            return nil
        }
    }
}
