import FireLite
import FireLiteTerminal
import Foundation

/// The environment of a run of the tool: its three streams and whether a person reads them.
struct Console {
    /// Text written here cannot control a terminal.
    let standardOutput: any ByteOutput
    /// Not only for text: a progress line controls the terminal.
    let standardError: any ByteOutput
    /// The descriptor that `-` reads from.
    let standardInput: Int32
    /// Whether standard output is a terminal, and so for a person rather than a program.
    let outputIsTerminal: Bool
    /// Whether standard error is a terminal, where a progress line can be drawn.
    let errorIsTerminal: Bool

    /// How many columns a line of standard output has.
    let width: Int
    /// The variables of the environment.
    let environment: [String: String]

    /// Standard output for texts of this tool with colors, in which everything else is escaped already.
    private let styledOutput: any ByteOutput
    private let outputPalette: Palette
    private let errorPalette: Palette

    /// - Parameter environment: decides about colors (see `Palette`), and can name the database and the editor.
    init(
        standardOutput: any ByteOutput, standardError: any ByteOutput, standardInput: Int32, outputIsTerminal: Bool, errorIsTerminal: Bool,
        width: Int, environment: [String: String] = [:]
    ) {
        self.standardOutput = outputIsTerminal ? VisibleOutput(standardOutput) : standardOutput
        styledOutput = standardOutput
        outputPalette = Palette(isTerminal: outputIsTerminal, environment: environment)
        errorPalette = Palette(isTerminal: errorIsTerminal, environment: environment)
        self.standardError = standardError
        self.standardInput = standardInput
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        self.width = width
        self.environment = environment
    }

    /// Lines are of any length if output is not a terminal.
    static let widthOfFiles = 160

    /// The streams of this process.
    static var process: Console {
        var size = winsize()
        let isTerminal = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Console(
            standardOutput: DescriptorOutput(STDOUT_FILENO, name: "standard output"),
            standardError: DescriptorOutput(STDERR_FILENO, name: "standard error"), standardInput: STDIN_FILENO,
            outputIsTerminal: isatty(STDOUT_FILENO) == 1, errorIsTerminal: isatty(STDERR_FILENO) == 1,
            width: isTerminal ? Int(size.ws_col) : widthOfFiles, environment: ProcessInfo.processInfo.environment)
    }

    /// Writes a line to standard output.
    func print(_ line: String) throws { try standardOutput.write(line + "\n") }

    /// Writes a line with names or texts from a file, which cannot break it into two lines.
    func printItem(_ item: String) throws { try print(TerminalText.visible(item)) }

    /// Writes a table.
    func print(_ table: TextTable) throws { try styledOutput.write(table.text(outputPalette) + "\n") }

    /// Writes the results of a command as text, or as one JSON object.
    func print(_ report: Report, asJSON: Bool) throws {
        if asJSON { try print(report.json) } else { try styledOutput.write(report.text(outputPalette) + "\n") }
    }

    /// A resource as JSON for standard output: one line, or indented for a person.
    func json(_ resource: FHIRResource) -> String { FHIRJSON.string(resource, pretty: outputIsTerminal) }

    /// Writes a message to standard error, as one line. A failure to do so is ignored, as it could not be reported.
    func report(_ message: String) { report(line: Self.line(message)) }

    /// Writes the error that ends a command, with the command's name.
    func reportFailure(of name: String, _ message: String) {
        report(line: errorPalette.red(Self.line("\(name):")) + " " + Self.line(message))
    }

    private func report(line: String) {
        do { try standardError.write(line + "\n") } catch {}
    }

    private static func line(_ message: String) -> String {
        TerminalText.visible(message.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}
