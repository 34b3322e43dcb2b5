#if canImport(HealthKit)
    import FireLiteCore
    import Foundation
    import HealthKit

    /// The samples of a device's health database. The app asks for the person's permission first.
    ///
    /// `@unchecked Sendable`: a health store may be used by any thread.
    public final class HealthKitSource: SampleSource, @unchecked Sendable {
        /// The source's name.
        public let name = "healthkit"
        private let store: HKHealthStore
        private let chosen: [SampleType]

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - store: the health database.
        ///   - types: the types that the app may read.
        public init(_ store: HKHealthStore = HKHealthStore(), types: [SampleType]) {
            self.store = store
            chosen = types
        }

        /// The types that were chosen.
        public func types() async throws -> [SampleType] { chosen }

        /// The samples that were added and deleted since an anchor.
        public func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges {
            guard let sampleType = Self.sampleType(type) else { throw SampleError(.notMapped, "\(type) is no type of HealthKit") }
            let old = try anchor.flatMap { try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: $0.data) }
            let query = HKAnchoredObjectQueryDescriptor(predicates: [.sample(type: sampleType)], anchor: old, limit: limit)
            let result = try await query.result(for: store)
            let data = try NSKeyedArchiver.archivedData(withRootObject: result.newAnchor, requiringSecureCoding: true)
            return SampleChanges(
                added: result.addedSamples.compactMap(Self.sample), deleted: result.deletedObjects.map(\.uuid),
                anchor: SampleAnchor(data: data), isComplete: result.addedSamples.count + result.deletedObjects.count < limit)
        }

        /// Reports types that have new samples, until the loop ends.
        public func news(of types: [SampleType]) -> AsyncStream<SampleType> {
            AsyncStream { continuation in
                let queries = types.compactMap { type in
                    Self.sampleType(type).map { sampleType in
                        HKObserverQuery(sampleType: sampleType, predicate: nil) { _, completion, error in
                            if error == nil { continuation.yield(type) }
                            completion()
                        }
                    }
                }
                for query in queries { store.execute(query) }
                continuation.onTermination = { [store] _ in for query in queries { store.stop(query) } }
            }
        }

        private static func sampleType(_ type: SampleType) -> HKSampleType? {
            switch type.kind {
            case .quantity: HKQuantityType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: type.rawValue))
            case .category: HKCategoryType.categoryType(forIdentifier: HKCategoryTypeIdentifier(rawValue: type.rawValue))
            case .correlation: HKCorrelationType.correlationType(forIdentifier: HKCorrelationTypeIdentifier(rawValue: type.rawValue))
            case .workout: HKWorkoutType.workoutType()
            case .other: nil
            }
        }

        private static func sample(_ object: HKSample) -> Sample? {
            let type = SampleType(rawValue: object.sampleType.identifier)
            let value: Sample.Value
            switch object {
            case let quantity as HKQuantitySample:
                guard let (number, unit) = number(quantity.quantity, type) else { return nil }
                value = .quantity(number, unit: unit)
            case let category as HKCategorySample: value = .category("\(category.value)")
            case let correlation as HKCorrelation: value = .correlation(correlation.objects.compactMap(sample))
            case let workout as HKWorkout:
                value = .workout(
                    WorkoutValue(activity: "\(workout.workoutActivityType.rawValue)", duration: FHIRDecimal(workout.duration)))
            default: return nil
            }
            let zone = (object.metadata?[HKMetadataKeyTimeZone] as? String).flatMap { TimeZone(identifier: $0) }
            return Sample(
                uuid: object.uuid, type: type, start: object.startDate, end: object.endDate, zone: zone, value: value,
                origin: origin(object), metadata: (object.metadata ?? [:]).mapValues { "\($0)" })
        }

        /// A number in a unit that the quantity has.
        private static func number(_ quantity: HKQuantity, _ type: SampleType) -> (FHIRDecimal, String)? {
            let code = SampleMapping.standard.entries[type]?.unit?.code ?? "count"
            let name = ObservationReader.sourceQuantity(0, code: code).unit
            for unit in [name, "count", "m", "g", "s"] where quantity.is(compatibleWith: HKUnit(from: unit)) {
                return (FHIRDecimal(quantity.doubleValue(for: HKUnit(from: unit))), unit)
            }
            return nil
        }

        private static func origin(_ object: HKSample) -> SampleOrigin {
            let (revision, device) = (object.sourceRevision, object.device)
            let system = revision.operatingSystemVersion
            let parts: [SampleOrigin.Part: String?] = [
                .sourceName: revision.source.name, .bundleIdentifier: revision.source.bundleIdentifier, .sourceVersion: revision.version,
                .systemVersion: "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)", .deviceName: device?.name,
                .manufacturer: device?.manufacturer, .model: device?.model, .hardware: device?.hardwareVersion,
                .firmware: device?.firmwareVersion, .software: device?.softwareVersion, .localIdentifier: device?.localIdentifier,
                .udi: device?.udiDeviceIdentifier,
            ]
            return SampleOrigin(parts.compactMapValues { $0 })
        }
    }
#endif
