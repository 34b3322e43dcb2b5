import FireLite
import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// A FHIRPath Patch (FHIR, FHIRPath Patch): a resource Parameters with operations.
///
/// Operations are applied in order, each to the result of the one before. Places are found by FHIRPath on objects and changed in their JSON.
struct FHIRPathPatchDocument {
    private struct Operation {
        let type: String
        let path: String
        let name: String?
        let index: Int?
        let source: Int?
        let destination: Int?
        let value: FHIRObject?
    }

    private let operations: [Operation]
    private static let types: Set<String> = ["add", "insert", "delete", "replace", "move"]

    /// - Throws: `ServiceFault` with status 400 for Parameters that are no patch.
    init(_ parameters: FHIRResource) throws {
        operations = try parameters.children("parameter").enumerated().map { number, parameter in
            let place = "Parameters.parameter[\(number)]"
            guard parameter.text("name") == "operation" else {
                throw ServiceFault(400, "invalid", "the parameters of a patch are named operation", at: place)
            }
            let parts = parameter.children("part")
            func part(_ name: String) -> FHIRObject? { parts.first { $0.text("name") == name } }
            func text(_ name: String) -> String? { part(name).flatMap { $0.text("valueString") ?? $0.text("valueCode") } }
            func integer(_ name: String) throws -> Int? {
                guard let part = part(name) else { return nil }
                guard let number = part.integer("valueInteger") else {
                    throw ServiceFault(400, "value", "the part \(name) is an integer", at: place)
                }
                return number
            }
            guard let type = text("type"), Self.types.contains(type) else {
                throw ServiceFault(400, "invalid", "the type of an operation is add, insert, delete, replace or move", at: place)
            }
            guard let path = text("path") else { throw ServiceFault(400, "required", "an operation has a path", at: place) }
            let operation = Operation(
                type: type, path: path, name: text("name"), index: try integer("index"), source: try integer("source"),
                destination: try integer("destination"), value: part("value"))
            let isWhole =
                switch type {
                case "add": operation.name != nil && operation.value != nil
                case "insert": operation.index != nil && operation.value != nil
                case "replace": operation.value != nil
                case "move": operation.source != nil && operation.destination != nil
                default: true
                }
            guard isWhole else { throw ServiceFault(400, "required", "a part of the operation \(type) is missing", at: place) }
            return operation
        }
    }

    /// The resource after all operations.
    ///
    /// - Throws: `ServiceFault` with status 422 for an operation that cannot be applied.
    func applied(to document: JSONItem, _ release: FHIRRelease) throws -> JSONItem {
        var document = document
        for (index, operation) in operations.enumerated() {
            let place = "Parameters.parameter[\(index)]"
            try FHIRStore.checkCancellation()
            do {
                // Operations before may have left empty elements, which operations after may fill.
                let resource = try FHIRJSON.resource(from: Data(document.filled.json.utf8), release: release)
                document = try Self.apply(operation, to: document, resource)
            } catch let error as JSONEditError {
                throw ServiceFault(422, "processing", "the operation cannot be applied: \(error.problem)", at: place)
            } catch let error as FHIRPathError {
                throw ServiceFault(422, "invalid", "the path cannot be evaluated: \(error.message)", at: place)
            } catch let error as FHIRDecodingError {
                throw ServiceFault(422, "structure", "the operations before leave no valid resource: \(error.message)", at: place)
            }
        }
        return document
    }

    private static func apply(_ operation: Operation, to document: JSONItem, _ resource: FHIRResource) throws -> JSONItem {
        switch operation.type {
        case "add":
            guard let owner = try PatchTarget.objects(operation.path, resource).only, let path = PatchTarget.path(of: owner),
                let name = operation.name
            else { throw JSONEditError(problem: "the path does not lead to one element") }
            guard let value = operation.value, let element = PatchTarget.element(name, of: owner.layout, for: value) else {
                throw JSONEditError(problem: "the element at the path has no such element")
            }
            let item = try PatchValue.item(value, for: element)
            let place = path + [.member(element.name)]
            if element.isList {
                guard document.value(at: place[...]) != nil else { return try document.changing(place[...]) { _ in .array([item]) } }
                return try document.changing(place[...]) { .array(($0?.items ?? []) + [item]) }
            }
            guard document.value(at: place[...]) == nil else { throw JSONEditError(problem: "the element has a value already: replace it") }
            return try document.changing(place[...]) { _ in item }
        case "replace":
            guard let target = try PatchTarget(operation.path, resource), let value = operation.value else {
                throw JSONEditError(problem: "the path does not lead to one element")
            }
            let element = PatchTarget.element(target.stem, of: target.owner.layout, for: value) ?? target.element
            let item = try PatchValue.item(value, for: element)
            if element.name == target.element.name { return try document.replacing(at: target.path[...], with: item) }
            // Of a choice, a value of another type has another name.
            let rest = try document.replacing(at: target.path[...], with: nil)
            return try rest.changing((target.path.dropLast() + [.member(element.name)])[...]) { _ in item }
        case "delete":
            guard let target = try PatchTarget(operation.path, resource) else {
                guard try PatchTarget.isAbsent(operation.path, resource) else {
                    throw JSONEditError(problem: "the path leads to several elements")
                }
                return document
            }
            return try target.removed(from: document)
        default:
            guard let list = try PatchTarget.list(operation.path, resource) else {
                throw JSONEditError(problem: "the path does not lead to a list")
            }
            if operation.type == "insert", let value = operation.value, let index = operation.index {
                let item = try PatchValue.item(value, for: list.element)
                guard document.value(at: list.path[...]) != nil else {
                    guard index == 0 else { throw JSONEditError(problem: "the position is beyond the end of the list") }
                    return try document.changing(list.path[...]) { _ in .array([item]) }
                }
                return try document.inserting(item, at: index, in: list.path[...])
            }
            return try document.changing(list.path[...]) { value in
                var items = value?.items ?? []
                guard let source = operation.source, let destination = operation.destination, items.indices.contains(source),
                    items.indices.contains(destination)
                else { throw JSONEditError(problem: "a position is beyond the end of the list") }
                items.insert(items.remove(at: source), at: destination)
                return .array(items)
            }
        }
    }
}

extension Array {
    /// The only element; nil if there are none or several.
    var only: Element? { count == 1 ? first : nil }
}
