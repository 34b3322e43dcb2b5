import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

/// What a store knows of a patient, now or as it was at a moment in the past.
struct PatientRecord {
    /// Types with a time that a person looks for, in the order of the timeline.
    static let types = [
        "Encounter", "Condition", "AllergyIntolerance", "Procedure", "MedicationRequest", "MedicationStatement", "Immunization",
        "DiagnosticReport",
        "CarePlan", "Observation", "DocumentReference", "Appointment",
    ]
    /// The number of resources of a type that the page reads, the latest: more of Observations, of which there are charts, and of the past, in which
    /// those that were active are among them.
    static func most(of type: String, isPast: Bool = false) -> Int { type == "Observation" || isPast ? 500 : 200 }
    /// The search parameters with the date of a resource, the most telling first.
    private static let dates = ["authoredon", "date", "onset-date", "effective", "recorded-date"]

    /// The resources by type; types without any are missing.
    private(set) var resources: [(type: String, resources: [FHIRResource])] = []
    /// The types of which there is more than is read.
    private(set) var cut: [String] = []
    /// The types that there was no time to read.
    private(set) var leftOut: [String] = []
    /// What is active, of those of which there is more than is read.
    private var activeOfCut: [String: [FHIRResource]] = [:]

    /// - Parameter end: the end of the time that is looked at; nil for all times. Of a type with too many resources, the latest before it are read.
    /// - Throws: `SearchError` and `FHIRStoreError`; ``PageProblem`` if the past is asked for and the store keeps no history.
    init(_ call: PageCall, patient id: String, asOf moment: Date?, until end: Date?) throws {
        let counts = try call.counts()
        let time = call.readingEnd
        if moment != nil, try call.transaction.tracked(.history).isEmpty {
            throw PageProblem(
                400, "The past is not kept", "The store keeps no history: `firelite track on history` makes it do so from then on.")
        }
        for type in Self.types where counts.contains(where: { $0.typeName == type && $0.count > 0 }) || moment != nil {
            guard let layout = call.release.resourceLayout(named: type) else { continue }
            let parameters = try call.browser.facts.parameters(layout, call).map(\.code)
            guard let parameter = ["patient", "subject"].first(where: { parameters.contains($0) }) else { continue }
            let request = SearchRequest(type: type).where(parameter, "Patient/\(SearchRequest.escaped(id))")
            let read = try call.transaction.until(time) { try self.read(type, request, parameters, asOf: moment, until: end, call) }
            guard let read else {
                leftOut.append(type)
                continue
            }
            if read.isCut { cut.append(type) }
            activeOfCut[type] = read.active
            var found = read.found
            if let moment { found = try past(found, type: type, patient: id, at: moment, call) }
            if !found.isEmpty { resources.append((type, found)) }
        }
    }

    /// The latest resources of a type, whether there are more, and what of those is active.
    private func read(
        _ type: String, _ patient: SearchRequest, _ parameters: [String], asOf moment: Date?, until end: Date?, _ call: PageCall
    ) throws -> (found: [FHIRResource], isCut: Bool, active: [FHIRResource]?) {
        var options = call.searchOptions
        options.pageSize = Self.most(of: type, isPast: moment != nil)
        var request = patient
        let date = Self.dates.first { parameters.contains($0) }
        if let date { request = request.where("_sort", "-" + date) }
        let result = try call.transaction.search(request, options: options)
        guard result.next != nil else { return (result.matches, false, nil) }
        var (found, active) = (result.matches, [FHIRResource]?.none)
        if moment == nil, let states = Self.states[type], let status = Self.status.first(where: { parameters.contains($0) }) {
            let wanted = request.where(status, states.sorted().joined(separator: ","))
            active = try call.transaction.search(wanted, options: options).matches
        }
        if let date, let end {
            found = try call.transaction.search(request.where(date, "le" + FHIRInstant(end).literal), options: options).matches
            // Their dates are in elements that it does not search.
            found += try call.transaction.search(request.where(date + ":missing", "true"), options: options).matches
        }
        return (found, true, active)
    }

    // MARK: - The past

    /// The resources of a type as they were: those that have not changed since, and the versions then of those that have.
    private func past(
        _ current: [FHIRResource], type: String, patient id: String, at moment: Date, _ call: PageCall
    ) throws -> [FHIRResource] {
        let versions = try call.transaction.history(typeName: type, since: moment, limit: 20_000)
        guard versions.count < 20_000 else {
            throw PageProblem(400, "Too much has changed since", "More than 20,000 versions of \(type) are newer: ask for a later moment.")
        }
        // What was stored before the history began has no versions, but the time of its last change.
        let later =
            try current.isEmpty
            ? []
            : call.store.sql(
                "SELECT t.id FROM \(sqlName(type)) t JOIN _resource r ON r.root = t._k >> 24 WHERE t._parent IS NULL AND r.updated > ?",
                arguments: [.integer(Int64(moment.timeIntervalSince1970 * 1_000))])
        let isLater = Set(later.compactMap { $0[0].textValue })
        let changed = Set(versions.filter { ($0.storedAt ?? .distantPast) > moment || $0.replacedAt != nil }.compactMap(\.id))
        var found = current.filter { !changed.contains($0.id ?? "") && !isLater.contains($0.id ?? "") }
        for one in changed.sorted() {
            let then = try call.transaction.history(typeName: type, id: one).first {
                ($0.storedAt ?? .distantPast) <= moment && ($0.replacedAt ?? .distantFuture) > moment
            }
            guard let then, let state = try call.transaction.resource(at: then) else { continue }
            let references = ["subject", "patient"].flatMap { state.children($0) }.compactMap { ElementValues.text("reference", of: $0) }
            if references.contains(where: { ReferenceParts($0).id == id && ReferenceParts($0).type == "Patient" }) { found.append(state) }
        }
        return found
    }

