import FireLiteCore
import Foundation

/// The origins in a file: the same one is the same object, whatever memory address stands in the description of its device.
struct ExportOrigins {
    private struct Key: Hashable {
        let source: String
        let version: String
        /// The description of the device, from behind its address.
        let device: String
    }

    private var last: (source: [UInt8], version: [UInt8], device: [UInt8], origin: SampleOrigin)?
    private var known: [Key: SampleOrigin] = [:]
    private var origins: [SampleOrigin: SampleOrigin] = [:]

    /// - Parameters:
    ///   - source: the name of the source; nil if there is none.
    ///   - version: its version.
    ///   - device: the description of the device.
    mutating func origin(source: ExportTag.Value?, version: ExportTag.Value?, device: ExportTag.Value?) -> SampleOrigin {
        let none = ExportTag.Value(start: nil, count: 0)
        let (source, version, device) = (source ?? none, version ?? none, Self.withoutAddress(device ?? none))
        if let last, Self.areEqual(last.device, device), Self.areEqual(last.source, source), Self.areEqual(last.version, version) {
            return last.origin
        }
        let key = Key(source: ExportTag.text(source), version: ExportTag.text(version), device: ExportTag.text(device))
        let origin = known[key] ?? made(key)
        known[key] = origin
        last = (Array(source), Array(version), Array(device), origin)
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

    private static let address = [UInt8]("<<HKDevice:".utf8)

    /// What follows `<<HKDevice: 0x2825f1a40>`, whose number differs from sample to sample.
    private static func withoutAddress(_ description: ExportTag.Value) -> ExportTag.Value {
        guard description.starts(with: address), let end = description.firstIndex(of: UInt8(ascii: ">")) else { return description }
        return ExportTag.Value(rebasing: description[(end + 1)...])
    }

    private static func areEqual(_ known: [UInt8], _ value: ExportTag.Value) -> Bool {
        guard known.count == value.count else { return false }
        guard let start = value.baseAddress else { return true }
        return known.withUnsafeBytes { memory in memory.baseAddress.map { memcmp($0, start, value.count) == 0 } ?? true }
    }

    private static let names: [(String, SampleOrigin.Part)] = [
        ("name:", .deviceName), ("manufacturer:", .manufacturer), ("model:", .model), ("hardware:", .hardware), ("firmware:", .firmware),
        ("software:", .software), ("localIdentifier:", .localIdentifier), ("UDIDeviceIdentifier:", .udi),
    ]

    /// Reads `, name:Apple Watch, manufacturer:Apple Inc., hardware:Watch6,2, software:8.1>`.
    private static func parts(of description: String) -> [SampleOrigin.Part: String] {
        var text = description
        if text.hasSuffix(">") { text.removeLast() }
        var parts: [SampleOrigin.Part: String] = [:]
        var current: SampleOrigin.Part?
        for piece in text.parts(separatedByBytes: ", ") where !piece.isEmpty {
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
