/// A value of an element in an object.
@usableFromInline package enum SlotValue {
    /// A boolean, an integer, a `DecimalWord` or a `TemporalWord`, depending on the element's type.
    case word(Int64)
    /// A string, or the literal of a decimal, date or time that does not fit a word.
    case text(String)
    case object(FHIRObject)
    case objects([FHIRObject])
    /// A list of primitives by their literals (`true`, `12`, `2020-01`), whatever their type.
    case texts([String])
    /// A primitive with an id or extensions (`_birthDate` in JSON).
    case annotated(AnnotatedPrimitive)
    /// A list of primitives with nulls, ids or extensions.
    case annotatedTexts(AnnotatedList)
}

/// A value and the number of the slot it fills.
@usableFromInline package struct ElementSlot {
    package var value: SlotValue
    package let index: UInt16

    package init(value: SlotValue, index: Int) {
        self.value = value
        self.index = UInt16(truncatingIfNeeded: index)
    }
}

/// A primitive's value with its `Element`: id and extensions. The value is nil if there are only those.
@usableFromInline package final class AnnotatedPrimitive {
    package var value: SlotValue?
    package let element: FHIRObject

    package init(value: SlotValue?, element: FHIRObject) {
        self.value = value
        self.element = element
    }
}

/// A list of primitives whose positions may be null or have an `Element`; both arrays have one entry for each position.
@usableFromInline package final class AnnotatedList {
    package var texts: [String?]
    package var elements: [FHIRObject?]

    package init(texts: [String?], elements: [FHIRObject?]) {
        self.texts = texts
        self.elements = elements
    }
}
