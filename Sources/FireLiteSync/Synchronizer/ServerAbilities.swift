import FireLiteCore

/// What a server can do, by its CapabilityStatement; Conformance in DSTU2.
struct ServerAbilities: Sendable {
    var hasTransactions = true
    var hasBatches = true
    /// The types that can be searched for; nil if that is not known.
    var types: [String]?
    /// The types that it has; nil if that is not known.
    var readableTypes: Set<String>?
    /// The interactions with Subscription; nil if that is not known, and empty if the server does not have it.
    var subscriptionInteractions: Set<String>?
    /// The types with a history; nil if that is not known.
    var typesWithHistory: Set<String>?
    var patchFormats: Set<String> = []

    /// What is tried if a server does not say.
    init() {}

    init(_ statement: FHIRResource) {
        guard let rest = statement.children("rest").first(where: { $0.text("mode") != "client" }) else { return }
        let interactions = Set(rest.children("interaction").compactMap { $0.text("code") })
        hasTransactions = interactions.contains("transaction")
        hasBatches = interactions.contains("batch")
        var (types, histories): ([String], Set<String>) = ([], [])
        for resource in rest.children("resource") {
            guard let type = resource.text("type") else { continue }
            let codes = Set(resource.children("interaction").compactMap { $0.text("code") })
            if codes.contains("search-type") { types.append(type) }
            if codes.contains("history-type") || interactions.contains("history-system") { histories.insert(type) }
        }
        self.types = types
        let resources = rest.children("resource")
        readableTypes = Set(resources.compactMap { $0.text("type") })
        subscriptionInteractions = resources.first { $0.text("type") == "Subscription" }.map { subscription in
            Set(subscription.children("interaction").compactMap { $0.text("code") })
        }
        typesWithHistory = histories
        if let slot = statement.layout.element(named: "patchFormat")?.slot { patchFormats = Set(statement._strings(slot)) }
    }
}
