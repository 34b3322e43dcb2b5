import FireLiteCore

/// An operation that a service has.
struct ServiceOperation {
    typealias Level = RegisteredOperation.Level

    /// Its name without the dollar sign.
    let name: String
    let definition: String
    let levels: Set<Level>
    /// The types that have it; nil for all.
    let types: Set<String>?
    var isWrite = false
    /// What of the configuration it needs.
    var needs: (@Sendable (FHIRService) -> Bool)?
    /// What performs it, if it was registered.
    var registered: RegisteredOperation?

    /// The service's own, and those that are registered with it.
    static func all(of service: FHIRService) -> [ServiceOperation] {
        own
            + service.configuration.operations.map {
                ServiceOperation(name: $0.name, definition: $0.definition, levels: $0.levels, types: $0.types, registered: $0)
            }
    }

    private static let own: [ServiceOperation] = [
        ServiceOperation(
            name: "everything", definition: "http://hl7.org/fhir/OperationDefinition/Patient-everything", levels: [.instance],
            types: ["Patient"]),
        ServiceOperation(
            name: "everything", definition: "http://hl7.org/fhir/OperationDefinition/Encounter-everything", levels: [.instance],
            types: ["Encounter"]),
        ServiceOperation(
            name: "validate", definition: "http://hl7.org/fhir/OperationDefinition/Resource-validate", levels: [.type, .instance],
            types: nil),
        ServiceOperation(
            name: "meta", definition: "http://hl7.org/fhir/OperationDefinition/Resource-meta", levels: [.system, .type, .instance],
            types: nil),
        ServiceOperation(
            name: "meta-add", definition: "http://hl7.org/fhir/OperationDefinition/Resource-meta-add", levels: [.instance], types: nil,
            isWrite: true),
        ServiceOperation(
            name: "meta-delete", definition: "http://hl7.org/fhir/OperationDefinition/Resource-meta-delete", levels: [.instance],
            types: nil,
            isWrite: true),
        ServiceOperation(
            name: "lastn", definition: "http://hl7.org/fhir/OperationDefinition/Observation-lastn", levels: [.type], types: ["Observation"]),
        ServiceOperation(
            name: "docref", definition: "http://hl7.org/fhir/us/core/OperationDefinition/docref", levels: [.type],
            types: ["DocumentReference"]),
        ServiceOperation(
            name: "viewdefinition-run", definition: "http://sql-on-fhir.org/OperationDefinition/$viewdefinition-run", levels: [.system],
            types: nil),
        ServiceOperation(
            name: "export", definition: "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export", levels: [.system], types: nil,
            needs: { $0.jobs != nil }),
        ServiceOperation(
            name: "export", definition: "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/patient-export", levels: [.type],
            types: ["Patient"], needs: { $0.jobs != nil }),
        ServiceOperation(
            name: "export", definition: "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/group-export", levels: [.instance],
            types: ["Group"], needs: { $0.jobs != nil }),
        ServiceOperation(
            name: "import", definition: "https://github.com/smart-on-fhir/bulk-import/import-manifest", levels: [.system], types: nil,
            isWrite: true, needs: { $0.configuration.transport != nil && !$0.configuration.importOrigins.isEmpty && $0.jobs != nil }),
        subscription("status", [.type, .instance], "http://hl7.org/fhir/OperationDefinition/Subscription-status", isR5: true),
        subscription("events", [.instance], "http://hl7.org/fhir/OperationDefinition/Subscription-events", isR5: true),
        subscription("status", [.type, .instance], backport + "status", isR5: false),
        subscription("events", [.instance], backport + "events", isR5: false),
    ]

    private static let backport = "http://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition/backport-subscription-"

    private static func subscription(_ name: String, _ levels: Set<Level>, _ definition: String, isR5: Bool) -> ServiceOperation {
        ServiceOperation(
            name: name, definition: definition, levels: levels, types: ["Subscription"],
            needs: { ($0.release.name == "R5") == isR5 && $0.hasOwnSubscriptions })
    }

    func isOffered(by service: FHIRService, canWrite: Bool) -> Bool { (canWrite || !isWrite) && needs?(service) ?? true }

    /// Whether it is listed with a type, or with the system if there is none.
    func applies(to type: String?, _ release: FHIRRelease) -> Bool {
        guard let type else { return levels.contains(.system) }
        guard levels.contains(.type) || levels.contains(.instance) else { return false }
        return types?.contains(type) ?? true
    }

    /// The operation that a path names.
    ///
    /// - Throws: `ServiceFault` with status 404 if there is none there.
    static func find(named name: String, type: String?, id: String?, in service: FHIRService) throws -> ServiceOperation {
        let level: Level = id != nil ? .instance : type != nil ? .type : .system
        let isThere: (ServiceOperation) -> Bool = { operation in
            operation.name == name && operation.levels.contains(level) && type.map { operation.types?.contains($0) ?? true } ?? true
                && operation.needs?(service) ?? true
        }
        guard let found = all(of: service).first(where: isThere) else {
            throw ServiceFault(
                404, "not-supported", "there is no operation $\(ServiceFault.shown(name)) here: GET metadata lists what there is")
        }
        return found
    }
}
