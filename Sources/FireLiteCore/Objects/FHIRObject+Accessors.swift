// The functions that generated properties call. Their names have an underscore: they are public only for generated code.

extension FHIRObject {
    // MARK: - Primitives

    /// The Boolean of a to-one element; nil if it has none.
    public final func _bool(_ slot: Int) -> Bool? {
        guard case .word(let word)? = plainValue(slot) else { return nil }
        return word != 0
    }

    /// Sets the Boolean of a to-one element.
    public final func _setBool(_ slot: Int, _ value: Bool?) { setPrimitive(slot, value.map { .word($0 ? 1 : 0) }) }

    /// The integer of a to-one element; nil if it has none.
    public final func _int(_ slot: Int) -> Int? {
        guard case .word(let word)? = plainValue(slot) else { return nil }
        return Int(word)
    }

    /// Sets the integer of a to-one element.
    public final func _setInt(_ slot: Int, _ value: Int?) { setPrimitive(slot, value.map { .word(Int64($0)) }) }

    /// The string of a to-one element; nil if it has none.
    public final func _string(_ slot: Int) -> String? {
        guard case .text(let text)? = plainValue(slot) else { return nil }
        return text
    }

    /// Sets the string of a to-one element.
    public final func _setString(_ slot: Int, _ value: String?) { setPrimitive(slot, value.map { .text($0) }) }

    /// The code of a to-one element; nil if it has none.
    public final func _code<Code: FHIRCode>(_ slot: Int) -> Code? { _string(slot).map { Code(rawValue: $0) } }

    /// Sets the code of a to-one element.
    public final func _setCode<Code: FHIRCode>(_ slot: Int, _ value: Code?) { _setString(slot, value?.rawValue) }

    /// The decimal of a to-one element; nil if it has none.
    public final func _decimal(_ slot: Int) -> FHIRDecimal? { literal(slot).map { FHIRDecimal(storage: $0) } }

    /// Sets the decimal of a to-one element.
    public final func _setDecimal(_ slot: Int, _ value: FHIRDecimal?) { setLiteral(slot, value?.storage) }

    /// The date of a to-one element; nil if it has none.
    public final func _date(_ slot: Int) -> FHIRDate? { literal(slot).map { FHIRDate(_storage: $0) } }

    /// Sets the date of a to-one element.
    public final func _setDate(_ slot: Int, _ value: FHIRDate?) { setLiteral(slot, value?._storage) }

    /// The dateTime of a to-one element; nil if it has none.
    public final func _dateTime(_ slot: Int) -> FHIRDateTime? { literal(slot).map { FHIRDateTime(_storage: $0) } }

    /// Sets the dateTime of a to-one element.
    public final func _setDateTime(_ slot: Int, _ value: FHIRDateTime?) { setLiteral(slot, value?._storage) }

    /// The instant of a to-one element; nil if it has none.
    public final func _instant(_ slot: Int) -> FHIRInstant? { literal(slot).map { FHIRInstant(_storage: $0) } }

    /// Sets the instant of a to-one element.
    public final func _setInstant(_ slot: Int, _ value: FHIRInstant?) { setLiteral(slot, value?._storage) }

    /// The time of a to-one element; nil if it has none.
    public final func _time(_ slot: Int) -> FHIRTime? { literal(slot).map { FHIRTime(_storage: $0) } }

    /// Sets the time of a to-one element.
    public final func _setTime(_ slot: Int, _ value: FHIRTime?) { setLiteral(slot, value?._storage) }

    private final func literal(_ slot: Int) -> _PackedLiteral? {
        switch plainValue(slot) {
        case .word(let word): .word(word)
        case .text(let text): .text(text)
        default: nil
        }
    }

    private final func setLiteral(_ slot: Int, _ literal: _PackedLiteral?) {
        switch literal {
        case .word(let word): setPrimitive(slot, .word(word))
        case .text(let text): setPrimitive(slot, .text(text))
        case nil: setPrimitive(slot, nil)
        }
    }

    // MARK: - Lists of primitives

    /// The strings of a list.
    public final func _strings(_ slot: Int) -> [String] {
        switch value(slot) {
        case .texts(let texts): texts
        case .annotatedTexts(let list): list.texts.compactMap { $0 }
        default: []
        }
    }

    /// Sets the strings of a list.
    public final func _setStrings(_ slot: Int, _ values: [String]) { setPrimitives(slot, values) }

    /// The codes of a list.
    public final func _codes<Code: FHIRCode>(_ slot: Int) -> [Code] { _strings(slot).map { Code(rawValue: $0) } }

    /// Sets the codes of a list.
    public final func _setCodes<Code: FHIRCode>(_ slot: Int, _ values: [Code]) { setPrimitives(slot, values.map(\.rawValue)) }

