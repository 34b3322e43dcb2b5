import FireLite
import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// The parameters that a search can use: those of the release, and those that the store's SearchParameter resources define.
struct ParameterCatalog {
    private let store: FHIRStore
    private let definitions: SearchDefinitions?

    init(_ store: FHIRStore) {
        self.store = store
        definitions = SearchDefinitions.of(store.release)
    }

    /// Parameters that every resource has, for releases whose definitions leave them out.
    private static let common: [String: (SearchDefinition.Kind, String)] = [
        "_id": (.token, "Resource.id"), "_lastUpdated": (.date, "Resource.meta.lastUpdated"), "_tag": (.token, "Resource.meta.tag"),
        "_profile": (.uri, "Resource.meta.profile"), "_security": (.token, "Resource.meta.security"),
        "_source": (.uri, "Resource.meta.source"), "_language": (.token, "Resource.language"),
    ]

    /// The parameter of a type with a code; nil if there is none.
    func parameter(_ code: String, on layout: Layout) throws -> SearchDefinition? {
        if code.utf8.first == UInt8(ascii: "_"), let (kind, expression) = Self.common[code] {
            return SearchDefinition(
                url: code, code: code, kind: kind, bases: ["Resource"], expression: expression, targets: [], components: [])
        }
        if let known = definitions?.parameter(code, on: layout), known.expression != nil { return known }
        return try stored("code", code).first { $0.bases.contains { SearchDefinitions.lineage(layout).contains($0) } }
    }

    /// The parameter with a URL.
    func parameter(url: String) throws -> SearchDefinition? {
        if let known = definitions?.content.byURL[url] { return known }
        return try stored("url", url).first
    }

    /// All parameters of a type that have an expression.
    func parameters(of layout: Layout) -> [SearchDefinition] {
        (definitions?.parameters(of: layout) ?? []).filter { $0.expression != nil }
    }

    /// `: did you mean 'birthdate'?` for a parameter that the types do not have; empty if no parameter has a similar name.
    ///
    /// - Parameters:
    ///   - name: the name, with its modifier and chain.
    ///   - layouts: the types.
    ///   - kind: the type of parameters that fit; nil for all.
    ///   - others: names that are no parameters of types and fit, too.
    func hint(for name: String, on layouts: [Layout], kind: SearchDefinition.Kind? = nil, others: [String] = []) -> String {
        let found = layouts.flatMap { parameters(of: $0) }.filter { kind == nil || $0.kind == kind }
        let common = Self.common.filter { kind == nil || $0.value.0 == kind }.keys.sorted()
        return NearWords.hint(for: SearchParameterName(name).code, among: found.map(\.code) + common + others)
    }

    /// `: did you mean 'birthdate'?` for a parameter that the type does not have; empty if no parameter has a similar name.
    func hint(for name: String, on layout: Layout) -> String { hint(for: name, on: [layout]) }

    /// The names of the elements in the summary of a class; nil if none are known.
    func summary(of path: String) -> Set<String>? { definitions?.content.summaries[path] }

    // MARK: - SearchParameter resources

    private func stored(_ element: String, _ value: String) throws -> [SearchDefinition] {
        guard let layout = store.release.resourceLayout(named: "SearchParameter"), let slot = layout.element(named: element)?.slot else {
            return []
        }
        return try store.read { transaction in
            guard transaction.hasTable(of: layout) else { return [] }
            var request = QueryRequest(layout)
            request.predicate = .value(QueryPath([PathStep(slot: slot)]), .compare(.equal, .text(value)))
            return try transaction.resources(keys: transaction.places(request).map(\.key)).compactMap(Self.definition)
        }
    }

    /// The parameters of a type that SearchParameter resources in the store define.
    func defined(on layout: Layout) throws -> [SearchDefinition] {
        try stored("status", "active").filter { $0.bases.contains { SearchDefinitions.lineage(layout).contains($0) } }
    }

