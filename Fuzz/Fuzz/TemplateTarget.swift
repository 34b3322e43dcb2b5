import Foundation

@testable import FireLiteGenerator

/// The template parser and renderer: a mistake is an error of the Generator, and what has no tags comes out as it is,
/// with `\n` at the ends of lines.
enum TemplateTarget {
    private static let item: TemplateContext = ["name": .text("n"), "items": .flag(false), "flag": .flag(true)]
    private static let context: TemplateContext = [
        "name": .text("Name"), "empty": .text(""), "flag": .flag(true), "off": .flag(false), "group": .context(["name": .text("g")]),
        "items": .list([item, item, item]), "none": .list([]), "count": .number(3),
    ]
    private static let partial = SourceFile(name: "part.swift.tmpl", bytes: Array("a {{name}}\n{{#items}}\n  {{name}},\n{{/items}}\n".utf8))

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        do {
            let main = SourceFile(name: "main.swift.tmpl", bytes: Array(bytes))
            let library = try TemplateLibrary(folder: "fuzz", files: [main, partial])
            let text = try TemplateRenderer.render("main", in: library, context)
            if !bytes.contains(UInt8(ascii: "{")) { require(Array(text.utf8) == main.unifiedLines, "plain text is changed") }
        } catch is GeneratorError {}
    }
}
