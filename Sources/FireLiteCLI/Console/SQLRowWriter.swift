import FireLite
import FireLiteTerminal

/// Writes the rows of a statement as a table, as comma-separated values or as JSON lines.
struct SQLRowWriter {
    enum Form {
        case table, csv, json
    }

    let output: any ByteOutput
    let form: Form
    let csv: CommaSeparated
    private var names: [String] = []
    private var table = TextTable([])

    init(output: any ByteOutput, form: Form, csv: CommaSeparated) {
        self.output = output
        self.form = form
        self.csv = csv
    }

    /// Sets the names of the columns.
    mutating func begin(_ columns: [String]) throws {
        switch form {
        case .table:
            table = TextTable(columns.map { _ in .left })
            table.addHeading(columns)
        case .csv: try output.write(csv.line(columns))
        case .json: names = Self.distinct(columns)
        }
    }

    mutating func write(_ values: [SQLValue]) throws {
        switch form {
        case .table: table.add(values.map(Self.text))
        case .csv: try output.write(csv.line(values.map(Self.text)))
        case .json: try output.write(JSONText.object(zip(names, values).map { ($0, Self.json($1)) }) + "\n")
        }
    }

    func end(_ console: Console) throws {
        if form == .table { try console.print(table) }
    }

    /// Makes the names unique, as members of an object must be.
    private static func distinct(_ columns: [String]) -> [String] {
        var taken: Set<String> = []
        return columns.map { column in
            var name = column
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(column)_\(number)"
                number += 1
            }
            return name
        }
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): "\(number)"
        case .real(let number): real(number)
        case .text(let text): text
        case .blob(let bytes): "x'\(bytes.hexText)'"
        }
    }

    private static func json(_ value: SQLValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .real(let number): real(number)
        case .text(let text): JSONText.string(text)
        case .blob(let bytes): JSONText.string("x'\(bytes.hexText)'")
        }
    }

    /// A number that reads back as this one; infinity as a number beyond the range, since JSON has no other.
    private static func real(_ number: Double) -> String {
        number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
    }
}
