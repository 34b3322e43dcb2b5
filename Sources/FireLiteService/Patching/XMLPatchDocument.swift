import FireLiteCore
import FireLiteXML
import Foundation

/// An XML Patch (RFC 5261; as a document of its own, RFC 7351): operations on the XML of a resource.
///
/// The root is `patch` in the namespace of RFC 7351, or `diff` without a namespace, as RFC 5261 writes it.
struct XMLPatchDocument {
    static let mediaType = "application/xml-patch+xml"
    private static let namespace = "urn:ietf:rfc:7351"
    /// The number of operations at most.
    private static let maximumOperations = 1_000
    /// How many nodes all selectors may look at.
    private static let maximumWork = 2_000_000

    private enum Position: String {
        case append, prepend, before, after
    }

    private struct Operation {
        let name: String
        let selector: XMLSelector
        var position = Position.append
        /// The attribute that is added.
        var attribute: XMLNode.Attribute?
        /// Where white space goes with a node that is removed.
        var space: Set<Position> = []
        /// What the operation contains.
        let content: XMLNode

        /// - Throws: `ServiceFault` with status 400 for an element that is no operation.
        init(_ element: XMLNode) throws {
            func attribute(_ name: String) -> String? {
                element.attributes.first { $0.name == XMLNode.Name(uri: "", local: name) }?.value
            }
            name = element.name.local
            content = element
            guard ["add", "replace", "remove"].contains(name) else {
                throw ServiceFault(400, "invalid", "the operations of a patch are add, replace and remove")
            }
            guard let text = attribute("sel") else { throw ServiceFault(400, "required", "an operation has the attribute sel") }
            selector = try XMLSelector(text, scope: element.scope)
            if name == "add", let text = attribute("pos") {
                guard let known = Position(rawValue: text), known != .append else {
                    throw ServiceFault(400, "value", "pos is prepend, before or after")
                }
                position = known
            }
            if name == "add", let text = attribute("type") {
                guard text.hasPrefix("@"), text.utf8.count > 1, position == .append else {
                    throw ServiceFault(400, "not-supported", "type is an attribute, such as @value, and goes without pos")
                }
                let name = String(text.dropFirst())
                self.attribute = XMLNode.Attribute(
                    name: try XMLTreeReader.name(name, element.scope, isElement: false),
                    prefix: name.contains(":") ? String(name.prefix { $0 != ":" }) : "", value: element.value)
            }
            if name == "remove", let text = attribute("ws") {
                switch text {
                case "before": space = [.before]
                case "after": space = [.after]
                case "both": space = [.before, .after]
                default: throw ServiceFault(400, "value", "ws is before, after or both")
                }
            }
        }
    }

    private let operations: [Operation]

    /// - Throws: `ServiceFault` with status 400 for a body that is no patch; `FHIRXMLError` if the system has no libxml2.
    init(_ data: Data) throws {
        let root = try XMLTreeReader.document(data).elements[0]
        let isPatch = root.name == XMLNode.Name(uri: Self.namespace, local: "patch") || root.name == XMLNode.Name(uri: "", local: "diff")
        guard isPatch else {
            throw ServiceFault(400, "invalid", "an XML Patch is an element patch in the namespace \(Self.namespace), or an element diff")
        }
        guard root.elements.count <= Self.maximumOperations else {
            throw ServiceFault(400, "too-costly", "a patch has at most \(Self.maximumOperations) operations")
        }
        operations = try root.elements.map { element in
            guard element.name.uri == root.name.uri else {
                throw ServiceFault(400, "invalid", "the operations of a patch are in its own namespace")
            }
            return try Operation(element)
        }
    }

