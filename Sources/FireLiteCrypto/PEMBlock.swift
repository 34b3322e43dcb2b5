import Foundation

/// A block of a PEM text (RFC 7468).
struct PEMBlock {
    let label: String
    let content: Data

    /// The blocks of a text; empty for anything else, also for DER.
    static func all(in data: Data) -> [PEMBlock] {
        guard let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN ") else { return [] }
        var blocks: [PEMBlock] = []
        var open: (label: String, base64: String)?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                open = (String(line.dropFirst(11).dropLast(5)), "")
            } else if let block = open, line == "-----END \(block.label)-----" {
                if let content = Data(base64Encoded: block.base64) { blocks.append(PEMBlock(label: block.label, content: content)) }
                open = nil
            } else {
                open?.base64 += line
            }
        }
        return blocks
    }

    /// The block as text, with lines of 64 characters.
    var text: String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = content.base64EncodedString()[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        lines.append("-----END \(label)-----")
        return lines.joined(separator: "\n") + "\n"
    }
}
