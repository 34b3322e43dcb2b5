import FireLite
import FireLiteTerminal

/// Writes rows with named columns, as they come, in one of the formats of lists.
struct RowWriter {
    private let output: BufferedOutput
    private let format: ListFormat
    private let csv: CommaSeparated
    /// The key of the list in the object that `json` is.
    private let key: String
    private var table = TextTable([])
    private var count = 0

    init(_ console: Console, as format: ListFormat, key: String, isForSpreadsheet: Bool) {
        output = BufferedOutput(console.standardOutput)
        self.format = format
        self.key = key
        csv = CommaSeparated(isForTerminal: console.outputIsTerminal, isForSpreadsheet: isForSpreadsheet)
    }

    /// Sets the names of the columns.
    mutating func begin(_ columns: [(name: String, alignment: TextTable.Alignment)]) throws {
        switch format {
        case .table:
            table = TextTable(columns.map(\.alignment))
            table.addHeading(columns.map(\.name))
        case .csv: try output.write(csv.line(columns.map(\.name)))
        case .json: try output.write("{\(JSONText.string(key)):[")
        case .ndjson: break
        }
    }

    /// - Parameters:
    ///   - cells: the cells as text.
    ///   - json: the row as a JSON object.
    mutating func write(_ cells: @autoclosure () throws -> [String], json: @autoclosure () throws -> String) throws {
        switch format {
        case .table: table.add(try cells())
        case .csv: try output.write(csv.line(try cells()))
        case .json: try output.write((count > 0 ? "," : "") + (try json()))
        case .ndjson: try output.write(try json() + "\n")
        }
        count += 1
    }

    func end(_ console: Console) throws {
        if format == .json { try output.write("]}\n") }
        try output.flush()
        if format == .table { try console.print(table) }
    }
}

/// Cells of SQL as text and as JSON.
extension SQLValue {
    var cellText: String {
        switch self {
        case .null: ""
        case .integer(let number): "\(number)"
        case .real(let number): Self.real(number)
        case .text(let text): text
        case .blob(let bytes): "x'\(bytes.hexText)'"
        }
    }

    var cellJSON: String {
        switch self {
        case .null: "null"
        case .integer, .real: cellText
        case .text, .blob: JSONText.string(cellText)
        }
    }

    /// A number that reads back as this one; infinity as a number beyond the range, since JSON has no other.
    private static func real(_ number: Double) -> String {
        number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
    }
}

extension [String] {
    /// The names, made unique, as members of an object must be.
    var distinctNames: [String] {
        var taken: Set<String> = []
        return map { name in
            var distinct = name
            var number = 2
            while !taken.insert(distinct).inserted {
                distinct = "\(name)_\(number)"
                number += 1
            }
            return distinct
        }
    }
}
