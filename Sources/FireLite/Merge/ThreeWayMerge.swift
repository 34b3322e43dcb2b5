import FireLiteCore

/// Merges two later states of a resource whose common earlier state is known, element by element.
///
/// ```swift
/// let merge = ThreeWayMerge(base: base, local: local, remote: remote)
/// if merge.conflicts.isEmpty { use(merge.resource) }
/// ```
/// An element that only one side has changed gets that side's value. Items of lists are matched by their element ids, by equal content, and by their
/// place between equal items, so that changes of different items, and additions of both sides, are all kept. A choice element counts as one element.
/// `meta.versionId`, `meta.lastUpdated` and `meta.source` are the remote ones. It works with every release, as it goes by layouts.
/// ``Draft`` merges by the same rules, but for `meta`, which is like any other element there.
public struct ThreeWayMerge {
    /// One of the two later states.
    public enum Side: Sendable {
        /// One's own: the store's in a sync, a draft's when it is saved.
        case local
        /// The other's: a server's in a sync, the store's when a draft is saved.
        case remote
    }

    /// The merged resource, a new object.
    public let resource: FHIRResource
    /// The FHIR paths of the elements that both sides have changed in different ways: `name[0].family`. The merged resource has the value of
    /// the preferred side there.
    public var conflicts: [String] { clashes.map(\.path) }
    /// The same with the values of the three states.
    public let clashes: [ElementClash]

    /// Merges two states.
    ///
    /// - Parameters:
    ///   - base: the common earlier state; nil if there was none.
    ///   - local: the local state.
    ///   - remote: the remote state.
    ///   - side: the side whose value wins if both have changed an element.
    /// - Precondition: all have the same class.
    public init(base: FHIRResource?, local: FHIRResource, remote: FHIRResource, preferring side: Side = .remote) {
        self.init(base: base, local: local, remote: remote, preferring: side, remoteDecidesVersions: true)
    }

    /// - Parameter remoteDecidesVersions: whether the remote side is a server, whose `meta` states the version.
    init(base: FHIRResource?, local: FHIRResource, remote: FHIRResource, preferring side: Side, remoteDecidesVersions: Bool) {
        var merger = ElementMerger(side: side, remoteDecidesVersions: remoteDecidesVersions)
        let merged = merger.merge(base, local: local, remote: remote, path: "")
        resource = merged as? FHIRResource ?? remote.copy()
        clashes = merger.clashes
    }
}

/// Walks through three states of an object.
struct ElementMerger {
    let side: ThreeWayMerge.Side
    let remoteDecidesVersions: Bool
    private(set) var clashes: [ElementClash] = []

    init(side: ThreeWayMerge.Side, remoteDecidesVersions: Bool) {
        self.side = side
        self.remoteDecidesVersions = remoteDecidesVersions
    }

    /// - Returns: a new object of remote's class.
    mutating func merge(_ base: FHIRObject?, local: FHIRObject, remote: FHIRObject, path: String) -> FHIRObject {
        let merged = remote.layout.makeObject()
        let base = base?.layoutTable == remote.layoutTable ? base : nil
        for element in remote.layout.elements {
            if let choice = element.choice, choice.slots.lowerBound != element.slot { continue }
            let slots = element.choice.map(\.slots) ?? element.slot..<element.slot + 1
            let name = path.isEmpty ? element.name : path + "." + element.name
            let states = (State(base, slots), State(local, slots), State(remote, slots))
            let state = merge(
                states.0, local: states.1, remote: states.2, layout: remote.layout, element: remote.layout.elements[slots.lowerBound],
                path: name)
            if let value = state.value, value.hasContent { merged.store(value.copied(for: merged), in: state.slot) }
        }
        return merged
    }

    /// The value of an element: of a choice element, with its type's slot.
    private struct State {
        let slot: Int
        let value: SlotValue?

        init(slot: Int, value: SlotValue?) {
            self.slot = slot
            self.value = value
        }

        init(_ object: FHIRObject?, _ slots: Range<Int>) {
            var (slot, found): (Int, SlotValue?) = (slots.lowerBound, nil)
            for candidate in slots {
                guard let value = object?.value(candidate), value.hasContent else { continue }
                (slot, found) = (candidate, value)
                break
            }
            (self.slot, value) = (slot, found)
        }

        func isSame(as other: State) -> Bool {
            switch (value, other.value) {
            case (nil, nil): true
            case (let first?, let second?): slot == other.slot && first.hasSameContent(as: second)
            default: false
            }
        }
    }

    /// What the server decides.
    private static let remoteOnly: Set<String> = ["meta.versionId", "meta.lastUpdated", "meta.source"]

