import Foundation

/// The test vectors of Project Wycheproof, where they are on this machine: `FIRELITE_WYCHEPROOF` names their folder.
enum Wycheproof {
    static let folder = ProcessInfo.processInfo.environment["FIRELITE_WYCHEPROOF"] ?? "/tmp/data/suites/wycheproof"

    /// Whether they are there; tests of them are skipped with `reason` otherwise.
    static let isInstalled = FileManager.default.fileExists(atPath: folder)
    static let reason = "the vectors of Wycheproof are not on this machine: set FIRELITE_WYCHEPROOF to their folder"

    struct File<Group: Decodable>: Decodable {
        let testGroups: [Group]
    }

    enum Result: String, Decodable { case valid, invalid, acceptable }

    /// Bytes in hexadecimal digits.
    struct Hex: Decodable {
        let data: Data

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            data = Data(hex: text)
        }
    }

    static func groups<Group: Decodable>(_ type: Group.Type, in file: String) throws -> [Group] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
        return try JSONDecoder().decode(File<Group>.self, from: data).testGroups
    }
}

extension Data {
    /// Bytes in hexadecimal digits.
    init(hex text: some StringProtocol) {
        self.init()
        var rest = text[...]
        while !rest.isEmpty {
            append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
    }

    var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
