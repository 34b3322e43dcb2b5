import FireLite
import FireLiteCore
import FireLiteSearch

/// The values that resources of a type have for one search parameter, with their numbers.
struct Facet: Sendable {
    struct Value: Sendable {
        let code: String
        let label: String
        /// Nil if there was no time to count.
        var count: Int?
    }

    let title: String
    let parameter: String
    var values: [Value]
}

/// Finds facets, limited in time.
enum Facets {
    /// The number of facets and of values of each.
    private static let most = (facets: 4, values: 8)
    private static let concepts: Set<String> = ["category", "clinicalStatus", "type", "code", "class", "vaccineCode", "medication"]

    /// The facets of all resources of a type. `isWhole` is false if there was no time for some.
    static func all(_ layout: Layout, _ parameters: [KnownParameter], _ call: PageCall) throws -> (facets: [Facet], isWhole: Bool) {
        let budget = call.budget()
        var facets: [Facet] = []
        for name in Columns.names(layout) where facets.count < most.facets {
            guard let parameter = Columns.parameter(name, parameters), parameter.kind == "token",
                let sql = try statement(name, layout, call)
            else { continue }
            guard let rows = try budget.rows(call.store, sql) else { return (facets, false) }
            let values = rows.compactMap { row -> Facet.Value? in
                guard let code = row[0].textValue ?? row[0].intValue.map({ $0 == 1 ? "true" : "false" }), let count = row[2].intValue else {
                    return nil
                }
                return Facet.Value(code: code, label: row[1].textValue ?? code, count: count)
            }
            // A value that each resource has for itself is no facet.
            if values.contains(where: { ($0.count ?? 0) > 1 }) {
                facets.append(Facet(title: name, parameter: parameter.code, values: values))
            }
        }
        return (facets, true)
    }

    /// The statement that counts the values of an element; nil if it has none, or is of another kind.
    private static func statement(_ name: String, _ layout: Layout, _ call: PageCall) throws -> String? {
        guard let element = ElementValues.elements(named: name, of: layout).first else { return nil }
        let type = layout.name
        if element.kind == .primitive, !element.isList, element.primitive == .code || element.primitive == .boolean {
            guard try call.browser.facts.columns(of: type).contains(name) else { return nil }
            let column = sqlName(name)
            return """
                SELECT \(column), NULL, count(*) FROM \(sqlName(type)) WHERE _parent IS NULL AND \(column) IS NOT NULL
                GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT \(most.values)
                """
        }
        guard concepts.contains(name), element.typeName == "CodeableConcept" else { return nil }
        let table = "\(type)_\(element.name)_coding"
        let columns = try call.browser.facts.columns(of: table)
        guard columns.contains("code") else { return nil }
        return """
            SELECT code, \(columns.contains("display") ? "max(display)" : "NULL"), count(DISTINCT _k >> 24) FROM \(sqlName(table))
            WHERE code IS NOT NULL GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT \(most.values)
            """
    }

    /// The same values with the numbers of those that a search finds, as far as there is time.
    static func counted(_ facets: [Facet], in request: SearchRequest, _ call: PageCall) throws -> (facets: [Facet], isWhole: Bool) {
        let budget = call.budget()
        var isWhole = true
        var options = call.searchOptions
        options.countsTotal = true
        let counted = try facets.map { facet -> Facet in
            var facet = facet
            for place in facet.values.indices {
                facet.values[place].count = nil
                let narrowed = request.where(facet.parameter, SearchRequest.escaped(facet.values[place].code)).where("_summary", "count")
                guard let counted = try budget.run(call.transaction, { try call.transaction.search(narrowed, options: options) }) else {
                    isWhole = false
                    continue
                }
                facet.values[place].count = counted.total
            }
            return facet
        }
        return (counted, isWhole)
    }
}
