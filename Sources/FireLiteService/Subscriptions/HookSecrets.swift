import FireLite
import FireLiteCore
import Foundation

/// The header fields that a subscription has the server send to its hook, which usually contain a token: `Subscription.parameter` of R5, and
/// `Subscription.channel.header` of earlier releases.
///
/// Only who owns the subscription reads their values; for others they are masked, as the extension `data-absent-reason` says it (FHIR, Extension: Data
/// Absent Reason). Masked values are not stored, so that nobody replaces the true ones by accident.
enum HookSecrets {
    private static let reason = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
    private static let mask = JSONItem.object([
        "extension": .array([.object(["url": .string(reason), "valueCode": .string("masked")])])
    ])

    /// The subscription without the values.
    static func masking(_ subscription: FHIRResource, _ release: FHIRRelease) throws -> FHIRResource {
        let whole = try FHIRService.item(subscription)
        var item = whole
        if let parameters = item["parameter"]?.items {
            let masked = parameters.map { hiding("value", in: $0, mask) }
            item = replacing("parameter", in: item, .array(masked))
        }
        if let channel = item["channel"], let header = channel["header"] ?? channel["_header"] {
            let masks = header.isArray ? JSONItem.array(header.items.map { _ in mask }) : mask
            item = replacing("channel", in: item, hiding("header", in: channel, masks))
        }
        return item == whole ? subscription : try FHIRJSON.resource(from: Data(item.json.utf8), release: release)
    }

    /// Whether a subscription has values that are masked.
    static func isMasked(_ subscription: FHIRResource) throws -> Bool {
        let item = try FHIRService.item(subscription)
        let elements = (item["parameter"]?.items.map { $0["_value"] } ?? []) + [item["channel"]?["_header"]]
        return elements.compactMap { $0 }.flatMap { $0.isArray ? $0.items : [$0] }.contains { element in
            element["extension"]?.items.contains { $0["url"]?.text == reason } ?? false
        }
    }

    private static func hiding(_ name: String, in item: JSONItem, _ mask: JSONItem) -> JSONItem {
        .object(item.members.filter { $0.name != name && $0.name != "_" + name } + [JSONItem.Member(name: "_" + name, value: mask)])
    }

    private static func replacing(_ name: String, in item: JSONItem, _ value: JSONItem) -> JSONItem {
        .object(item.members.map { $0.name == name ? JSONItem.Member(name: name, value: value) : $0 })
    }
}

extension FHIRService {
    /// A resource as a client may see it. Without an authorizer everybody may see everything.
    ///
    /// - Parameter isCurrent: whether it is what the store has now. Of an earlier version nobody knows who owned it.
    func shown(
        _ resource: FHIRResource, to access: ServiceAccess, isCurrent: Bool = true, _ transaction: ReadTransaction
    ) throws -> FHIRResource {
        guard resource.resourceType == "Subscription", configuration.authorizer != nil else { return resource }
        let owner = try resource.id.flatMap { try SubscriptionTable.rows($0, transaction).first }?.access.subject
        return isCurrent && owner == access.subject ? resource : try HookSecrets.masking(resource, release)
    }

    /// The ids of the subscriptions of a client, for resources that are read while its scopes hide others: then a transaction reads no other tables.
    func ownSubscriptions(of access: ServiceAccess, _ transaction: ReadTransaction) throws -> Set<String> {
        Set(try SubscriptionTable.rows(nil, transaction).filter { $0.access.subject == access.subject }.map { $0.id })
    }

    /// A resource that the store has now, as a client with these subscriptions may see it.
    func shown(_ resource: FHIRResource, own: Set<String>) throws -> FHIRResource {
        guard resource.resourceType == "Subscription", configuration.authorizer != nil else { return resource }
        if let id = resource.id, own.contains(id) { return resource }
        return try HookSecrets.masking(resource, release)
    }
}