    // MARK: - What holds

    private static let states: [String: Set<String>] = [
        "Condition": ["active", "recurrence", "relapse"], "AllergyIntolerance": ["active"], "MedicationRequest": ["active", "on-hold"],
        "MedicationStatement": ["active", "intended", "on-hold"], "CarePlan": ["active"],
        "Encounter": ["in-progress", "arrived", "triaged"],
        "Appointment": ["booked", "arrived"],
    ]
    /// The search parameters of the states, by release.
    private static let status = ["clinical-status", "clinicalstatus", "status"]

    /// The resources that are active, by their status: of each type at most as many as are read.
    var active: [(type: String, resources: [FHIRResource])] {
        resources.compactMap { type, read in
            guard let wanted = Self.states[type] else { return nil }
            let all = activeOfCut[type] ?? read
            let path = type == "Condition" || type == "AllergyIntolerance" ? "clinicalStatus" : "status"
            let found = all.filter { resource in
                // A code in DSTU2 and STU3, a CodeableConcept since R4.
                let codes = [ElementValues.text(path, of: resource), ElementValues.text("\(path).coding.code", of: resource)].compactMap {
                    $0
                }
                return codes.contains { wanted.contains($0) }
            }
            return found.isEmpty ? nil : (type, found)
        }
    }
}

/// When a resource happened, for a timeline.
struct TimelineEvent {
    let resource: FHIRResource
    let start: Date
    /// Nil for a moment.
    let end: Date?

    /// Nil if the resource has no time.
    init?(_ resource: FHIRResource) {
        self.resource = resource
        for name in Self.names {
            for value in ElementValues.at(name, of: resource, limit: 1) {
                switch value {
                case .literal(let text, let type):
                    guard [.date, .dateTime, .instant].contains(type), let date = FHIRDateTime(text)?.date else { continue }
                    start = date
                    end = nil
                    return
                case .object(let object):
                    let ends = ["start", "end"].map { ElementValues.text($0, of: object).flatMap { FHIRDateTime($0)?.date } }
                    guard let first = ends[0] ?? ends[1] else { continue }
                    start = first
                    end = ends[1].flatMap { $0 > first ? $0 : nil }
                    return
                }
            }
        }
        return nil
    }

    private static let names = [
        "effective", "period", "onset", "performed", "occurrence", "authoredOn", "dateWritten", "date", "issued", "recordedDate", "start",
        "created",
        "assertedDate",
    ]
}

/// The numbers of one kind of Observation over time.
struct NumericSeries {
    struct Point {
        let date: Date
        let value: Double
        let literal: String
        let address: Address?
        let isOutside: Bool
    }

    let title: String
    let unit: String
    var points: [Point] = []
    /// The reference range of the newest value that has one.
    var low: Double?
    var high: Double?

    /// The series of a patient's Observations and their components, those with the most values first.
    static func all(_ events: [TimelineEvent]) -> [NumericSeries] {
        var series: [String: NumericSeries] = [:]
        for event in events {
            let observation = event.resource
            let address = observation.id.map { Address.resource("Observation", $0) }
            let title = observation.child("code").flatMap { Summary.object($0) } ?? "Observation"
            add(observation, title: title, event: event, address: address, to: &series)
            for component in observation.children("component") {
                let inner = component.child("code").flatMap { Summary.object($0) } ?? "component"
                add(component, title: "\(title): \(inner)", event: event, address: address, to: &series)
            }
        }
        return series.values.filter { $0.points.count > 1 }.map { one in
            var one = one
            one.points.sort { $0.date < $1.date }
            return one
        }.sorted { ($1.points.count, $0.title) < ($0.points.count, $1.title) }
    }

    private static func add(
        _ owner: FHIRObject, title: String, event: TimelineEvent, address: Address?, to series: inout [String: NumericSeries]
    ) {
        guard let quantity = owner.child("valueQuantity"), let literal = ElementValues.text("value", of: quantity),
            let value = Double(literal),
            value.isFinite, ElementValues.text("comparator", of: quantity) == nil
        else { return }
        let unit = ElementValues.text("unit", of: quantity) ?? ElementValues.text("code", of: quantity) ?? ""
        let range = owner.children("referenceRange").first
        let low = range.flatMap { ElementValues.text("low.value", of: $0) }.flatMap { Double($0) }
        let high = range.flatMap { ElementValues.text("high.value", of: $0) }.flatMap { Double($0) }
        let isOutside = low.map { value < $0 } ?? false || high.map { value > $0 } ?? false
        // Values of different units do not stand on one scale.
        let key = title + "\u{1}" + unit
        var one = series.removeValue(forKey: key) ?? NumericSeries(title: title, unit: unit)
        if one.low == nil && one.high == nil || one.points.allSatisfy({ $0.date <= event.start }) {
            one.low = low ?? one.low
            one.high = high ?? one.high
        }
        one.points.append(Point(date: event.start, value: value, literal: literal, address: address, isOutside: isOutside))
        series[key] = one
    }
}
