import Foundation

/// A selector of an XML Patch (RFC 5261, 4.1): a location path down the tree, whose predicates compare positions, attributes and children. These are the
/// paths of the RFC's grammar, and paths in predicates, without which nothing would distinguish elements of FHIR, whose values are attributes.
///
/// It is no full XPath, whose cost nobody could limit.
struct XMLSelector {
    /// The place of the node that is selected.
    enum Place {
        /// A child of a node.
        case child(of: XMLNode, at: Int)
        /// An attribute of an element, by its position.
        case attribute(of: XMLNode, at: Int)
    }

    private enum Test {
        /// An element; nil for any name.
        case element(XMLNode.Name?)
        case text, comment, instruction
        case attribute(XMLNode.Name)
    }

    private enum Condition {
        /// From 1.
        case position(Int)
        /// A descendant or the node itself, of which the text or an attribute has a value.
        case value([XMLNode.Name], attribute: XMLNode.Name?, String)
    }

    private struct Step {
        let test: Test
        var conditions: [Condition] = []
    }

    private static let maximumLength = 4_096
    private var steps: [Step] = []

    /// Parses a selector.
    ///
    /// - Parameters:
    ///   - text: the selector.
    ///   - scope: the namespaces by their prefixes; a name without one is in the default namespace (RFC 5261, 4.2.2).
    /// - Throws: `ServiceFault` with status 400.
    init(_ text: String, scope: [String: String]) throws {
        guard text.utf8.count <= Self.maximumLength else {
            throw ServiceFault(400, "too-long", "a selector is longer than \(Self.maximumLength) bytes")
        }
        var rest = Substring(text)
        if rest.hasPrefix("/") { rest.removeFirst() }
        repeat {
            if case .attribute? = steps.last?.test { throw Self.unknown }
            steps.append(try Self.step(&rest, scope))
        } while Self.take("/", &rest)
        guard rest.isEmpty else { throw Self.unknown }
    }

    private static var unknown: ServiceFault {
        ServiceFault(
            400, "not-supported",
            "a selector is a path of names, with predicates such as [2], [@id='a'] and [f:use/@value='home'], to an element, @attribute or text()"
        )
    }

    // MARK: - Parsing

    private static func take(_ text: String, _ rest: inout Substring) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    private static func step(_ rest: inout Substring, _ scope: [String: String]) throws -> Step {
        let test: Test
        if take("@", &rest) {
            return Step(test: .attribute(try name(&rest, scope, isElement: false)))
        } else if take("*", &rest) {
            test = .element(nil)
        } else if take("text()", &rest) {
            test = .text
        } else if take("comment()", &rest) {
            test = .comment
        } else if take("processing-instruction()", &rest) {
            test = .instruction
        } else {
            test = .element(try name(&rest, scope, isElement: true))
        }
        var step = Step(test: test)
        while take("[", &rest) {
            step.conditions.append(try condition(&rest, scope))
            guard take("]", &rest) else { throw unknown }
        }
        return step
    }

    private static func name(_ rest: inout Substring, _ scope: [String: String], isElement: Bool) throws -> XMLNode.Name {
        let text = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "." || $0 == ":" }
        guard let first = text.first, first.isLetter || first == "_", !text.hasSuffix(":") else { throw unknown }
        rest = rest[text.endIndex...]
        return try XMLTreeReader.name(String(text), scope, isElement: isElement)
    }

    private static func condition(_ rest: inout Substring, _ scope: [String: String]) throws -> Condition {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        if !digits.isEmpty {
            rest = rest[digits.endIndex...]
            guard let number = Int(digits), number > 0 else { throw unknown }
            return .position(number)
        }
        var path: [XMLNode.Name] = []
        var attribute: XMLNode.Name?
        if !take(".", &rest) {
            repeat {
                if take("@", &rest) {
                    attribute = try name(&rest, scope, isElement: false)
                    break
                }
                path.append(try name(&rest, scope, isElement: true))
            } while take("/", &rest)
        }
        guard take("=", &rest), let quote = rest.first, quote == "'" || quote == "\"" else { throw unknown }
        rest.removeFirst()
        let text = rest.prefix { $0 != quote }
        rest = rest[text.endIndex...]
        guard take(String(quote), &rest) else { throw unknown }
        return .value(path, attribute: attribute, String(text))
    }

    // MARK: - Selecting

    /// The one node that the selector finds.
    ///
    /// - Parameter work: how many nodes may still be looked at.
    /// - Throws: `XMLPatchError` if it finds none or several, or looks at too many.
    func place(in document: XMLNode, work: inout Int) throws -> Place {
        var found: [(parent: XMLNode, index: Int)] = []
        var contexts = [document]
        for step in steps {
            if case .attribute(let name) = step.test {
                let owners = contexts.compactMap { node in
                    node.attributes.firstIndex { $0.name == name }.map { (node, $0) }
                }
                guard let owner = owners.only else { throw XMLPatchError.unlocated }
                return .attribute(of: owner.0, at: owner.1)
            }
            found = []
            for context in contexts {
                work -= context.children.count
                guard work > 0 else { throw XMLPatchError.tooCostly }
                var list = context.children.indices.filter { Self.passes(context.children[$0], step.test) }
                for condition in step.conditions {
                    switch condition {
                    case .position(let number): list = list.indices.contains(number - 1) ? [list[number - 1]] : []
                    case .value(let path, let attribute, let text):
                        list = try list.filter {
                            try Self.has(context.children[$0], path: path[...], attribute: attribute, text: text, work: &work)
                        }
                    }
                }
                found += list.map { (context, $0) }
            }
            contexts = found.map { $0.parent.children[$0.index] }
        }
        guard let only = found.only else { throw XMLPatchError.unlocated }
        return .child(of: only.parent, at: only.index)
    }

    private static func passes(_ node: XMLNode, _ test: Test) -> Bool {
        switch (test, node.kind) {
        case (.element(let name), .element): name == nil || name == node.name
        case (.text, .text), (.comment, .comment), (.instruction, .instruction): true
        default: false
        }
    }

    private static func has(
        _ node: XMLNode, path: ArraySlice<XMLNode.Name>, attribute: XMLNode.Name?, text: String, work: inout Int
    ) throws -> Bool {
        work -= 1 + node.children.count
        guard work > 0 else { throw XMLPatchError.tooCostly }
        guard let name = path.first else {
            if let attribute { return node.attributes.contains { $0.name == attribute && $0.value == text } }
            return node.value == text
        }
        return try node.children.contains { child in
            try child.kind == .element && child.name == name
                && has(child, path: path.dropFirst(), attribute: attribute, text: text, work: &work)
        }
    }
}

/// Why an operation of an XML Patch cannot be applied.
enum XMLPatchError: Error {
    case unlocated
    case tooCostly
    case impossible(String)

    var problem: String {
        switch self {
        case .unlocated: "the selector finds no node, or several"
        case .tooCostly: "the selectors look at too many nodes"
        case .impossible(let problem): problem
        }
    }
}
