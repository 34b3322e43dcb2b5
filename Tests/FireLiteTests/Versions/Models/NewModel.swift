import FireLite

/// `OldModel` with more: elements before, between and after the old ones, so that no old one keeps its slot, and another resource type.
enum NewModel {
    static let release = FHIRRelease(
        _name: "T1", version: "1.1.0",
        types: [
            _TypeGroup("Element Resource", [Element.self, Resource.self]),
            _TypeGroup("Thing Thing.part Size Other", [Thing.self, ThingPart.self, Size.self, Other.self]),
        ], codes: [])

    class Element: FHIRObject {
        override class var _layout: Layout { elementLayout }
    }

    class Resource: FHIRResource {
        override class var _layout: Layout { resourceLayout }
        final var language: String? {
            get { _string(1) }
            set { _setString(1, newValue) }
        }
    }

    final class Thing: Resource {
        override class var _layout: Layout { thingLayout }
        var isNew: Bool? {
            get { _bool(2) }
            set { _setBool(2, newValue) }
        }
        var name: String? {
            get { _string(3) }
            set { _setString(3, newValue) }
        }
        var note: [String] {
            get { _strings(4) }
            set { _setStrings(4, newValue) }
        }
        var part: [ThingPart] {
            get { _objects(5) }
            set { _setObjects(5, newValue) }
        }
        var weight: Size? {
            get { _object(6) }
            set { _setObject(6, newValue) }
        }
        var size: Size? {
            get { _object(7) }
            set { _setObject(7, newValue) }
        }
    }

    final class ThingPart: Element {
        override class var _layout: Layout { partLayout }
        var code: String? {
            get { _string(1) }
            set { _setString(1, newValue) }
        }
        var text: String? {
            get { _string(2) }
            set { _setString(2, newValue) }
        }
    }

    final class Size: Element {
        override class var _layout: Layout { sizeLayout }
        var value: FHIRDecimal? {
            get { _decimal(1) }
            set { _setDecimal(1, newValue) }
        }
        var unit: String? {
            get { _string(2) }
            set { _setString(2, newValue) }
        }
    }

    final class Other: Resource {
        override class var _layout: Layout { otherLayout }
    }

    private static let elementLayout = Layout(_class: Element.self, "Element", .abstract, base: nil, release: release, "id 0..1 string")
    private static let resourceLayout = Layout(
        _class: Resource.self, "Resource", .abstract, base: nil, release: release,
        """
        id 0..1 id
        language 0..1 code
        """)
    private static let thingLayout = Layout(
        _class: Thing.self, "Thing", .resource, base: Resource._layout, release: release,
        """
        isNew 0..1 boolean
        name 0..1 string
        note 0..* string
        part 0..* Thing.part
        weight 0..1 Size
        size 0..1 Size
        """)
    private static let partLayout = Layout(
        _class: ThingPart.self, "Thing.part", .backbone, base: Element._layout, release: release,
        """
        code 0..1 code
        text 0..1 string
        """)
    private static let sizeLayout = Layout(
        _class: Size.self, "Size", .datatype, base: Element._layout, release: release,
        """
        value 0..1 decimal
        unit 0..1 code
        """)
    private static let otherLayout = Layout(_class: Other.self, "Other", .resource, base: Resource._layout, release: release, "")
}
