import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// The lines of elements against a writer that notes on which line it writes each.
@Suite struct ElementLinesTests {
    /// Writes random objects, a value a line, and notes the line of each element.
    private struct Writer {
        var generator: SeededGenerator
        var text = ""
        var line = 1
        var lines: [(path: String, line: Int)] = []

        init(_ generator: SeededGenerator) { self.generator = generator }

        mutating func newLine() {
            text += "\n"
            line += 1
        }

        mutating func object(_ path: String, depth: Int) {
            text += "{"
            newLine()
            text += "\"resourceType\": \"a \\\" { [ , ] } \\\\\""
            for name in 0..<Int.random(in: 0...4, using: &generator) {
                text += ","
                newLine()
                text += "\"m\(name)\"  : "
                value("\(path).m\(name)", depth: depth)
            }
            newLine()
            text += "}"
        }

        mutating func value(_ path: String, depth: Int) {
            switch depth == 0 ? 0 : Int.random(in: 0...2, using: &generator) {
            case 1:
                lines.append((path, line))
                object(path, depth: depth - 1)
            case 2:
                text += "["
                for index in 0..<Int.random(in: 1...4, using: &generator) {
                    if index > 0 { text += "," }
                    newLine()
                    lines.append(("\(path)[\(index)]", line))
                    object("\(path)[\(index)]", depth: depth - 1)
                }
                newLine()
                text += "]"
            default:
                lines.append((path, line))
                text += ["true", "-1.50e3", "\"x, }\"", "null", "\"ü\\u007d\""].randomElement(using: &generator)!
            }
        }
    }

    @Test(arguments: 1...20) func everyElementHasItsLine(_ seed: UInt64) throws {
        var writer = Writer(SeededGenerator(seed: seed))
        var starts: [(line: Int, count: Int)] = []
        for _ in 0..<3 {
            starts.append((writer.line, writer.lines.count))
            writer.object("Basic", depth: 5)
            writer.newLine()
        }
        let lines = try #require(ElementLines(Data(writer.text.utf8)))
        for (resource, start) in starts.enumerated() {
            let end = resource + 1 < starts.count ? starts[resource + 1].count : writer.lines.count
            for (path, line) in writer.lines[start.count..<end].shuffled(using: &writer.generator) {
                #expect(lines.line(of: path, from: start.line) == line, "\(path)")
            }
            #expect(lines.line(of: "Basic.none.m1", from: start.line) == start.line)
        }
    }
}