    /// The Booleans of a list.
    public final func _bools(_ slot: Int) -> [Bool] { _strings(slot).map { $0 == "true" } }

    /// Sets the Booleans of a list.
    public final func _setBools(_ slot: Int, _ values: [Bool]) { setPrimitives(slot, values.map { $0 ? "true" : "false" }) }

    /// The integers of a list.
    public final func _ints(_ slot: Int) -> [Int] { _strings(slot).compactMap { Int($0) } }

    /// Sets the integers of a list.
    public final func _setInts(_ slot: Int, _ values: [Int]) { setPrimitives(slot, values.map { "\($0)" }) }

    /// The decimals of a list.
    public final func _decimals(_ slot: Int) -> [FHIRDecimal] { _strings(slot).compactMap { FHIRDecimal($0) } }

    /// Sets the decimals of a list.
    public final func _setDecimals(_ slot: Int, _ values: [FHIRDecimal]) { setPrimitives(slot, values.map(\.literal)) }

    /// The dates of a list.
    public final func _dates(_ slot: Int) -> [FHIRDate] { temporals(slot) }

    /// Sets the dates of a list.
    public final func _setDates(_ slot: Int, _ values: [FHIRDate]) { setPrimitives(slot, values.map(\.literal)) }

    /// The dateTimes of a list.
    public final func _dateTimes(_ slot: Int) -> [FHIRDateTime] { temporals(slot) }

    /// Sets the dateTimes of a list.
    public final func _setDateTimes(_ slot: Int, _ values: [FHIRDateTime]) { setPrimitives(slot, values.map(\.literal)) }

    /// The instants of a list.
    public final func _instants(_ slot: Int) -> [FHIRInstant] { temporals(slot) }

    /// Sets the instants of a list.
    public final func _setInstants(_ slot: Int, _ values: [FHIRInstant]) { setPrimitives(slot, values.map(\.literal)) }

    /// The times of a list.
    public final func _times(_ slot: Int) -> [FHIRTime] { temporals(slot) }

    /// Sets the times of a list.
    public final func _setTimes(_ slot: Int, _ values: [FHIRTime]) { setPrimitives(slot, values.map(\.literal)) }

    private final func temporals<Value: FHIRTemporal>(_ slot: Int) -> [Value] {
        _strings(slot).map { Value($0) ?? Value(_storage: .text($0)) }
    }

    // MARK: - Complex elements

    /// The object of a to-one element; nil if it has none.
    public final func _object<Object: FHIRObject>(_ slot: Int) -> Object? {
        guard case .object(let object)? = value(slot) else { return nil }
        return unsafeDowncast(object, to: Object.self)
    }

    /// Sets the object of a to-one element.
    public final func _setObject<Object: FHIRObject>(_ slot: Int, _ value: Object?) { setChild(slot, value) }

    /// The objects of a list.
    public final func _objects<Object: FHIRObject>(_ slot: Int) -> [Object] {
        guard case .objects(let objects)? = value(slot) else { return [] }
        // Every object in the slot is of the element's class, and arrays of classes all have the same layout.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Sets the objects of a list.
    public final func _setObjects<Object: FHIRObject>(_ slot: Int, _ values: [Object]) {
        setChildren(slot, unsafeBitCast(values, to: [FHIRObject].self))
    }

    /// `upsert(_:to:)` by slot, for the methods that the Generator's setting `upsertMethods` adds.
    public final func _upsert<Object: FHIRObject>(_ slot: Int, _ value: Object?) {
        guard let value else { return setChild(slot, nil) }
        if let current: Object = _object(slot), current.layoutTable == value.layoutTable {
            current.assign(from: current.undisturbed(value))
        } else {
            setChild(slot, value.copy())
        }
    }

    // MARK: - Choice elements

    /// The index of the choice element's type that is set, from its first slot; -1 for none.
    public final func _chosen(_ first: Int, _ count: Int) -> Int {
        if objectFlags.contains(.probe) { ElementProbe.record(first, of: self) }
        guard let slots else { return -1 }
        for position in 0..<Int(self.slotCount) {
            let slot = Int(slots[position].index)
            if slot >= first { return slot < first + count ? slot - first : -1 }
        }
        return -1
    }

    /// The value of a choice element; nil if it has none.
    public final func _choice<Choice: FHIRChoice>(_ first: Int) -> Choice? { Choice(_object: self, first) }

    /// Sets the value of a choice element.
    public final func _setChoice<Choice: FHIRChoice>(_ first: Int, _ count: Int, _ value: Choice?) {
        if let value { return value._write(self, first) }
        let chosen = _chosen(first, count)
        guard chosen >= 0 else { return }
        willChange()
        self.value(first + chosen)?.forEachChild { disown($0) }
        store(nil, in: first + chosen)
    }
}
