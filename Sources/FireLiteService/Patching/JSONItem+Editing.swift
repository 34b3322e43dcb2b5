import FireLiteCore

/// A step into JSON: the name of a member, or the position of an item.
enum JSONStep: Sendable, Hashable {
    case member(String)
    case item(Int)
}

/// Why JSON cannot be changed as it was asked.
struct JSONEditError: Error {
    let problem: String
}

extension JSONItem {
    /// About what the value takes as JSON, in bytes; counting ends at a limit.
    func size(upTo limit: Int) -> Int {
        var size = 16
        switch content {
        case .object(let members):
            for member in members where size < limit { size += member.name.utf8.count + member.value.size(upTo: limit - size) }
        case .array(let items): for item in items where size < limit { size += item.size(upTo: limit - size) }
        case .string(let text), .number(let text): size += text.utf8.count
        case .bool, .null: break
        }
        return size
    }

    /// The value at a place; nil if there is none.
    func value(at path: ArraySlice<JSONStep>) -> JSONItem? {
        guard let step = path.first else { return self }
        switch step {
        case .member(let name): return self[name]?.value(at: path.dropFirst())
        case .item(let index):
            let items = items
            return items.indices.contains(index) ? items[index].value(at: path.dropFirst()) : nil
        }
    }

    /// The JSON with another value at a place that exists; nil removes it.
    ///
    /// - Throws: `JSONEditError` if the place does not exist.
    func replacing(at path: ArraySlice<JSONStep>, with new: JSONItem?) throws -> JSONItem {
        try changing(path) { value in
            guard value != nil else { throw JSONEditError(problem: "there is no value at the path") }
            return new
        }
    }

    /// The JSON with what `change` makes of the value at a place, which is nil if there is none. Of an array, a missing item is that after the last.
    func changing(_ path: ArraySlice<JSONStep>, _ change: (JSONItem?) throws -> JSONItem?) throws -> JSONItem {
        guard let step = path.first else {
            guard let changed = try change(self) else { throw JSONEditError(problem: "the whole resource cannot be removed") }
            return changed
        }
        let rest = path.dropFirst()
        switch step {
        case .member(let name):
            guard case .object(var members) = content else { throw JSONEditError(problem: "a member of the path is not in an object") }
            let place = members.firstIndex { $0.name == name }
            let changed = try Self.changed(place.map { members[$0].value }, rest, change)
            if let place {
                if let changed { members[place] = Member(name: name, value: changed) } else { members.remove(at: place) }
            } else if let changed {
                members.append(Member(name: name, value: changed))
            }
            return .object(members)
        case .item(let index):
            guard case .array(var items) = content else { throw JSONEditError(problem: "a position of the path is not in a list") }
            guard index >= 0, index <= items.count else {
                throw JSONEditError(problem: "a position of the path is beyond the end of its list")
            }
            let changed = try Self.changed(index < items.count ? items[index] : nil, rest, change)
            if index < items.count {
                if let changed { items[index] = changed } else { items.remove(at: index) }
            } else if let changed {
                items.append(changed)
            }
            return .array(items)
        }
    }

    private static func changed(
        _ value: JSONItem?, _ rest: ArraySlice<JSONStep>, _ change: (JSONItem?) throws -> JSONItem?
    ) throws -> JSONItem? {
        if rest.isEmpty { return try change(value) }
        guard let value else { throw JSONEditError(problem: "a part of the path does not exist") }
        return try value.changing(rest, change)
    }

    /// The JSON with an item before a position of the array at a place.
    func inserting(_ item: JSONItem, at index: Int, in path: ArraySlice<JSONStep>) throws -> JSONItem {
        try changing(path) { value in
            guard case .array(var items)? = value?.content else { throw JSONEditError(problem: "the path does not lead to a list") }
            guard index >= 0, index <= items.count else { throw JSONEditError(problem: "the position is beyond the end of the list") }
            items.insert(item, at: index)
            return .array(items)
        }
    }

    /// The JSON without empty objects and lists, which FHIR's JSON does not have; nil if nothing is left.
    var pruned: JSONItem? {
        switch content {
        case .object(let members):
            let left = members.compactMap { member in member.value.pruned.map { Member(name: member.name, value: $0) } }
            return left.isEmpty ? nil : .object(left)
        case .array(let items):
            let left = items.compactMap(\.pruned)
            return left.isEmpty ? nil : .array(left)
        default: return self
        }
    }

    /// The JSON with something in each empty object, so that the objects of a list keep their positions when it is read; without empty lists.
    var filled: JSONItem {
        switch content {
        case .object(let members):
            // What has an id is not empty.
            guard !members.isEmpty else { return .object(["id": .string("empty")]) }
            return .object(
                members.compactMap { member in
                    if case .array(let items) = member.value.content, items.isEmpty { return nil }
                    return Member(name: member.name, value: member.value.filled)
                })
        case .array(let items): return .array(items.map(\.filled))
        default: return self
        }
    }
}
