import FireLite
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

    init(
        standardOutput: any ByteOutput, standardError: any ByteOutput, standardInput: Int32, outputIsTerminal: Bool, errorIsTerminal: Bool,
        width: Int
    ) {
        self.standardOutput = outputIsTerminal ? VisibleOutput(standardOutput) : standardOutput
        self.standardError = standardError
        self.standardInput = standardInput
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        self.width = width
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
            width: isTerminal ? Int(size.ws_col) : widthOfFiles)
    }

    /// Writes a line to standard output.
    func print(_ line: String) throws { try standardOutput.write(line + "\n") }

    /// Writes a line with names or texts from a file, which cannot break it into two lines.
    func printItem(_ item: String) throws { try print(TerminalText.visible(item)) }

    /// A resource as JSON for standard output: one line, or indented for a person.
    func json(_ resource: FHIRResource) -> String { FHIRJSON.string(resource, pretty: outputIsTerminal) }

    /// Writes an error message to standard error, as one line. A failure to do so is ignored, as it could not be reported.
    func report(_ message: String) {
        let line = TerminalText.visible(message.split(whereSeparator: \.isNewline).joined(separator: " "))
        do { try standardError.write(line + "\n") } catch {}
    }
}
