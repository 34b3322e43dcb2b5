import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteCLI

/// Values that mean something to a terminal, a spreadsheet or a shell leave the tool as they are for programs, and harmless for people.
struct HostileOutputTests {
    private let folder: TemporaryFolder
    private let database: String

    static let values = [
        "\u{1B}[31mred", "\u{9B}2J", "\u{7}", "\u{8}\u{8}", "\u{7F}", "a\rb", "a\nb", "a\tb", "\u{202E}abc", "\u{2066}x", "\u{200F}",
        "\u{2028}", "\u{0}",
        "a,b", "\"", "\"\u{301}", ",\u{301}", "'); DROP TABLE Patient; --", "../../x", "=1+1", "\u{1B}]0;title\u{7}",
        "a\u{200B}b", "a\u{2060}b", "a\u{FEFF}b", "a\u{AD}b",
    ]

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("store.sqlite")
        let lines = Self.values.enumerated().map { number, value in
            FHIRJSON.string(
                Patient {
                    $0.id = "\(number)"; $0.name = [HumanName { $0.family = value }]
                })
        }
        let path = try folder.write("in.ndjson", lines.joined(separator: "\n"))
        let run = try ToolRun("import", "--database", database, path)
        #expect(run.status == .done)
    }

    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
                    || (0x2066...0x2069).contains(scalar.value)
                    || [0xAD, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x2060, 0xFEFF].contains(scalar.value))
        }
    }

    @Test func controlCharactersNeverReachATerminal() throws {
        for arguments in [
            ["find", "--database", database, "Patient"], ["find", "--database", database, "Patient", "--values", "id,name.family"],
            ["find", "--database", database, "Patient", "--values", "id,name.family", "--format", "csv"],
            ["sql", "--database", database, "SELECT family FROM Patient_name"],
            ["sql", "--database", database, "--format", "csv", "SELECT family AS \"\u{1B}[31m\" FROM Patient_name"],
            ["sql", "--database", database, "--format", "ndjson", "SELECT family AS \"\u{202E}\" FROM Patient_name"],
            ["export", "--database", database, "--output", "-"], ["validate", "--database", database],
            ["get", "--database", database, "Patient/0"], ["get", "--database", database, "Patient/8"],
        ] {
            let run = try ToolRun(arguments, isTerminal: true)
            // Some of the values are not valid.
            #expect(run.status == (arguments[0] == "validate" ? .incomplete : .done), "\(arguments)")
            #expect(!run.output.isEmpty && isHarmless(run.output), "\(arguments)")
        }
        // A person sees what is there.
        #expect(
            try ToolRun(["find", "--database", database, "Patient", "--values", "name.family"], isTerminal: true).output.contains(
                "\\u001b[31mred"))
        // What is JSON stays JSON, of the same value.
        let json = try ToolRun(["get", "--database", database, "Patient/1"], isTerminal: true).output
        #expect(try Patient(json: json).name[0].family == Self.values[1])
    }

    /// Names in a file that others made, and what commands say of files, are not the tool's own.
    @Test func controlCharactersInNamesAreEscaped() throws {
        let evil = "\u{1B}[2J\u{202E}\nPatient  9"
        let copy = folder.file("copy\u{1B}[31m.sqlite")
        for arguments in [
            ["backup", "--database", database, copy], ["info", "--database", copy], ["check", "--database", copy],
            ["vacuum", "--database", copy],
            ["recover", copy, folder.file("recovered\u{9B}2J.sqlite")], ["import", "--database", copy, copy],
            ["delete", "--database", database, "Patient/\(evil)"], ["get", "--database", database, "--pk", evil],
            ["find", "--database", database, "Patient", "name.family=\(evil)", "--sql"], ["index", "--database", database, "drop", evil],
            ["validate", copy], ["sql", "--database", database, evil], ["history", "--database", database, "Patient/\(evil)"],
            ["track", "--database", database, "on", evil],
        ] {
            let run = try ToolRun(arguments, isTerminal: true)
            #expect(isHarmless(run.output) && isHarmless(run.error), "\(arguments[0])")
        }
    }

    @Test func aDeepTextHasAShortReason() throws {
        let deep = #"{"resourceType":"Patient","# + String(repeating: #""extension":[{"#, count: 70)
        let run = try ToolRun("import", "--database", database, try folder.write("deep.ndjson", deep))
        #expect(run.status == .incomplete && run.error.split(separator: "\n").count == 1)
        #expect(run.error.contains("Patient.extension[0].extension[0].…") && run.error.count < 400, "\(run.error)")
    }

    /// A character may come in two pieces.
    @Test func charactersInTwoPiecesAreEscapedWhole() throws {
        let memory = MemoryOutput()
        let output = VisibleOutput(memory)
        let bytes = Array("é\u{9B}😀\u{202E}\u{1B}x\n".utf8)
        for byte in bytes { try output.write(Data([byte])) }
        #expect(memory.text == "é\\u009b😀\\u202e\\u001bx\n")
        // What is no UTF-8 is no order either.
        try output.write(Data([0x9B, 0x32, 0x4A]))
        #expect(memory.text.hasSuffix("x\n\u{FFFD}2J"))
    }

    @Test func controlCharactersInErrorsAreEscaped() throws {
        for arguments in [
            ["get", "--database", database, "Patient/\u{1B}[31m"], ["find", "--database", database, "Patient", "\u{9B}=1"],
            ["import", "--database", database, "\u{1B}[2J"], ["\u{1B}[2J"],
        ] {
            let run = try ToolRun(arguments, isTerminal: true)
            #expect(run.status != .done && isHarmless(run.error), "\(run.error.debugDescription)")
        }
    }

    @Test func programsGetTheExactValues() throws {
        let exported = try ToolRun("export", "--database", database, "--output", "-").output.utf8.split(separator: UInt8(ascii: "\n"))
        let families = try exported.map { try Patient(json: String(Substring($0))).name[0].family }
        #expect(families.map { $0.map { Array($0.utf8) } } == Self.values.map { Array($0.utf8) })
        let found = try ToolRun("find", "--database", database, "Patient", "--values", "name[0].family").output.utf8.split(
            separator: UInt8(ascii: "\n"))
        for (line, value) in zip(found, Self.values) {
            let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: String]
            #expect(object?["name[0].family"].map { Array($0.utf8) } == Array(value.utf8))
        }
        for (number, value) in Self.values.enumerated() where !value.contains("\u{0}") {
            let quoted = value.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            let run = try ToolRun("find", "--database", database, "Patient", "name.family=\"\(quoted)\"", "--values", "id")
            #expect(run.output == "{\"id\":\"\(number)\"}\n")
        }
    }

    /// Reads the values back as RFC 4180 has them.
    @Test func commaSeparatedValuesReadBack() throws {
        let csv = try ToolRun("find", "--database", database, "Patient", "--values", "id,name.family", "--format", "csv").output
        var rows: [[String.UnicodeScalarView]] = [[.init()]]
        var isQuoted = false
        var scalars = csv.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            if isQuoted, scalar == "\"", scalars.first == "\"" {
                scalars.removeFirst()
                rows[rows.count - 1][rows[rows.count - 1].count - 1].append("\"")
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, scalar == "," {
                rows[rows.count - 1].append(.init())
            } else if !isQuoted, scalar == "\r", scalars.first == "\n" {
                scalars.removeFirst()
                rows.append([.init()])
            } else {
                rows[rows.count - 1][rows[rows.count - 1].count - 1].append(scalar)
            }
        }
        let cells = rows.dropFirst().dropLast().map { $0.map { Array(String($0).utf8) } }
        #expect(cells == Self.values.enumerated().map { number, value in [Array("\(number)".utf8), Array(value.utf8)] })
    }

    // MARK: - Markers

    /// What the tool says of faulty input has no values; the rejects file, which is asked for, has.
    @Test func faultsShowNoValues() throws {
        let lines = [
            #"{"resourceType":"Patient","birthDate":"MARKER"}"#, #"{"resourceType":"MARKER","id":"MARKER"}"#,
            #"{"resourceType":"Patient","name":[{"MARKER"}]}"#,
            #"{"resourceType":"Patient","language":"MARKER"#, #"MARKER"#,
            #"{"resourceType":"Bundle","type":"MARKER","entry":[{"resource":{"resourceType":"Patient","active":"MARKER"}}]}"#,
        ]
        let path = try folder.write("faults.ndjson", lines.joined(separator: "\n"))
        let run = try ToolRun("import", "--database", database, "--rejects", folder.file("rejects"), path)
        #expect(run.status == .incomplete && !run.output.contains("MARKER") && !run.error.contains("MARKER"))
        let rejects = try folder.read("rejects")
        #expect(rejects.contains("MARKER"))
        for line in rejects.split(separator: "\n") {
            let fault = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect((fault["reason"] as? String)?.contains("MARKER") == false)
        }
        for line in lines {
            let path = try folder.write("one.json", line)
            let run = try ToolRun("import", "--database", database, path, "--strict")
            #expect(!run.output.contains("MARKER") && !run.error.contains("MARKER"), "\(run.error)")
        }
        let fault = RejectedText(fault: ImportFault(file: "f", line: 1, reason: "r"), text: "MARKER")
        #expect(!"\(fault)\(String(reflecting: fault))\(FireLiteTool.failure(fault).message)".contains("MARKER"))
    }
}
