import FireLiteCore

/// Definitions of DSTU2 and STU3 in the shape that later releases give them.
///
/// A ValueSet of DSTU2 may define a code system of its own, and imports other value sets with `compose.import`; its ConceptMap names code systems with
/// each code. In STU3 a CodeSystem has one identifier, and a ConceptMap may refer to its value sets with a Reference. What both releases share with later
/// ones stays as it is.
enum EarlierDefinitions {
    /// The definitions that a resource has: itself, and the code system of a ValueSet of DSTU2.
    static func current(_ json: JSONItem) -> [JSONItem] {
        switch json["resourceType"]?.text {
        case "ValueSet" where json["codeSystem"]?["system"] != nil || json["compose"]?["import"] != nil: valueSet(json)
        case "ConceptMap" where json["element"] != nil: [conceptMap(json)]
        case "ConceptMap" where json["sourceReference"] != nil || json["targetReference"] != nil:
            [replacing(json, scopes(json), without: ["sourceReference", "targetReference"])]
        case "CodeSystem" where json["identifier"]?["value"] != nil:
            [replacing(json, [.init(name: "identifier", value: .array([json["identifier"]].compactMap(\.self)))], without: ["identifier"])]
        default: [json]
        }
    }

    private static func replacing(_ json: JSONItem, _ members: [JSONItem.Member], without names: Set<String>) -> JSONItem {
        .object(json.members.filter { !names.contains($0.name) } + members)
    }

    // MARK: - Value sets

    private static func valueSet(_ json: JSONItem) -> [JSONItem] {
        var includes: [JSONItem] = []
        var found: [JSONItem] = []
        if let own = json["codeSystem"], let system = own["system"] {
            includes.append(.object(["system": system, "version": own["version"]]))
            found.append(
                .object([
                    "resourceType": .string("CodeSystem"), "url": system, "version": own["version"], "name": json["name"],
                    "status": json["status"], "experimental": json["experimental"], "content": .string("complete"),
                    "caseSensitive": own["caseSensitive"], "concept": .array((own["concept"]?.items ?? []).map(concept)),
                ]))
        }
        includes += (json["compose"]?["import"]?.items ?? []).map { .object(["valueSet": .array([$0])]) }
        includes += json["compose"]?["include"]?.items ?? []
        let others = (json["compose"]?.members ?? []).filter { $0.name != "import" && $0.name != "include" }
        let compose = JSONItem.object([JSONItem.Member(name: "include", value: .array(includes))] + others)
        return found + [replacing(json, [.init(name: "compose", value: compose)], without: ["codeSystem", "compose"])]
    }

    /// `abstract` of a concept became the property `notSelectable`.
    private static func concept(_ json: JSONItem) -> JSONItem {
        var members = json.members.filter { $0.name != "abstract" && $0.name != "concept" }
        if json["abstract"]?.isTrue == true {
            let property = JSONItem.object(["code": .string("notSelectable"), "valueBoolean": .bool(true)])
            members.append(.init(name: "property", value: .array([property])))
        }
        if let below = json["concept"]?.items { members.append(.init(name: "concept", value: .array(below.map(concept)))) }
        return .object(members)
    }

    // MARK: - Concept maps

    private static func scopes(_ json: JSONItem) -> [JSONItem.Member] {
        ["source", "target"].compactMap { name in
            json[name + "Reference"]?["reference"].map { JSONItem.Member(name: name + "Uri", value: $0) }
        }
    }

    /// Elements grouped by the code systems of both sides, in their order.
    private static func conceptMap(_ json: JSONItem) -> JSONItem {
        var order: [[String?]] = []
        var groups: [[String?]: [JSONItem]] = [:]
        for element in json["element"]?.items ?? [] {
            let targets = element["target"]?.items ?? []
            let systems = targets.isEmpty ? [nil] : targets.map { $0["codeSystem"]?.text }
            for system in systems.enumerated().filter({ place in !systems.prefix(place.offset).contains(place.element) }).map(\.element) {
                let key = [element["codeSystem"]?.text, system]
                if groups[key] == nil { order.append(key) }
                let own = targets.filter { $0["codeSystem"]?.text == system }.map(target)
                groups[key, default: []].append(.object(["code": element["code"], "target": .array(own)]))
            }
        }
        let list = order.map { key in
            JSONItem.object([
                "source": key[0].map { .string($0) }, "target": key[1].map { .string($0) }, "element": .array(groups[key] ?? []),
            ])
        }
        return replacing(
            json, scopes(json) + [.init(name: "group", value: .array(list))], without: ["element", "sourceReference", "targetReference"])
    }

    private static func target(_ json: JSONItem) -> JSONItem {
        let conditions = (json["dependsOn"]?.items ?? []).map { condition in
            JSONItem.object(["property": condition["element"], "value": condition["code"]])
        }
        let products = (json["product"]?.items ?? []).map { JSONItem.object(["property": $0["element"], "value": $0["code"]]) }
        return .object([
            "code": json["code"], "equivalence": json["equivalence"], "comment": json["comments"],
            "dependsOn": conditions.isEmpty ? nil : .array(conditions), "product": products.isEmpty ? nil : .array(products),
        ])
    }
}
