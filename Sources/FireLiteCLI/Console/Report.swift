import FireLite
import FireLiteCore
import FireLiteTerminal

/// The results of a command: lines and tables, or with `--json` one JSON object.
///
/// A command states each figure once; both forms are made from it.
struct Report {
    static let option = OptionDefinition.flag("json", "print one JSON object instead of text")

    /// A value with its key in JSON and its name in text.
    struct Figure {
        let key: String
        let value: FigureValue
        let label: String
        let isShown: Bool

        /// - Parameters:
        ///   - label: the key unless given.
        ///   - isShown: whether the text has it, too.
        init(_ key: String, _ value: FigureValue, label: String? = nil, isShown: Bool = true) {
            self.key = key
            self.value = value
            self.label = label ?? key
            self.isShown = isShown
        }
    }

    /// A column of a table.
    struct Column {
        let key: String
        var label: String?
        var alignment = TextTable.Alignment.left
        /// Whether the text has it, too.
        var isShown = true
    }

    private enum Block {
        case line(String)
        case facts(TextTable)
        /// A list that the text has, by its key.
        case list(String)
    }

    /// Rows that a command lists.
    private struct List {
        let columns: [Column]
        var rows: [[FigureValue]]
        var footer: [[String]] = []
        /// The form of the rows in text: a table, or lines.
        var lines: [[String]]?
        /// Whether an item is a value and no object in JSON.
        var isOfValues = false

        var json: String {
            JSONText.array(rows.map { isOfValues ? $0[0].json : object($0) })
        }

        func object(_ row: [FigureValue]) -> String { JSONText.object(zip(columns, row).map { ($0.key, $1.json) }) }

        func text(_ palette: Palette) -> String {
            if let lines { return lines.flatMap { $0 }.map { TerminalText.visible($0) }.joined(separator: "\n") }
            let shown = columns.indices.filter { columns[$0].isShown }
            var table = TextTable(shown.map { columns[$0].alignment })
            table.addHeading(shown.map { columns[$0].label ?? columns[$0].key })
            for row in rows { table.add(shown.map { row[$0].text }) }
            for row in footer { table.add(row) }
            return table.text(palette)
        }
    }

    private enum Member {
        case value(String)
        case list
    }

    private var blocks: [Block] = []
    private var members: [(name: String, value: Member)] = []
    private var lists: [String: List] = [:]

    // MARK: - Adding

    /// Adds a line of text that JSON does not have.
    mutating func addNote(_ line: String) { blocks.append(.line(line)) }

    /// Adds a figure that the text does not have.
    mutating func addMember(_ key: String, _ value: FigureValue) { members.append((key, .value(value.json))) }

    /// Adds a value on a line of its own, without its name.
    mutating func addValue(_ key: String, _ value: FigureValue) {
        addNote(value.text)
        addMember(key, value)
    }

    /// Adds figures on one line: `added 1, updated 2`.
    mutating func addLine(_ figures: [Figure]) {
        blocks.append(.line(figures.filter(\.isShown).map { "\($0.label) \($0.value.text)" }.joined(separator: ", ")))
        for figure in figures { addMember(figure.key, figure.value) }
    }

    /// Adds figures on a line each, aligned.
    mutating func addFacts(_ figures: [Figure]) {
        var table = TextTable([.left, .left])
        for figure in figures where figure.isShown { table.add(figure.label, figure.value.text) }
        blocks.append(.facts(table))
        for figure in figures { addMember(figure.key, figure.value) }
    }

    /// Adds a table with headings; a list of objects in JSON.
    ///
    /// - Parameters:
    ///   - footer: rows that only the text has.
    ///   - isShown: whether the text has it, too.
    mutating func addTable(
        _ key: String, _ columns: [Column], _ rows: [[FigureValue]], footer: [[String]] = [], isShown: Bool = true
    ) {
        add(key, List(columns: columns, rows: rows, footer: footer), isShown: isShown)
    }

