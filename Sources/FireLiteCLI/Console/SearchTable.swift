import FireLite
import FireLiteSearch
import FireLiteTerminal

/// The matches of a search as a table for a person: type, id, and what describes a resource best.
struct SearchTable {
    let table: TextTable

    init(_ result: SearchResult) {
        var table = TextTable(Self.columns.map { _ in .left })
        table.addHeading(Self.columns)
        for resource in result.matches { table.add(Self.cells(of: resource)) }
        self.table = table
    }

    static let columns = ["type", "id", "date", "description"]

    /// The cells of a resource's row.
    static func cells(of resource: FHIRResource) -> [String] {
        [resource.resourceType, resource.id ?? "", date(resource), description(resource)]
    }

    /// Elements with a date, the most telling first.
    private static let dates = [
        "birthDate", "effectiveDateTime", "effectivePeriod", "period", "onsetDateTime", "performedDateTime", "occurrenceDateTime",
        "authoredOn",
        "dateWritten", "date", "issued", "recordedDate", "created", "start",
    ]
    /// Elements that say what a resource is about, the most telling first.
    private static let descriptions = [
        "name", "code", "vaccineCode", "medicationCodeableConcept", "type", "title", "description", "category", "class", "url", "status",
    ]

    private static func date(_ resource: FHIRResource) -> String {
        for name in dates { if let text = text(name, of: resource, "start"), !text.isEmpty { return text } }
        return ""
    }

    private static func description(_ resource: FHIRResource) -> String {
        for name in descriptions { if let text = text(name, of: resource, nil), !text.isEmpty { return text } }
        return ""
    }

    private static func text(_ name: String, of object: FHIRObject, _ part: String?) -> String? {
        guard let element = object.layout.element(named: name) else { return nil }
        if element.kind == .primitive {
            let path = FHIRPathText.texts(name, object)
            return path.first
        }
        let children: [FHIRObject]
        if element.isList {
            children = object._objects(element.slot)
        } else {
            let child: FHIRObject? = object._object(element.slot)
            children = child.map { [$0] } ?? []
        }
        guard let child = children.first else { return nil }
        if let part { return text(part, of: child, nil) }
        switch child.layout.name {
        case "HumanName":
            let whole = FHIRPathText.texts("given", child) + FHIRPathText.texts("family", child)
            return whole.isEmpty ? text("text", of: child, nil) : whole.joined(separator: " ")
        case "CodeableConcept": return text("text", of: child, nil) ?? text("coding", of: child, nil)
        case "Coding": return text("display", of: child, nil) ?? text("code", of: child, nil)
        default: return nil
        }
    }
}

/// The literals of a primitive element.
private enum FHIRPathText {
    static func texts(_ name: String, _ object: FHIRObject) -> [String] {
        do { return try FHIRPath(name).strings(on: object) } catch { return [] }
    }
}
