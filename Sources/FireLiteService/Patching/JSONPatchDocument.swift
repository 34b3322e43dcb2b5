import FireLite
import FireLiteCore
import Foundation

/// A JSON Patch (RFC 6902).
struct JSONPatchDocument {
    private struct Pointer {
        let parts: [String]

        /// - Throws: `ServiceFault` for text that is no JSON Pointer (RFC 6901).
        init(_ text: String?, _ place: String) throws {
            guard let text, text.isEmpty || text.hasPrefix("/") else {
                throw ServiceFault(400, "invalid", "\(place) has no JSON Pointer where it needs one")
            }
            parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
                String($0).replacingBytes("~1", with: "/").replacingBytes("~0", with: "~")
            }
        }

        /// The steps in a document; the end of a list is the position after its last item.
        func steps(in document: JSONItem) throws -> [JSONStep] {
            var steps: [JSONStep] = []
            var current: JSONItem? = document
            for part in parts {
                if let value = current, value.isArray {
                    let index = part == "-" ? value.items.count : Int(part)
                    guard let index, index >= 0, part == "-" || String(index) == part else {
                        throw JSONEditError(problem: "a position of the path is not a number")
                    }
                    steps.append(.item(index))
                    current = value.items.indices.contains(index) ? value.items[index] : nil
                } else {
                    steps.append(.member(part))
                    current = current?[part]
                }
            }
            return steps
        }
    }

    private struct Step {
        let name: String
        let path: Pointer
        let from: Pointer?
        let value: JSONItem?
    }

    private let steps: [Step]
    /// Whether it compares values of the document with others.
    var tests: Bool { steps.contains { $0.name == "test" } }
    private static let maximum = 10_000
    /// The sum of all copies, in bytes: copies of copies double with each operation.
    private static let maximumCopies = 64 << 20

    /// - Throws: `ServiceFault` with status 400 for JSON that is no patch.
    init(_ data: Data) throws {
        let item: JSONItem
        do { item = try JSONItemReader.read(data) } catch {
            throw ServiceFault(400, "structure", "the patch is not JSON (line \(error.line)): \(error.problem)")
        }
        guard item.isArray else { throw ServiceFault(400, "structure", "a JSON Patch is a list of operations") }
        guard item.items.count <= Self.maximum else {
            throw ServiceFault(413, "too-costly", "a patch has at most \(Self.maximum) operations")
        }
        steps = try item.items.enumerated().map { index, operation in
            let place = "operation \(index)"
            guard let name = operation["op"]?.text, ["add", "remove", "replace", "move", "copy", "test"].contains(name) else {
                throw ServiceFault(400, "invalid", "\(place) has no op that JSON Patch knows")
            }
            let needsValue = ["add", "replace", "test"].contains(name)
            guard !needsValue || operation["value"] != nil else { throw ServiceFault(400, "required", "\(place) has no value") }
            let from = name == "move" || name == "copy" ? try Pointer(operation["from"]?.text, place) : nil
            return Step(name: name, path: try Pointer(operation["path"]?.text, place), from: from, value: operation["value"])
        }
    }

    /// The document after all operations.
    ///
    /// - Throws: `ServiceFault` with status 422 for an operation that cannot be applied.
    func applied(to document: JSONItem) throws -> JSONItem {
        var document = document
        var room = Self.maximumCopies
        for (index, step) in steps.enumerated() {
            try FHIRStore.checkCancellation()
            if step.name == "copy", let from = try? step.from?.steps(in: document), let value = document.value(at: from[...]) {
                room -= value.size(upTo: room)
                guard room > 0 else {
                    throw ServiceFault(413, "too-costly", "operation \(index): a patch copies at most \(Self.maximumCopies >> 20) MiB")
                }
            }
            do { document = try Self.apply(step, to: document) } catch let error as JSONEditError {
                throw ServiceFault(422, "processing", "operation \(index) (\(step.name)) cannot be applied: \(error.problem)")
            }
        }
        return document
    }

    private static func apply(_ step: Step, to document: JSONItem) throws -> JSONItem {
        let path = try step.path.steps(in: document)
        switch step.name {
        case "test":
            guard let value = document.value(at: path[...]), let wanted = step.value, value.isSame(as: wanted) else {
                throw JSONEditError(problem: "the value is not that of the test")
            }
            return document
        case "remove": return try document.replacing(at: path[...], with: nil)
        case "replace": return try document.replacing(at: path[...], with: step.value)
        case "add": return try add(step.value ?? .null, at: path, to: document)
        default:
            guard let from = try step.from?.steps(in: document), let value = document.value(at: from[...]) else {
                throw JSONEditError(problem: "there is no value to take")
            }
            guard step.name == "move" else { return try add(value, at: path, to: document) }
            guard !(path.count > from.count && path.starts(with: from)) else {
                throw JSONEditError(problem: "a value cannot be moved into itself")
            }
            let rest = try document.replacing(at: from[...], with: nil)
            return try add(value, at: try step.path.steps(in: rest), to: rest)
        }
    }

    private static func add(_ value: JSONItem, at path: [JSONStep], to document: JSONItem) throws -> JSONItem {
        guard let last = path.last else { return value }
        if case .item(let index) = last { return try document.inserting(value, at: index, in: path.dropLast()) }
        return try document.changing(path[...]) { _ in value }
    }
}