    private mutating func merge(
        _ base: State, local: State, remote: State, layout: Layout, element: LayoutElement, path: String
    ) -> State {
        if local.isSame(as: remote) || local.isSame(as: base) { return remote }
        if remoteDecidesVersions, Self.remoteOnly.contains(path) { return remote }
        if remoteDecidesVersions, path == "meta", let layout = element.layout {
            // An object that an app has made has none, or none of the server's members: that is no removal of them.
            let mine = local.value?.onlyObject ?? layout.makeObject()
            let theirs = remote.value?.onlyObject ?? layout.makeObject()
            return State(slot: remote.slot, value: .object(merge(base.value?.onlyObject, local: mine, remote: theirs, path: path)))
        }
        if remote.isSame(as: base) { return local }
        if local.slot == remote.slot {
            if element.isList {
                return State(
                    slot: remote.slot, value: list(base.value, local: local.value, remote: remote.value, element: element, path: path))
            }
            if case .object(let mine)? = local.value, case .object(let theirs)? = remote.value, mine.layoutTable == theirs.layoutTable {
                return State(slot: remote.slot, value: .object(merge(base.value?.onlyObject, local: mine, remote: theirs, path: path)))
            }
        }
        func json(_ state: State) -> String? { state.value.flatMap { $0.json(layout.elements[state.slot].primitive) } }
        note(path, base: json(base), local: json(local), remote: json(remote))
        return side == .local ? local : remote
    }

    private mutating func note(_ path: String, base: String?, local: String?, remote: String?) {
        clashes.append(ElementClash(path: path, base: base, local: local, remote: remote))
    }

    private mutating func preferred(
        _ base: MergeItem?, local: MergeItem?, remote: MergeItem?, type: PrimitiveType?, path: String
    ) -> MergeItem? {
        note(path, base: base?.json(type), local: local?.json(type), remote: remote?.json(type))
        return side == .local ? local : remote
    }

    // MARK: - Lists

    private mutating func list(
        _ base: SlotValue?, local: SlotValue?, remote: SlotValue?, element: LayoutElement, path: String
    ) -> SlotValue? {
        let type = element.primitive
        guard let before = MergeItem.items(base), let mine = MergeItem.items(local), let theirs = MergeItem.items(remote) else {
            note(path, base: base?.json(type), local: local?.json(type), remote: remote?.json(type))
            return side == .local ? local : remote
        }
        return MergeItem.value(of: items(before, local: mine, remote: theirs, type: type, path: path))
    }

    /// An item of the result, with its place among the local ones.
    private struct Placed {
        let item: MergeItem
        let local: Int?
    }

    private mutating func items(
        _ base: [MergeItem], local: [MergeItem], remote: [MergeItem], type: PrimitiveType?, path: String
    ) -> [MergeItem] {
        let toLocal = MergeItem.matches(base, local)
        let toRemote = MergeItem.matches(base, remote)
        let origin = Dictionary(toRemote.map { ($0.value, $0.key) }) { first, _ in first }
        let localOrigin = Dictionary(toLocal.map { ($0.value, $0.key) }) { first, _ in first }
        var placed: [Placed] = []
        var added: [Int] = []
        for (index, item) in remote.enumerated() {
            guard let start = origin[index] else {
                added.append(placed.count)
                placed.append(Placed(item: item, local: nil))
                continue
            }
            guard let own = toLocal[start] else {
                // Removed here.
                if item.isSame(as: base[start]) { continue }
                let kept = preferred(base[start], local: nil, remote: item, type: type, path: "\(path)[\(index)]")
                if let kept { placed.append(Placed(item: kept, local: nil)) }
                continue
            }
            placed.append(
                Placed(item: merge(base[start], local: local[own], remote: item, type: type, path: "\(path)[\(index)]"), local: own))
        }
        var additions = added.map { placed[$0].item }
        for (index, item) in local.enumerated() {
            if let start = localOrigin[index] {
                // Removed there, or already in the result.
                guard toRemote[start] == nil, !item.isSame(as: base[start]) else { continue }
                guard preferred(base[start], local: item, remote: nil, type: type, path: "\(path)[\(index)]") != nil else { continue }
            } else if let same = additions.firstIndex(where: { $0.isSame(as: item) }) {
                additions.remove(at: same)
                continue
            }
            let place = placed.lastIndex { $0.local.map { $0 < index } ?? false }.map { $0 + 1 } ?? (index == 0 ? 0 : placed.count)
            placed.insert(Placed(item: item, local: index), at: place)
        }
        return placed.map(\.item)
    }

    private mutating func merge(
        _ base: MergeItem, local: MergeItem, remote: MergeItem, type: PrimitiveType?, path: String
    ) -> MergeItem {
        if local.isSame(as: remote) || local.isSame(as: base) { return remote }
        if remote.isSame(as: base) { return local }
        if case .object(let mine) = local, case .object(let theirs) = remote, mine.layoutTable == theirs.layoutTable {
            let start: FHIRObject? = if case .object(let object) = base { object } else { nil }
            return .object(merge(start, local: mine, remote: theirs, path: path))
        }
        note(path, base: base.json(type), local: local.json(type), remote: remote.json(type))
        return side == .local ? local : remote
    }
}

extension SlotValue {
    fileprivate var onlyObject: FHIRObject? { if case .object(let object) = self { object } else { nil } }
}
