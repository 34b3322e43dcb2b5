@testable import FireLiteCore

/// The columns that a resource's values must be in, by the rules of FileFormat.md alone: what the file's own are compared with.
struct DocumentedNames {
    /// `table.column` for each value, without the columns that say how a literal was written.
    private(set) var columns: Set<String> = []
    /// Some texts by their column.
    private(set) var texts: [String: String] = [:]

    /// A table and whose rows it has; the last one of a way from the resource.
    private struct Place {
        let table: String
        let layout: Layout?
    }

    mutating func add(_ resource: FHIRResource) {
        let place = Place(table: resource.resourceType, layout: resource.layout)
        columns.insert("\(place.table).id")
        add(resource, prefix: "", [place])
    }

    /// - Parameter way: the tables from the resource's to the one with the object's row.
    private mutating func add(_ object: FHIRObject, prefix: String, _ way: [Place]) {
        object.forEachSlot { slot in
            let element = object.layout.elements[Int(slot.index)]
            let name = prefix + element.name
            switch slot.value {
            case .object(let child as FHIRResource): add(child)
            case .object(let child): add(child, prefix: name + "_", way)
            case .objects(let children):
                for child in children {
                    if let resource = child as? FHIRResource {
                        add(resource)
                    } else {
                        add(item: child, name, isInline: !prefix.isEmpty, way)
                    }
                }
            case .texts(let texts): for text in texts { add(.text(text), "value", element, way + [list(name, way)]) }
            case .annotatedTexts(let list): add(list, self.list(name, way), way)
            case .annotated(let annotated):
                if let value = annotated.value { add(value, name, element, way) }
                add(annotated.element, prefix: name + "_", way)
            case let value: add(value, name, element, way)
            }
        }
    }

    private func list(_ name: String, _ way: [Place]) -> Place { Place(table: "\(way[way.count - 1].table)_\(name)", layout: nil) }

    private mutating func add(_ value: SlotValue, _ name: String, _ element: LayoutElement, _ way: [Place]) {
        if case .text(let text) = value, element.primitive?.storage == .text { return add(text, name, way) }
        columns.insert("\(way[way.count - 1].table).\(name)")
    }

    private mutating func add(_ text: String, _ name: String, _ way: [Place]) {
        let column = "\(way[way.count - 1].table).\(name)"
        columns.insert(column)
        texts[column] = text
    }

    /// A list of primitives with nulls, ids or extensions.
    private mutating func add(_ list: AnnotatedList, _ place: Place, _ way: [Place]) {
        if list.texts.contains(where: { $0 != nil }) { columns.insert("\(place.table).value") }
        for element in list.elements { if let element { add(element, prefix: "", way + [place]) } }
    }

    /// An element of a list: a recursive one is in the table of the element it refers to.
    private mutating func add(item: FHIRObject, _ name: String, isInline: Bool, _ way: [Place]) {
        let last = way[way.count - 1]
        if !isInline, last.layout === item.layout { return add(item, prefix: "", way) }
        if item.layout.kind == .backbone, let index = way.lastIndex(where: { $0.layout === item.layout }) {
            return add(item, prefix: "", Array(way[...index]))
        }
        add(item, prefix: "", way + [Place(table: "\(last.table)_\(name)", layout: item.layout)])
    }
}
