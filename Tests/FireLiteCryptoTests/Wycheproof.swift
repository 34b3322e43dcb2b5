import Foundation
import TestSupport

/// The test vectors of Project Wycheproof, from the archive of suites beside the package.
enum Wycheproof {
    /// Whether they are there; tests of them are skipped with `reason` otherwise.
    static let isInstalled = SharedArchive.suites != nil
    static let reason = "the archive suites.tar.xz is not beside the package, in ../shared/data"

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
        guard let archive = SharedArchive.suites else { return [] }
        return try JSONDecoder().decode(File<Group>.self, from: archive.content(of: "wycheproof/\(file)")).testGroups
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