    /// The resource's XML after all operations.
    ///
    /// - Throws: `ServiceFault` with status 422 for an operation that cannot be applied.
    func applied(to xml: Data) throws -> Data {
        let document = try XMLTreeReader.document(xml)
        var work = Self.maximumWork
        for (index, operation) in operations.enumerated() {
            do {
                let place = try operation.selector.place(in: document, work: &work)
                switch operation.name {
                case "add": try Self.add(operation, at: place)
                case "replace": try Self.replace(operation, at: place)
                default: try Self.remove(operation, at: place)
                }
            } catch let error as XMLPatchError {
                var isTooCostly = false
                if case .tooCostly = error { isTooCostly = true }
                throw ServiceFault(
                    422, isTooCostly ? "too-costly" : "processing",
                    "operation \(index) (\(operation.name)) cannot be applied: \(error.problem)")
            }
        }
        return document.data
    }

    // MARK: - Operations

    private static func add(_ operation: Operation, at place: XMLSelector.Place) throws {
        guard case .child(let parent, let index) = place else { throw XMLPatchError.impossible("nothing can be added to an attribute") }
        let node = parent.children[index]
        if let attribute = operation.attribute {
            guard node.kind == .element else { throw XMLPatchError.impossible("attributes are of elements") }
            guard !node.attributes.contains(where: { $0.name == attribute.name }) else {
                throw XMLPatchError.impossible("the element has the attribute already: replace it")
            }
            return node.attributes.append(attribute)
        }
        let content = operation.content.children.map { $0.copy() }
        guard !content.isEmpty else { throw XMLPatchError.impossible("the operation contains nothing to add") }
        switch operation.position {
        case .append, .prepend:
            guard node.kind == .element else { throw XMLPatchError.impossible("only elements have children") }
            node.children.insert(contentsOf: content, at: operation.position == .prepend ? 0 : node.children.count)
        case .before, .after:
            guard parent.kind == .element || content.allSatisfy({ $0.kind == .comment || $0.kind == .instruction || $0.isSpace }) else {
                throw XMLPatchError.impossible("a document has one root element")
            }
            // At the level of the document white space means nothing.
            parent.children.insert(
                contentsOf: parent.kind == .element ? content : content.filter { !$0.isSpace },
                at: operation.position == .before ? index : index + 1)
        }
    }

    private static func replace(_ operation: Operation, at place: XMLSelector.Place) throws {
        switch place {
        case .attribute(let owner, let index):
            guard operation.content.elements.isEmpty else { throw XMLPatchError.impossible("the value of an attribute is text") }
            owner.attributes[index].value = operation.content.value
        case .child(let parent, let index) where parent.children[index].kind == .text:
            guard operation.content.children.allSatisfy({ $0.kind == .text }) else {
                throw XMLPatchError.impossible("text is replaced by text")
            }
            parent.children.replaceSubrange(index...index, with: operation.content.children)
        case .child(let parent, let index):
            let kind = parent.children[index].kind
            // White space around the node is how the patch is laid out.
            guard let node = operation.content.children.filter({ !$0.isSpace }).only, node.kind == kind else {
                throw XMLPatchError.impossible("a node is replaced by one of its kind")
            }
            parent.children[index] = node.copy()
        }
    }

    private static func remove(_ operation: Operation, at place: XMLSelector.Place) throws {
        switch place {
        case .attribute(let owner, let index): owner.attributes.remove(at: index)
        case .child(let parent, let index):
            guard parent.kind == .element || parent.children[index].kind != .element else {
                throw XMLPatchError.impossible("the root element cannot be removed")
            }
            func isSpace(_ index: Int) -> Bool { parent.children.indices.contains(index) && parent.children[index].isSpace }
            guard !operation.space.contains(.before) || isSpace(index - 1), !operation.space.contains(.after) || isSpace(index + 1) else {
                throw XMLPatchError.impossible("there is no white space where ws has it")
            }
            if operation.space.contains(.after) { parent.children.remove(at: index + 1) }
            parent.children.remove(at: index)
            if operation.space.contains(.before) { parent.children.remove(at: index - 1) }
        }
    }
}
