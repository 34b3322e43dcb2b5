import FireLite
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
        case table(TextTable)
    }

    private var blocks: [Block] = []
    private var members: [(name: String, json: String)] = []

    // MARK: - Adding

    /// Adds a line of text that JSON does not have.
    mutating func addNote(_ line: String) { blocks.append(.line(line)) }

    /// Adds a figure that the text does not have.
    mutating func addMember(_ key: String, _ value: FigureValue) { members.append((key, value.json)) }

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
        blocks.append(.table(table))
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
        let shown = columns.indices.filter { columns[$0].isShown }
        var table = TextTable(shown.map { columns[$0].alignment })
        table.addHeading(shown.map { columns[$0].label ?? columns[$0].key })
        for row in rows { table.add(shown.map { row[$0].text }) }
        for row in footer { table.add(row) }
        if isShown { blocks.append(.table(table)) }
        members.append((key, JSONText.array(rows.map { row in JSONText.object(zip(columns, row).map { ($0.key, $1.json) }) })))
    }

    /// Adds a line for each item; a list of objects in JSON.
    mutating func addItems(_ key: String, _ items: [(line: String, figures: [Figure])]) {
        addItems(key, items.map { (lines: [$0.line], figures: $0.figures) })
    }

    /// Adds several lines for each item; a list of objects in JSON.
    mutating func addItems(_ key: String, _ items: [(lines: [String], figures: [Figure])]) {
        for item in items { for line in item.lines { blocks.append(.line(line)) } }
        members.append((key, JSONText.array(items.map { item in JSONText.object(item.figures.map { ($0.key, $0.value.json) }) })))
    }

    /// Adds one line for all items, or none; a list of objects in JSON.
    mutating func addSummary(_ key: String, _ line: String?, _ items: [[Figure]]) {
        if let line { blocks.append(.line(line)) }
        members.append((key, JSONText.array(items.map { item in JSONText.object(item.map { ($0.key, $0.value.json) }) })))
    }

    /// Adds a line for each text; a list of strings in JSON.
    mutating func addTexts(_ key: String, _ texts: [String]) {
        for text in texts { blocks.append(.line(text)) }
        addMember(key, .texts(texts))
    }

    // MARK: - Printing

    /// One line of JSON.
    var json: String { JSONText.object(members) }

    /// Lines and tables; an empty line separates a table from what precedes it. Nothing in it can control a terminal.
    func text(_ palette: Palette) -> String {
        var text = ""
        for block in blocks {
            switch block {
            case .line(let line): text += (text.isEmpty ? "" : "\n") + TerminalText.visible(line)
            case .table(let table): text += (text.isEmpty ? "" : "\n\n") + table.text(palette)
            }
        }
        return text
    }
}
