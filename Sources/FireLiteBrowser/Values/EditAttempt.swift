import FireLite
import FireLiteCore
import Foundation

/// What a form wants to make of a resource: the values that were sent, the resource that they make, and what is wrong with it.
struct EditAttempt {
    /// The resource from which the changes began, and its JSON.
    let base: FHIRResource
    let baseText: String
    /// The JSON of the result.
    let text: String
    /// The values of the fields, by path.
    let values: [String: String]
    /// The result; nil if it is no resource of the type and id.
    let edited: FHIRResource?
    let issues: [PageIssue]
    /// Whether the result must not be stored by the rules of the release.
    let isRefused: Bool

    static let notWhole = PageProblem(400, "The form is not whole", "Open the page again.")

    init(_ form: Address, type: String, id: String, _ configuration: StoreBrowser.Configuration, _ layout: Layout) throws {
        guard let baseText = form["base"] else { throw Self.notWhole }
        self.baseText = baseText
        base = try FHIRJSON.resource(from: Data(baseText.utf8), release: layout.release)
        guard base.resourceType == type, base.id == id else { throw Self.notWhole }
        var values: [String: String] = [:]
        for item in form.items where item.name.hasPrefix("e:") { values[String(item.name.dropFirst(2))] = item.value }
        self.values = values
        var places: [Move] = []
        let isFields = form["mode"] == "fields"
        text = try isFields ? Self.changed(base, values, &places) : form["json"] ?? ""
        var (edited, isRefused): (FHIRResource?, Bool) = (nil, true)
        let issues: [PageIssue]
        do {
            let read = try FHIRJSON.resource(from: Data(text.utf8), release: layout.release)
            if read.resourceType == type, read.id == id {
                edited = read
                issues = PageIssue.all(of: read, configuration)
                // What the profiles say is shown, and the rules of the release decide.
                isRefused = read.validate().contains { $0.severity == .error }
            } else {
                issues = [PageIssue(.error, at: "", "The type and the id cannot be changed.")]
            }
        } catch let error as FHIRDecodingError {
            let place = isFields ? "" : " (line \(error.line), column \(error.column))"
            issues = [PageIssue(.error, at: error.path, error.message + place)]
        }
        self.edited = edited
        self.isRefused = isRefused
        self.issues = issues.map { $0.moved(Self.place(of: $0.path, places)) }
    }

    // MARK: - Fields

    /// An element that has another path in the result, as an element before it in its list was emptied.
    private typealias Move = (new: String, old: String)

    /// The path of an element in the form by its path in the result.
    private static func place(of path: String, _ moves: [Move]) -> String {
        let found = moves.filter { path == $0.new || path.hasPrefix($0.new + ".") || path.hasPrefix($0.new + "[") }
            .max { $0.new.utf8.count < $1.new.utf8.count }
        return found.map { $0.old + path.dropFirst($0.new.count) } ?? path
    }

    /// The JSON of a resource with the values of the form's fields; an empty field removes its element.
    private static func changed(_ resource: FHIRResource, _ values: [String: String], _ moves: inout [Move]) throws -> String {
        var found: [Move] = []
        func read(_ json: String) throws -> JSONItem {
            do throws(JSONItemError) { return try JSONItemReader.read(Array(json.utf8)) } catch {
                throw PageProblem(400, "A value cannot be read", error.problem)
            }
        }
        /// - Parameter target: the path in the result.
        func value(_ item: JSONItem, _ path: String, _ target: String) throws -> JSONItem? {
            switch item.content {
            case .object(let members):
                let kept = try members.compactMap { member -> JSONItem.Member? in
                    let name = member.name.hasPrefix("_") ? String(member.name.dropFirst()) : member.name
                    let here = path.isEmpty ? name : "\(path).\(name)"
                    let there = target.isEmpty ? name : "\(target).\(name)"
                    if member.name.hasPrefix("_") { return member }
                    guard member.value.isArray else {
                        return try value(member.value, here, there).map { .init(name: member.name, value: $0) }
                    }
                    var items: [JSONItem] = []
                    for (place, one) in member.value.items.enumerated() {
                        let (old, new) = ("\(here)[\(place)]", "\(there)[\(items.count)]")
                        guard let kept = try value(one, old, new) else { continue }
                        if old != new { found.append((new, old)) }
                        items.append(kept)
                    }
                    // Extensions of the texts of a list stand at the same positions.
                    if items.count < member.value.items.count, members.contains(where: { $0.name == "_" + member.name }) {
                        throw PageProblem(
                            422, "Nothing is stored", "The texts of \(here) have extensions at their positions: change them in the JSON.")
                    }
                    return items.isEmpty ? nil : .init(name: member.name, value: .array(items))
                }
                return kept.isEmpty ? nil : .object(kept)
            case .string(let old):
                guard let new = values[path], new != old else { return item }
                return new.isEmpty ? nil : .string(new.replacingBytes("\r\n", with: "\n"))
            case .number(let old):
                guard let new = values[path], new != old else { return item }
                // What is no number stays a text, and the reader says so with its place.
                return new.isEmpty ? nil : JSONText.isNumber(new) ? .number(new) : .string(new)
            case .bool(let old):
                guard let new = values[path], new != (old ? "true" : "false") else { return item }
                return new.isEmpty ? nil : ["true", "false"].contains(new) ? .bool(new == "true") : .string(new)
            default: return item
            }
        }
        let json = try value(read(FHIRJSON.string(resource)), "", "")?.json ?? "{}"
        moves = found
        return json
    }
}
