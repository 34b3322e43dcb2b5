import FireLite
import Foundation

extension ImportSource {
    /// The sources that operands name; a folder stands for its files, `-` for standard input.
    ///
    /// - Throws: `TransferError` if a folder cannot be read or has no input file.
    static func all(_ operands: [String], standardInput: Int32) throws -> [ImportSource] {
        try operands.flatMap { $0 == "-" ? [.standardInput(standardInput)] : try all(at: $0) }
    }

    /// Standard input can be read only once.
    ///
    /// - Throws: `ToolError` with status 2 if it is named twice.
    static func checkOperands(_ operands: [String]) throws {
        guard operands.count(where: { $0 == "-" }) <= 1 else {
            throw ToolError.usage("- is given twice, but standard input can be read only once")
        }
    }

    /// An output file is replaced, so it must not be a file of a folder that is read.
    ///
    /// - Throws: `ToolError` with status 2.
    static func checkOutput(_ output: OutputPath?, _ sources: [ImportSource]) throws {
        guard let output else { return }
        if sources.contains(where: { if case .file(let input) = $0 { FileTarget.isSame(input, output.path) } else { false } }) {
            throw ToolError.usage("\(output.name) is \(output.path), which is an input file: name another file")
        }
    }
}
