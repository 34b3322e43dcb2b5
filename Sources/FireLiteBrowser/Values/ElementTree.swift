import FireLite
import FireLiteCore
import Foundation

/// The elements of a resource, numbered in the order of its JSON, so that its tree, its text and its rows can point at each other.
struct ElementTree {
    struct Node {
        let key: Int
        /// The name with the position in a list, `given[1]`.
        let label: String
        /// The path from the resource, `name[0].given[1]`.
        let path: String
        /// The member's name in JSON, which for the id and extensions of a primitive begins with an underscore.
        let name: String
        let item: JSONItem
        var children: [Node] = []
    }

    private(set) var nodes: [Node] = []
    private(set) var keys: [String: Int] = [:]
    /// Whether the resource has more elements than a page shows.
    private(set) var isCut = false
    let bytes: Int

    /// The number of elements on a page.
    static let maximum = 2_500

    init(_ resource: FHIRResource) throws {
        let data = FHIRJSON.data(resource)
        bytes = data.count
        let item: JSONItem
        do throws(JSONItemError) { item = try JSONItemReader.read(data) } catch {
            throw PageProblem(500, "The resource has no JSON", error.problem)
        }
        nodes = children(item, path: "")
    }

    private mutating func children(_ item: JSONItem, path: String) -> [Node] {
        var nodes: [Node] = []
        for (name, value) in item.pairs {
            let plain = name.hasPrefix("_") ? String(name.dropFirst()) : name
            let here = path.isEmpty ? plain : "\(path).\(plain)"
            if value.isArray {
                for (place, one) in value.items.enumerated() where one != .null {
                    guard let node = node(one, name: name, label: "\(name)[\(place)]", path: "\(here)[\(place)]") else { return nodes }
                    nodes.append(node)
                }
            } else {
                guard let node = node(value, name: name, label: name, path: here) else { return nodes }
                nodes.append(node)
            }
        }
        return nodes
    }

    private mutating func node(_ item: JSONItem, name: String, label: String, path: String) -> Node? {
        guard keys.count < Self.maximum else {
            isCut = true
            return nil
        }
        let key = keys.count
        keys[path + (name.hasPrefix("_") ? "?" : "")] = key
        var node = Node(key: key, label: label, path: path, name: name, item: item)
        node.children = children(item, path: path)
        return node
    }

    /// The number of the element at a path, or of the nearest one that it is in.
    func key(at path: String) -> Int? {
        var path = path[...]
        while !path.isEmpty {
            if let key = keys[String(path)] ?? keys[path + "?"] { return key }
            guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            path = path[..<end]
        }
        return nil
    }

    /// All nodes, outer ones first.
    var all: [Node] {
        func flat(_ nodes: [Node]) -> [Node] { nodes.flatMap { [$0] + flat($0.children) } }
        return flat(nodes)
    }
}

/// The element that a row of a resource holds, as a path.
struct RowPaths {
    private let rows: [Int64: StoredRow]

    init(_ rows: [StoredRow]) {
        self.rows = Dictionary(rows.compactMap { row in Self.node(row).map { ($0, row) } }) { first, _ in first }
    }

    static func value(_ row: StoredRow, _ column: String) -> String? { row.columns.first { $0.name == column }?.value }
    private static func node(_ row: StoredRow) -> Int64? { value(row, "_k").flatMap { Int64($0) }.map { $0 & RowKey.lastNode } }

    func path(of row: StoredRow, depth: Int = 0) -> String {
        guard depth < 64, let parent = Self.value(row, "_parent").flatMap({ Int64($0) }), let owner = rows[parent] else { return "" }
        let above = path(of: owner, depth: depth + 1)
        let name: String
        if let member = Self.value(row, "_member") {
            name = member
        } else if row.table.hasPrefix(owner.table + "_") {
            name = String(row.table.dropFirst(owner.table.count + 1).replacingBytes("_", with: "."))
        } else {
            name = row.table.split(separator: "_").last.map(String.init) ?? row.table
        }
        let place = Self.value(row, "_ord").map { "[\($0)]" } ?? ""
        return (above.isEmpty ? "" : above + ".") + name + place
    }
}
