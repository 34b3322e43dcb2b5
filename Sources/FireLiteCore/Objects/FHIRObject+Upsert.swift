extension FHIRObjectInitializers where Self: FHIRObject {
    /// Updates a to-one element in place from another object; nil removes it.
    ///
    /// An element that is already there takes over the content of `value` as `populate(from:)` does, and so keeps its pk. If there is none, or
    /// one of another class, a copy of `value` becomes the element. `value` itself stays as it is.
    ///
    /// ```swift
    /// patient.upsert(\.managingOrganization, to: reference)
    /// ```
    public func upsert<Value: FHIRObject>(_ element: ReferenceWritableKeyPath<Self, Value?>, to value: Value?) {
        guard let value else {
            self[keyPath: element] = nil
            return
        }
        if let current = self[keyPath: element], current.layoutTable == value.layoutTable {
            current.assign(from: current.undisturbed(value))
        } else {
            self[keyPath: element] = value.copy()
        }
    }

    /// Updates a list of elements in place from other objects, by position; an empty list removes all.
    ///
    /// Elements that are already there take over the content of the values at their positions as `populate(from:)` does, and so keep their pks.
    /// Further values are copied, and elements past the last value are removed. The values themselves stay as they are.
    ///
    /// ```swift
    /// patient.upsert(\.name, to: names)
    /// ```
    public func upsert<Value: FHIRObject>(_ list: ReferenceWritableKeyPath<Self, [Value]>, to values: [Value]) {
        let current = self[keyPath: list]
        // Parts of the same object, and what the object is part of, are copied first: they may change before their turn comes.
        let sources = values.enumerated().map { index, value in
            value.rootObject !== rootObject || (index < current.count && current[index] === value) ? value : value.copy()
        }
        self[keyPath: list] = sources.enumerated().map { index, source in
            guard index < current.count, current[index].layoutTable == source.layoutTable else { return source.copy() }
            current[index].assign(from: source)
            return current[index]
        }
    }
}