    private static func definition(_ resource: FHIRResource) -> SearchDefinition? {
        guard let code = resource.text("code"), let kind = resource.text("type").flatMap({ SearchDefinition.Kind(rawValue: $0) }) else {
            return nil
        }
        let components = resource.children("component").compactMap { component -> SearchDefinition.Component? in
            let definition = component.text("definition") ?? component.children("definition").first?.text("reference")
            guard let definition, let expression = component.text("expression") else { return nil }
            return SearchDefinition.Component(definition: definition, expression: expression)
        }
        return SearchDefinition(
            url: resource.text("url") ?? "", code: code, kind: kind, bases: resource.texts("base"), expression: resource.text("expression"),
            targets: resource.texts("target"), components: components)
    }

    // MARK: - Expressions

    /// What a parameter's expression selects on a type.
    ///
    /// - Throws: `SearchError.notSupported` for an expression that is more than a path.
    func compiled(_ definition: SearchDefinition, on layout: Layout) throws -> CompiledExpression {
        try compiled(definition.expression ?? "", on: layout, code: definition.code)
    }

    /// The values that results are sorted by.
    ///
    /// - Throws: `SearchError.notSupported`.
    func sortPaths(_ definition: SearchDefinition, on layout: Layout) throws -> [SortPath] {
        try ExpressionCache.shared.sortPaths(definition, on: layout) { try SortPaths.paths(compiled(definition, on: layout), definition) }
    }

    func compiled(_ expression: String, on layout: Layout, code: String) throws -> CompiledExpression {
        do {
            return try ExpressionCache.shared.compiled(expression, on: layout)
        } catch is SearchPathCompiler.Unsupported {
            throw SearchError(.notSupported, "the expression of this parameter on \(layout.name) is not a path", in: code)
        } catch is FHIRPathError {
            throw SearchError(.notSupported, "the expression of this parameter is not FHIRPath", in: code)
        }
    }
}

/// The compiled expressions of a process, the latest ones.
///
/// `@unchecked Sendable`: `lock` guards `known` and `knownSorts`.
final class ExpressionCache: @unchecked Sendable {
    static let shared = ExpressionCache()

    /// By bytes: expressions that Swift takes for equal may have literals that differ.
    private struct Key: Hashable {
        let layout: ObjectIdentifier
        let expression: String

        static func == (left: Key, right: Key) -> Bool {
            left.layout == right.layout && left.expression.hasSameBytes(as: right.expression)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(layout)
            // Few expressions of a type are of the same length, and all of them are long.
            hasher.combine(expression.utf8.count)
        }
    }

    private struct SortKey: Hashable {
        let key: Key
        let kind: SearchDefinition.Kind
    }

    private let lock = NSLock()
    private var known: [Key: CompiledExpression] = [:]
    private var knownSorts: [SortKey: [SortPath]] = [:]
    /// A release has about this many parameters; definitions in a store could be any number.
    private static let capacity = 5_000

    func compiled(_ expression: String, on layout: Layout) throws -> CompiledExpression {
        // Layouts live as long as the process.
        let key = Key(layout: ObjectIdentifier(layout), expression: expression)
        lock.lock()
        let found = known[key]
        lock.unlock()
        if let found { return found }
        let compiled = try SearchPathCompiler.compile(expression, on: layout)
        lock.lock()
        defer { lock.unlock() }
        if known.count >= Self.capacity { known.removeAll() }
        known[key] = compiled
        return compiled
    }

    /// The paths that a parameter sorts by, made by `make` if they are not known.
    func sortPaths(_ definition: SearchDefinition, on layout: Layout, _ make: () throws -> [SortPath]) throws -> [SortPath] {
        let key = SortKey(key: Key(layout: ObjectIdentifier(layout), expression: definition.expression ?? ""), kind: definition.kind)
        lock.lock()
        let found = knownSorts[key]
        lock.unlock()
        if let found { return found }
        let paths = try make()
        lock.lock()
        defer { lock.unlock() }
        if knownSorts.count >= Self.capacity { knownSorts.removeAll() }
        knownSorts[key] = paths
        return paths
    }
}