    /// Adds a line for each item; a list of objects in JSON.
    ///
    /// - Parameter keys: the keys of every item, so that a list without items has columns, too.
    mutating func addItems(_ key: String, keys: [String] = [], _ items: [(line: String, figures: [Figure])]) {
        addItems(key, keys: keys, items.map { (lines: [$0.line], figures: $0.figures) })
    }

    /// Adds several lines for each item; a list of objects in JSON.
    mutating func addItems(_ key: String, keys: [String] = [], _ items: [(lines: [String], figures: [Figure])]) {
        let columns = (items.first?.figures.map(\.key) ?? keys).map { Column(key: $0) }
        let isUniform = items.allSatisfy { $0.figures.map(\.key) == columns.map(\.key) }
        misuse(unless: isUniform, "the items of one list have the same keys")
        add(key, List(columns: columns, rows: items.map { $0.figures.map(\.value) }, lines: items.map(\.lines)), isShown: true)
    }

    /// Adds one line for all items, or none; a list of objects in JSON.
    mutating func addSummary(_ key: String, _ line: String?, _ items: [[Figure]]) {
        if let line { blocks.append(.line(line)) }
        let columns = (items.first ?? []).map { Column(key: $0.key) }
        add(key, List(columns: columns, rows: items.map { $0.map(\.value) }), isShown: false)
    }

    /// Adds a line for each text; a list of strings in JSON.
    mutating func addTexts(_ key: String, _ texts: [String]) {
        let list = List(
            columns: [Column(key: key)], rows: texts.map { [.text($0)] }, lines: texts.map { [$0] }, isOfValues: true)
        add(key, list, isShown: true)
    }

    /// Adds rows that only formats of lines have: several lists as one, so that none of them is left out there.
    ///
    /// - Parameter key: the name of these rows, by which `lines(of:as:_:)` finds them; neither text nor JSON has it.
    mutating func addLines(_ key: String, _ columns: [String], _ rows: [[FigureValue]]) {
        lists[key] = List(columns: columns.map { Column(key: $0) }, rows: rows)
    }

    private mutating func add(_ key: String, _ list: List, isShown: Bool) {
        lists[key] = list
        if isShown { blocks.append(.list(key)) }
        members.append((key, .list))
    }

    // MARK: - Lists

    /// Leaves the rows of a list that a command was asked for.
    ///
    /// - Throws: `ToolError` with status 1 for a row that the list does not have.
    mutating func page(_ listing: Listing) throws {
        guard listing.limit != nil || listing.skip > 0 || listing.after != nil, var list = lists[listing.key] else { return }
        let part = try listing.part(of: list.rows, list.columns)
        list.rows = Array(list.rows[part])
        list.lines = list.lines.map { Array($0[part]) }
        // A total would be that of all rows.
        list.footer = []
        lists[listing.key] = list
    }

    /// The rows of a list as comma-separated values or lines of JSON, each with its line ending.
    func lines(of key: String, as format: ListFormat, _ csv: CommaSeparated) -> [String] {
        guard let list = lists[key] else { return [] }
        if format == .csv { return [csv.line(list.columns.map(\.key))] + list.rows.map { csv.line($0.map(\.plain)) } }
        return list.rows.map { list.object($0) + "\n" }
    }

    // MARK: - Printing

    /// One line of JSON.
    var json: String {
        JSONText.object(
            members.map { member in
                switch member.value {
                case .value(let json): (member.name, json)
                case .list: (member.name, lists[member.name]?.json ?? "[]")
                }
            })
    }

    /// Lines and tables; an empty line separates a table from what precedes it. Nothing in it can control a terminal.
    func text(_ palette: Palette) -> String {
        var text = ""
        func append(_ part: String, isTable: Bool) { text += (text.isEmpty ? "" : isTable ? "\n\n" : "\n") + part }
        for block in blocks {
            switch block {
            case .line(let line): append(TerminalText.visible(line), isTable: false)
            case .facts(let table): append(table.text(palette), isTable: true)
            case .list(let key):
                guard let list = lists[key] else { continue }
                if let lines = list.lines, lines.isEmpty { continue }
                append(list.text(palette), isTable: list.lines == nil)
            }
        }
        return text
    }
}
