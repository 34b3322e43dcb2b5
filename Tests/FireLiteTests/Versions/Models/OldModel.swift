import FireLite

/// A small model as it was first: `NewModel` is what became of it.
enum OldModel {
    static let release = FHIRRelease(
        _name: "T1", version: "1.0.0",
        types: [
            _TypeGroup("Element Resource", [Element.self, Resource.self]),
            _TypeGroup("Thing Thing.part Size", [Thing.self, ThingPart.self, Size.self]),
        ], codes: [])

    class Element: FHIRObject {
        override class var _layout: Layout { elementLayout }
    }

    class Resource: FHIRResource {
        override class var _layout: Layout { resourceLayout }
    }

    final class Thing: Resource {
        override class var _layout: Layout { thingLayout }
        var name: String? {
            get { _string(1) }
            set { _setString(1, newValue) }
        }
        var part: [ThingPart] {
            get { _objects(2) }
            set { _setObjects(2, newValue) }
        }
        var size: Size? {
            get { _object(3) }
            set { _setObject(3, newValue) }
        }
    }

    final class ThingPart: Element {
        override class var _layout: Layout { partLayout }
        var text: String? {
            get { _string(1) }
            set { _setString(1, newValue) }
        }
    }

    final class Size: Element {
        override class var _layout: Layout { sizeLayout }
        var unit: String? {
            get { _string(1) }
            set { _setString(1, newValue) }
        }
    }

    private static let elementLayout = Layout(_class: Element.self, "Element", .abstract, base: nil, release: release, "id 0..1 string")
    private static let resourceLayout = Layout(_class: Resource.self, "Resource", .abstract, base: nil, release: release, "id 0..1 id")
    private static let thingLayout = Layout(
        _class: Thing.self, "Thing", .resource, base: Resource._layout, release: release,
        """
        name 0..1 string
        part 0..* Thing.part
        size 0..1 Size
        """)
    private static let partLayout = Layout(
        _class: ThingPart.self, "Thing.part", .backbone, base: Element._layout, release: release, "text 0..1 string")
    private static let sizeLayout = Layout(_class: Size.self, "Size", .datatype, base: Element._layout, release: release, "unit 0..1 code")
}
