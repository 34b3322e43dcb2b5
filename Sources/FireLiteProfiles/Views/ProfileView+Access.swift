import FireLiteCore

// The functions that generated views call. Their names have an underscore: they are public only for generated code.

extension ProfileView {
    // MARK: - Reading

    /// The value of a required element.
    ///
    /// - Throws: `ProfileError` if there is none.
    public func _required<Value>(_ value: Value?, _ element: String) throws -> Value {
        guard let value else {
            throw ProfileError(missing: "\(Self._rule.root.id).\(element)", profile: Self._rule.url)
        }
        return value
    }

    /// The view of an object.
    public func _view<View: ProfileView>(_ object: View.Object?) -> View? { object.map { View($0) } }

    /// The views of objects.
    public func _views<View: ProfileView>(_ list: [View.Object]) -> [View] { list.map { View($0) } }

    /// The first item of a list that belongs to a slice.
    public func _item<Item: FHIRObject>(_ list: [Item], _ slice: String) -> Item? {
        let rule = Self._rule.slice(slice)
        return list.first { rule.selects($0) }
    }

    /// The items of a list that belong to a slice.
    public func _items<Item: FHIRObject>(_ list: [Item], _ slice: String) -> [Item] {
        let rule = Self._rule.slice(slice)
        return list.filter { rule.selects($0) }
    }

    /// The view of the first item of a list that belongs to a slice.
    public func _sliceView<View: ProfileView>(_ list: [View.Object], _ slice: String) -> View? { _view(_item(list, slice)) }

    /// The views of the items of a list that belong to a slice.
    public func _sliceViews<View: ProfileView>(_ list: [View.Object], _ slice: String) -> [View] { _views(_items(list, slice)) }

    // MARK: - Writing

    /// The objects of views.
    public func _objects<View: ProfileView>(_ views: [View]) -> [View.Object] { views.map { $0.object } }

    /// A list of which a profile allows one item, with another first item or without it.
    public func _settingFirst<Item: FHIRObject>(_ list: [Item], _ item: Item?) -> [Item] {
        (item.map { [$0] } ?? []) + list.dropFirst()
    }

    /// A list with other items in a slice, which get what it fixes, and stay where the slice's items were, or come where the order of the profile has them.
    public func _replacing<Item: FHIRObject>(_ list: [Item], _ slice: String, _ items: [Item]) -> [Item] {
        let rule = Self._rule.slice(slice)
        for item in items where !rule.selects(item) { RuleCompletion.complete(item, rule) }
        return SliceOrder.replacing(list, with: items, key: slice, rule: Self._rule)
    }

    /// A list with another item in a slice, or without one.
    public func _replacingItem<Item: FHIRObject>(_ list: [Item], _ slice: String, _ item: Item?) -> [Item] {
        _replacing(list, slice, item.map { [$0] } ?? [])
    }

    /// A list with the object of another view in a slice, or without one.
    public func _replacingView<View: ProfileView>(_ list: [View.Object], _ slice: String, _ view: View?) -> [View.Object] {
        _replacing(list, slice, view.map { [$0.object] } ?? [])
    }

    /// A list with the objects of other views in a slice.
    public func _replacingViews<View: ProfileView>(_ list: [View.Object], _ slice: String, _ views: [View]) -> [View.Object] {
        _replacing(list, slice, _objects(views))
    }

    /// A list in which the items of a slice have other values; items that are there keep all else, and new ones have what the slice fixes.
    public func _assigning<Item: FHIRObject, Value>(
        _ list: [Item], _ slice: String, _ values: [Value], set: (Item, Value) -> Void
    ) -> [Item] {
        let rule = Self._rule.slice(slice)
        let present = list.filter { rule.selects($0) }
        let items = values.enumerated().map { index, value in
            let item: Item
            if index < present.count {
                item = present[index]
            } else {
                item = Item()
                RuleCompletion.complete(item, rule)
            }
            set(item, value)
            return item
        }
        return SliceOrder.replacing(list, with: items, key: slice, rule: Self._rule)
    }

    /// A list in which the item of a slice has another value, or is not there.
    public func _assigningValue<Item: FHIRObject, Value>(
        _ list: [Item], _ slice: String, _ value: Value?, set: (Item, Value) -> Void
    ) -> [Item] {
        _assigning(list, slice, value.map { [$0] } ?? [], set: set)
    }

    /// Sets what the profile fixes and requires, if it is absent; the last step of creation.
    public func _complete() { RuleCompletion.complete(object, Self._rule.root) }
}

extension ResourceProfileView {
    /// Sets what the profile fixes and requires, if it is absent, and names the profile; the last step of creation.
    public func _complete() {
        RuleCompletion.complete(object, Self._rule.root)
        declareProfile()
    }
}

/// Puts the items of a slice into a list.
enum SliceOrder {
    static func replacing<Item: FHIRObject>(_ list: [Item], with items: [Item], key: String, rule: _ProfileRule) -> [Item] {
        let slice = rule.slice(key)
        var result: [Item] = []
        var rest = items[...]
        var end: Int?
        for item in list {
            guard slice.selects(item) else {
                result.append(item)
                continue
            }
            if let next = rest.popFirst() { result.append(next) }
            end = result.count
        }
        guard !rest.isEmpty else { return result }
        result.insert(contentsOf: rest, at: end ?? place(in: result, key: key, rule: rule))
        return result
    }

    /// Where the first item of a slice comes: after the last item of an earlier slice, else before the first of a later one, else at the end.
    private static func place<Item: FHIRObject>(in list: [Item], key: String, rule: _ProfileRule) -> Int {
        let slices = rule.element(key.prefix { $0 != ":" }).slices
        guard let own = slices.firstIndex(where: { $0.key == key }) else { return list.count }
        let ranks = list.map { item in slices.firstIndex { $0.selects(item) } }
        if let last = ranks.lastIndex(where: { $0.map { $0 < own } ?? false }) { return last + 1 }
        return ranks.firstIndex { $0.map { $0 > own } ?? false } ?? list.count
    }
}
