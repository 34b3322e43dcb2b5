import Foundation

/// The origins in a file: the same one is the same object, whatever memory address stands in the description of its device.
struct ExportOrigins {
    private struct Key: Hashable {
        let source: String
        let version: String
        /// The description of the device, from behind its address.
        let device: Substring
    }

    private var last: (key: Key, origin: SampleOrigin)?
    private var known: [Key: SampleOrigin] = [:]
    private var origins: [SampleOrigin: SampleOrigin] = [:]

    mutating func origin(_ attributes: [String: String]) -> SampleOrigin {
        let key = Key(
            source: attributes["sourceName"] ?? "", version: attributes["sourceVersion"] ?? "",
            device: Self.withoutAddress(attributes["device"] ?? ""))
        if let last, last.key == key { return last.origin }
        let origin = known[key] ?? made(key)
        known[key] = origin
        last = (key, origin)
        return origin
    }

    private mutating func made(_ key: Key) -> SampleOrigin {
        var parts = Self.parts(of: key.device)
        parts[.sourceName] = key.source
        parts[.sourceVersion] = key.version
        let new = SampleOrigin(parts)
        let origin = origins[new] ?? new
        origins[origin] = origin
        return origin
    }

    /// What follows `<<HKDevice: 0x2825f1a40>`, whose number differs from sample to sample.
    private static func withoutAddress(_ description: String) -> Substring {
        guard description.utf8.starts(with: "<<HKDevice:".utf8), let end = description.utf8.firstIndex(of: UInt8(ascii: ">")) else {
            return description[...]
        }
        return description[description.utf8.index(after: end)...]
    }

    private static let names: [(String, SampleOrigin.Part)] = [
        ("name:", .deviceName), ("manufacturer:", .manufacturer), ("model:", .model), ("hardware:", .hardware), ("firmware:", .firmware),
        ("software:", .software), ("localIdentifier:", .localIdentifier), ("UDIDeviceIdentifier:", .udi),
    ]

    /// Reads `, name:Apple Watch, manufacturer:Apple Inc., hardware:Watch6,2, software:8.1>`.
    private static func parts(of description: Substring) -> [SampleOrigin.Part: String] {
        var text = description
        if text.hasSuffix(">") { text.removeLast() }
        var parts: [SampleOrigin.Part: String] = [:]
        var current: SampleOrigin.Part?
        for piece in text.components(separatedBy: ", ") where !piece.isEmpty {
            if let (name, part) = names.first(where: { piece.hasPrefix($0.0) }) {
                current = part
                parts[part] = String(piece.dropFirst(name.count))
            } else if piece.hasPrefix("creation date:") {
                current = nil
            } else if let current {
                // A comma in a value.
                parts[current, default: ""] += ", " + piece
            }
        }
        return parts
    }
}
