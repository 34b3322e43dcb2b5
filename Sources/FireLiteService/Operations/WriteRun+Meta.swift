import FireLite
import FireLiteClient
import FireLiteCore
import Foundation

extension WriteRun {
    /// `$meta-add` and `$meta-delete` (FHIR, Resource): adds or removes profiles, tags and security labels.
    func changeMeta(_ type: String, _ id: String, adds: Bool) throws -> WriteOutcome {
        let parameters = try content.resource(of: call.request)
        guard let given = parameters.children("parameter").first(where: { $0.text("name") == "meta" })?.child("valueMeta") else {
            throw ServiceFault(400, "required", "the operation needs the parameter meta", at: "Parameters.parameter")
        }
        let existing = try changeable(type, id)
        let changed = try service.shown(try transaction.whole(existing), to: call.access, transaction).copy()
        let old: JSONItem
        let new: JSONItem
        do {
            old = try JSONItemReader.read(FHIRJSON.data(changed))
            new = try JSONItemReader.read(FHIRJSON.data(given))
        } catch { throw ServiceFault(500, "exception", "the resource cannot be read") }
        let meta = Self.merged(old["meta"] ?? .object([:]), new, adds: adds)
        let document = try old.changing([.member("meta")]) { _ in meta.pruned }
        let resource = try FHIRJSON.resource(from: Data(document.json.utf8), release: release)
        var outcome = try update(resource, type: type, id: id, conditions: Preconditions(ifMatch: nil, ifNoneMatch: nil))
        outcome.isReadable = try mayRead(type, id)
        return outcome
    }

    private static func merged(_ old: JSONItem, _ new: JSONItem, adds: Bool) -> JSONItem {
        var members = old.members
        for name in ["profile", "security", "tag"] {
            guard let wanted = new[name]?.items else { continue }
            let place = members.firstIndex { $0.name == name }
            var items = place.map { members[$0].value.items } ?? []
            for item in wanted {
                let isSame: (JSONItem) -> Bool = { isLabel($0, item) }
                if !adds { items.removeAll(where: isSame) } else if !items.contains(where: isSame) { items.append(item) }
            }
            if let place {
                members[place] = JSONItem.Member(name: name, value: .array(items))
            } else {
                members.append(JSONItem.Member(name: name, value: .array(items)))
            }
        }
        return .object(members)
    }

    /// Whether two profiles, or two codings by system and code, are the same.
    private static func isLabel(_ left: JSONItem, _ right: JSONItem) -> Bool {
        guard left.isObject, right.isObject else { return left == right }
        return left["system"]?.text == right["system"]?.text && left["code"]?.text == right["code"]?.text
    }
}
