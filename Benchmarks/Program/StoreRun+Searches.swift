import FireLite
import FireLiteR4
import FireLiteSQLite
import FireLiteSearch
import Foundation

// Searches of FHIR, and a view.
extension StoreRun {
    /// The latest results of one patient with one code.
    func latestOfCode() throws -> StoreCost {
        let keys = roots.prefix(Self.sampled).map { "\($0 << 24)" }.joined(separator: ", ")
        let pairs = try values(
            """
            SELECT o.subject_reference || '|' || c.code FROM Observation o JOIN Observation_code_coding c ON c._k BETWEEN o._k AND o._k + 16777215
            WHERE o._k IN (\(keys)) AND o.subject_reference IS NOT NULL
            """)
        let sql = """
            SELECT o._k >> 24 FROM Observation o WHERE o.subject_reference = substr(?1, 1, instr(?1, '|') - 1) AND o._parent IS NULL
            AND EXISTS (SELECT 1 FROM Observation_code_coding c WHERE c._k BETWEEN o._k AND o._k + 16777215
            AND c.code = substr(?1, instr(?1, '|') + 1)) ORDER BY o.effectiveDateTime DESC, o._k DESC LIMIT 20
            """
        return try pages("search, latest 20 of patient and code", pairs, sql) { pair in
            let parts = pair.split(separator: "|")
            return "Observation?patient=\(parts[0])&code=\(parts[1])&_sort=-date&_count=20&_total=none"
        }
    }

    /// Without an index: the first patients with such a name, in the order of the file.
    func byName() throws -> StoreCost {
        let families = try values("SELECT DISTINCT family FROM Patient_name WHERE family IS NOT NULL ORDER BY family LIMIT \(Self.sampled)")
        let sql = """
            SELECT DISTINCT _k >> 24 FROM Patient_name WHERE family >= ?1 COLLATE NOCASE AND family < ?1 || '{' COLLATE NOCASE ORDER BY 1 LIMIT 20
            """
        return try pages("search, page of 20 by family, no index", families, sql) { family in
            "Patient?family=\(family.replacingOccurrences(of: " ", with: "%20"))&_count=20&_total=none"
        }
    }

    /// A total whose second condition has no index.
    func totalUnindexed() throws -> StoreCost {
        let reader = try FloorReader(path)
        let statement = try reader.prepare(
            """
            SELECT count(DISTINCT o._k) FROM Observation_code_coding c CROSS JOIN Observation o ON o._k = c._k & -16777216
            WHERE c.code = ?1 AND o._parent IS NULL AND o.status = 'final'
            """)
        return try each(
            "search, total by code and status, no index on status", Array(values(Self.frequent).prefix(2)),
            { try store.search("Observation?code=\($0)&status=final&_summary=count").total ?? -1 },
            floor: { Int(reader.integer(statement, $0)) })
    }

    /// Four columns of each patient.
    func view() throws -> StoreCost {
        let columns = [("id", "id"), ("gender", "gender"), ("birth_date", "birthDate"), ("family", "name.first().family")]
        let view = ViewDefinition(
            resource: "Patient",
            selects: [ViewDefinition.Select(columns: columns.map { ViewDefinition.Column(name: $0.0, path: $0.1) })])
        let reader = try FloorReader(path)
        let statement = try reader.prepare(
            """
            SELECT p.id, p.gender, p.birthDate, (SELECT n.family FROM Patient_name n WHERE n._k BETWEEN p._k AND p._k + 16777215 ORDER BY n._k LIMIT 1)
            FROM Patient p WHERE p._parent IS NULL ORDER BY p._k
            """)
        return try measure(
            "view of 4 columns of each patient", try database.integer("SELECT count(*) FROM Patient WHERE _parent IS NULL"),
            subject: {
                var rows = 0
                try store.forEachRow(of: view) { row in rows += row.values.count / 4 }
                return rows
            },
            floor: {
                let before = reader.rows
                reader.read(statement)
                return reader.rows - before
            })
    }

    /// - Parameters:
    ///   - sql: finds the numbers of the same resources for an argument.
    ///   - search: the search with an argument.
    private func pages(_ name: String, _ arguments: [String], _ sql: String, _ search: (String) -> String) throws -> StoreCost {
        var options = SearchOptions()
        options.timeZone = .gmt
        let reader = try FloorReader(path)
        let statement = try reader.prepare(sql)
        return try each(
            name, arguments, { try store.search(search($0), options: options).matches.count },
            floor: { reader.readResources(statement, $0) })
    }
}
