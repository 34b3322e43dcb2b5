/// Fills a template in.
struct TemplateRenderer {
    private let templates: TemplateLibrary
    private var output = ""
    /// Spaces to put in front of every line, from partials.
    private var indentation = ""
    /// The templates being rendered, each included by the one before it.
    private var open: [String]

    /// The maximum depth of nested partials.
    private static let deepestPartial = 100

    /// Renders a template.
    ///
    /// - Parameter place: Where the template is named, if that is not the Generator itself.
    /// - Throws: `GeneratorError` at the tag whose key or partial there is not.
    static func render(
        _ name: String, in templates: TemplateLibrary, _ context: TemplateContext, setBy place: SourceLocation? = nil
    ) throws -> String {
        var renderer = TemplateRenderer(templates: templates, open: [name])
        try renderer.render(try templates.template(name, includedAt: place), [context])
        return renderer.output
    }

    private init(templates: TemplateLibrary, open: [String]) {
        self.templates = templates
        self.open = open
    }

    private mutating func render(_ nodes: [TemplateNode], _ stack: [TemplateContext]) throws {
        for node in nodes {
            switch node {
            case .text(let text):
                write(text)
            case .variable(let key, let location):
                let value = try value(key, stack, location)
                guard case .text(let text) = value else {
                    throw GeneratorError("`\(key)` is \(value.kindName), not a text to insert", at: location)
                }
                write(text)
            case .section(let key, let isInverted, let body, let location):
                try renderSection(try value(key, stack, location), isInverted: isInverted, body, stack)
            case .partial(let name, let indentation, let location):
                try renderPartial(name, added: indentation, location: location, stack: stack)
            }
        }
    }

    private mutating func renderSection(
        _ value: TemplateValue, isInverted: Bool, _ body: [TemplateNode], _ stack: [TemplateContext]
    ) throws {
        let contexts: [TemplateContext]
        switch value {
        case .text(let text): contexts = text.isEmpty ? [] : [[:]]
        case .flag(let flag): contexts = flag ? [[:]] : []
        case .context(let context): contexts = [context]
        case .list(let list):
            contexts = list.enumerated().map { index, item in
                let position: TemplateContext = ["isFirst": .flag(index == 0), "isLast": .flag(index == list.count - 1)]
                return item.merging(position) { own, _ in own }
            }
        }
        if isInverted {
            if contexts.isEmpty { try render(body, stack) }
        } else {
            for context in contexts { try render(body, stack + [context]) }
        }
    }

    private mutating func renderPartial(
        _ name: String, added: String, location: SourceLocation, stack: [TemplateContext]
    ) throws {
        if let start = open.firstIndex(of: name) {
            // The current tag closes the cycle, wherever it was entered.
            let way = open[start...].dropFirst().map { "`\($0)`" }
            let through = way.isEmpty ? "" : " through " + way.joined(separator: ", ")
            throw GeneratorError("partial `\(name)` includes itself\(through)", at: location)
        }
        guard open.count <= Self.deepestPartial else {
            throw GeneratorError("partials nested more than \(Self.deepestPartial) deep", at: location)
        }
        let outer = indentation
        open.append(name)
        indentation += added
        try render(try templates.template(name, includedAt: location), stack)
        indentation = outer
        open.removeLast()
    }

    /// Looks a key up from the innermost context outwards; a dot goes into a group of keys.
    private func value(_ path: String, _ stack: [TemplateContext], _ location: SourceLocation) throws -> TemplateValue {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = keys.first, var value = stack.reversed().lazy.compactMap({ $0[first] }).first else {
            throw GeneratorError("no key `\(path)` here", at: location)
        }
        for key in keys.dropFirst() {
            guard case .context(let context) = value, let next = context[key] else {
                throw GeneratorError("no key `\(path)` here", at: location)
            }
            value = next
        }
        return value
    }

    /// Appends text, indented at the start of every line that is not empty.
    private mutating func write(_ text: String) {
        guard !indentation.isEmpty else {
            output += text
            return
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { output += "\n" }
            if !line.isEmpty {
                if output.isEmpty || output.hasSuffix("\n") { output += indentation }
                output += line
            }
        }
    }
}
