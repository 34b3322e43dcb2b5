import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport

/// Changes a store's file as an attacker with a SQLite shell could: seeded, and different each time.
struct FileMutation {
    private var random: SeededGenerator
    private let connection: Connection

    init(seed: UInt64, _ connection: Connection) {
        random = SeededGenerator(seed: seed)
        self.connection = connection
    }

    /// Makes one to four changes. What SQLite refuses is left out.
    ///
    /// - Returns: the statements that were run.
    mutating func run() throws -> [String] {
        var done: [String] = []
        try connection.execute("PRAGMA writable_schema = ON; PRAGMA legacy_alter_table = ON; PRAGMA ignore_check_constraints = ON")
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let sql = try statement()
            do {
                try connection.execute(sql)
                done.append(sql)
            } catch is SQLiteError {
                continue
            }
        }
        return done
    }

    // MARK: - Choices

    private func names(_ sql: String) throws -> [String] {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        var names: [String] = []
        while try statement.step() { if let name = statement.text(0) { names.append(name) } }
        return names
    }

    private mutating func table() throws -> String {
        let names = try names(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND sql NOT LIKE '%VIRTUAL%'")
        return names.randomElement(using: &random) ?? "_meta"
    }

    private mutating func column(of table: String) throws -> String {
        let statement = try connection.prepare("PRAGMA table_info(\(quoted(table)))")
        defer { statement.reset() }
        var names: [String] = []
        while try statement.step() { if let name = statement.text(1) { names.append(name) } }
        return names.randomElement(using: &random) ?? "_k"
    }

    private mutating func value() -> String {
        let number = Int64.random(in: -3...70, using: &random)
        return [
            "NULL", "\(number)", "\(number << 24)", "\(number << 24 | 1)", "9223372036854775807", "-9223372036854775808", "549755813888",
            "4294967296",
            "16777216", "1e308", "9e999", "-0.0", "1.5", "''", "'x'", "'contained'", "'Patient'", "'Patient Patient_name'", "'a.b.c'",
            "'9999-12-31'",
            "'2020-13-45T99:99:99'", "'\"'", "x''", "x'00'", "x'C328'", "zeroblob(100000)", "CAST(zeroblob(5000) AS TEXT)",
            "hex(randomblob(40))",
            "char(0, 27, 8238)", "'true'", "'1}, {'",
        ].randomElement(using: &random) ?? "0"
    }

    private mutating func rows() -> String {
        [
            "", " WHERE rowid = (SELECT max(rowid) FROM T)", " WHERE rowid % 3 = 1", " WHERE rowid = (SELECT min(rowid) FROM T)",
        ].randomElement(using: &random) ?? ""
    }

    // MARK: - Statements

    private mutating func statement() throws -> String {
        let table = try table()
        let name = quoted(table)
        func chosen(_ rows: String) -> String { rows.replacingOccurrences(of: "FROM T", with: "FROM \(name)") }
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1, 2, 3: return "UPDATE OR IGNORE \(name) SET \(quoted(try column(of: table))) = \(value())\(chosen(rows()))"
        case 4: return "UPDATE OR IGNORE \(name) SET _parent = \(value())\(chosen(rows()))"
        case 5: return "UPDATE OR IGNORE \(name) SET _k = _k + \(Int64.random(in: -3...(1 << 25), using: &random))\(chosen(rows()))"
        case 6: return "INSERT OR IGNORE INTO \(quoted(try self.table()))(_k, _parent, _ord) SELECT _k, _parent, _ord FROM \(name)"
        case 7: return "DELETE FROM \(name)\(chosen(rows()))"
        case 8:
            return
                "ALTER TABLE \(name) RENAME TO \(quoted(["Account", "Patient_x", "_meta2", "x\" y", "view"].randomElement(using: &random) ?? "x"))"
        case 9:
            return
                "ALTER TABLE \(name) ADD COLUMN \(quoted(["id", "_member", "x", "active", "name", "value"].randomElement(using: &random) ?? "x")) TEXT"
        case 10:
            return
                "CREATE TRIGGER \(["t", "\"_text_Patient__Patient__insert\""].randomElement(using: &random) ?? "t") AFTER INSERT ON \(name) BEGIN DELETE FROM Patient; END"
        case 11:
            return "CREATE VIEW \(quoted(["v", "Account", "_index", "Patient_photo"].randomElement(using: &random) ?? "v")) AS "
                + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS _k, i AS name FROM n"
        case 12:
            let position = Int.random(in: 1...60, using: &random)
            let text = ["'", "\"", "(", ",", " CHECK (1)", "/*", " DEFAULT 1", ")", "\0", "é"].randomElement(using: &random) ?? ""
            return "UPDATE sqlite_master SET sql = substr(sql, 1, \(position)) || '\(text.replacingOccurrences(of: "'", with: "''"))' "
                + "|| substr(sql, \(position + Int.random(in: 0...2, using: &random))) WHERE name = '\(table)'"
        default:
            return [
                "UPDATE sqlite_master SET rootpage = rootpage + 1 WHERE name = '\(table)'",
                "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = '_resource') WHERE name = '\(table)'",
                "UPDATE sqlite_master SET name = \(value()), tbl_name = \(value()) WHERE name = '\(table)'",
                "UPDATE sqlite_master SET type = 'view' WHERE name = '\(table)'", "DELETE FROM sqlite_master WHERE name = '\(table)'",
                "UPDATE _index SET type = \(value()), source = \(value())", "UPDATE _index SET columns = \(value())",
                "UPDATE _index SET kind = 'fullText'",
                "PRAGMA user_version = \(Int.random(in: -1...4, using: &random))", "DROP INDEX IF EXISTS Patient__id",
                "CREATE INDEX IF NOT EXISTS own ON \(name)(hex(_k))",
            ].randomElement(using: &random) ?? ""
        }
    }
}
