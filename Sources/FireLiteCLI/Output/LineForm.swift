import Foundation

/// The members of the lines that a command writes as JSON lines. A file is replaced only if its lines have them, too: other JSON, such as a keyring or
/// resources, is never lost.
struct LineForm: Equatable {
    /// The names of a line's members in their order; nil stands for any name.
    let alternatives: [[String?]]

    init(_ alternatives: [String?]...) { self.alternatives = alternatives }

    /// The number of lines of a file that are looked at: a command writes all lines in one form.
    private static let lineCount = 100
    private static let chunk = 1 << 16
    /// A longer name is not a member of any output.
    fileprivate static let longestName = 256

    /// Whether the first lines of a file have this form, which those of an empty file do.
    ///
    /// - Throws: `ToolError` with status 3 if the file cannot be read.
    func fits(fileAt path: String) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system(path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        var scanner = MemberNameScanner()
        var lines = 0
        while lines < Self.lineCount {
            let count = read(descriptor, &bytes, bytes.count)
            guard count >= 0 else { throw ToolError.system(path) }
            // The last line may lack its line break.
            if count == 0, scanner.isAtStart { return true }
            for byte in count == 0 ? [UInt8(ascii: "\n")][...] : bytes[..<count] where lines < Self.lineCount {
                switch scanner.take(byte) {
                case .more: continue
                case .line(let names): guard fits(names) else { return false }
                case .fault: return false
                }
                lines += 1
            }
        }
        return true
    }

    private func fits(_ names: [String]) -> Bool {
        alternatives.contains { form in form.count == names.count && zip(form, names).allSatisfy { $0 == nil || $0 == $1 } }
    }
}

/// Finds the names of the members of JSON objects, one object a line, without keeping their values: a rejected text can be as long as a resource. It
/// checks no more of the JSON than it needs.
private struct MemberNameScanner {
    enum Step {
        case more
        /// A line ends; these are the names of its members.
        case line([String])
        /// The text is not an object in one line.
        case fault
    }

    private var names: [String] = []
    private var name: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether the next string, or the one that is read, is the name of a member.
    private var isName = false
    private var isComplete = false
    /// Whether nothing of a line was read.
    private(set) var isAtStart = true

    mutating func take(_ byte: UInt8) -> Step {
        isAtStart = false
        if isInString { return takeText(byte) }
        switch byte {
        case UInt8(ascii: "\n"): return endLine()
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): return .more
        case UInt8(ascii: "{") where depth == 0 && !isComplete:
            depth = 1
            isName = true
        case _ where depth == 0: return .fault
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: ","): isName = depth == 1
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            isComplete = depth == 0
        default: break
        }
        return .more
    }

    private mutating func takeText(_ byte: UInt8) -> Step {
        if byte == UInt8(ascii: "\n") { return .fault }
        if !isEscaped, byte == UInt8(ascii: "\"") {
            isInString = false
            if isName {
                names.append(String(decoding: name, as: UTF8.self))
                name = []
                isName = false
            }
            return .more
        }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        if isName { name.append(byte) }
        return name.count > LineForm.longestName ? .fault : .more
    }

    private mutating func endLine() -> Step {
        guard isComplete else { return .fault }
        let line = names
        self = MemberNameScanner()
        return .line(line)
    }
}
