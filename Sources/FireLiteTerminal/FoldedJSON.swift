import Foundation

/// Compact JSON: values that fit are on one line, and others are indented.
package struct FoldedJSON {
    private enum Node {
        case leaf(String)
        /// The items of an object, each with its member name, or of a list.
        case container(open: String, close: String, items: [(name: String, node: Node)])
    }

    private let width: Int
    package private(set) var lines: [String] = []

    /// The lines of a well-formed text, of at most `width` characters if strings allow it.
    package static func lines(_ json: String, width: Int) -> [String] {
        var parser = Parser(characters: Array(json))
        var folded = FoldedJSON(width: width)
        folded.write(parser.node(), prefix: "", suffix: "", indentation: 0)
        return folded.lines
    }

    private init(width: Int) { self.width = width }

    private mutating func write(_ node: Node, prefix: String, suffix: String, indentation: Int) {
        let margin = String(repeating: " ", count: indentation)
        let flat = margin + prefix + Self.flat(node) + suffix
        guard flat.count > width, case .container(let open, let close, let items) = node else {
            lines.append(flat)
            return
        }
        lines.append(margin + prefix + open)
        for (index, item) in items.enumerated() {
            write(item.node, prefix: item.name, suffix: index == items.count - 1 ? "" : ",", indentation: indentation + 2)
        }
        lines.append(margin + close + suffix)
    }

    private static func flat(_ node: Node) -> String {
        switch node {
        case .leaf(let text): text
        case .container(let open, let close, let items): open + items.map { $0.name + flat($0.node) }.joined(separator: ", ") + close
        }
    }

    private struct Parser {
        let characters: [Character]
        var index = 0

        mutating func node() -> Node {
            guard index < characters.count else { return .leaf("") }
            let open = characters[index]
            guard open == "{" || open == "[" else { return .leaf(leaf()) }
            index += 1
            var items: [(name: String, node: Node)] = []
            while index < characters.count, characters[index] != "}", characters[index] != "]" {
                let name = open == "{" ? leaf() + ": " : ""
                if open == "{" { index += 1 }
                items.append((name, node()))
                if index < characters.count, characters[index] == "," { index += 1 }
            }
            index += 1
            return .container(open: String(open), close: open == "{" ? "}" : "]", items: items)
        }

        /// A string, number or word.
        private mutating func leaf() -> String {
            let start = index
            let isString = characters[index] == "\""
            index += 1
            while index < characters.count {
                let character = characters[index]
                if isString ? character == "\"" : ",:]}".contains(character) { break }
                index += character == "\\" ? 2 : 1
            }
            if isString { index += 1 }
            return String(characters[start..<min(index, characters.count)])
        }
    }
}
