import FireLiteCore
import Foundation

/// JSON Patches (RFC 6902) from one state of a resource to another.
///
/// Before each operation that removes or replaces a value there is a `test` for it, so that a patch that meets another state changes nothing.
enum JSONPatch {
    /// The members that belong to the server.
    private static let serverMembers: Set<String> = ["versionId", "lastUpdated", "source"]

    /// - Returns: nil if one of the texts is not JSON.
    static func patch(from old: String, to new: String) -> Data? {
        guard let first = try? JSONItemReader.read(Data(old.utf8)), let second = try? JSONItemReader.read(Data(new.utf8)) else {
            return nil
        }
        var operations: [String] = []
        compare(first, new: second, path: "", operations: &operations)
        return Data("[\(operations.joined(separator: ","))]".utf8)
    }

    private static func compare(_ old: JSONItem, new: JSONItem, path: String, operations: inout [String]) {
        guard !old.isSame(as: new) else { return }
        switch (old.content, new.content) {
        case (.object(let first), .object(let second)):
            let isMeta = path == "/meta"
            for (name, value) in old.pairs {
                guard !(isMeta && serverMembers.contains(name)) else { continue }
                let place = path + "/" + escaped(name)
                if let other = second.first(where: { $0.name == name }) {
                    compare(value, new: other.value, path: place, operations: &operations)
                } else {
                    if path.isEmpty, name == "meta" { continue }
                    remove(value, place, &operations)
                }
            }
            for (name, value) in new.pairs where !first.contains(where: { $0.name == name }) {
                guard !(isMeta && serverMembers.contains(name)) else { continue }
                operations.append(#"{"op":"add","path":\#(quoted(path + "/" + escaped(name))),"value":\#(value.json)}"#)
            }
        case (.array(let first), .array(let second)): compareLists(first, new: second, path: path, operations: &operations)
        default:
            test(old, path, &operations)
            operations.append(#"{"op":"replace","path":\#(quoted(path)),"value":\#(new.json)}"#)
        }
    }

    private static func compareLists(_ old: [JSONItem], new: [JSONItem], path: String, operations: inout [String]) {
        var start = 0
        while start < old.count, start < new.count, old[start].isSame(as: new[start]) { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1].isSame(as: new[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
        }
        let both = min(oldEnd, newEnd)
        if start < both {
            for index in start..<both { compare(old[index], new: new[index], path: "\(path)/\(index)", operations: &operations) }
        }
        // From the end, so that positions stay.
        if both < oldEnd { for index in (both..<oldEnd).reversed() { remove(old[index], "\(path)/\(index)", &operations) } }
        if both < newEnd {
            for index in both..<newEnd {
                operations.append(#"{"op":"add","path":\#(quoted("\(path)/\(index)")),"value":\#(new[index].json)}"#)
            }
        }
    }

    private static func remove(_ value: JSONItem, _ path: String, _ operations: inout [String]) {
        test(value, path, &operations)
        operations.append(#"{"op":"remove","path":\#(quoted(path))}"#)
    }

    private static func test(_ value: JSONItem, _ path: String, _ operations: inout [String]) {
        operations.append(#"{"op":"test","path":\#(quoted(path)),"value":\#(value.json)}"#)
    }

    private static func escaped(_ name: String) -> String {
        name.replacingBytes("~", with: "~0").replacingBytes("/", with: "~1")
    }

    private static func quoted(_ text: String) -> String { JSONText.string(text) }
}
