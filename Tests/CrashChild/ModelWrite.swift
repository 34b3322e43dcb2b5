import FireLite
import FireLiteR4
import TestSupport

/// A write that its seed and number alone determine: the process that does it and a model of the store know it without talking.
package struct ModelWrite: Sendable {
    /// What a patient of the model is made of.
    package struct Content: Hashable, Sendable {
        package var isActive: Bool
        package var year: Int
        package var names: [String]
    }

    package enum Edit: Sendable {
        case activate(Bool), bear(Int), prepend(String), removeFirst, rename(Int, String)
    }

    package enum Step: Sendable {
        /// Upserts a patient.
        case put(id: String, Content)
        /// Changes the object of a patient, if there is one.
        case edit(id: String, Edit)
        /// Deletes a patient, if there is one.
        case delete(id: String)
        /// Upserts a resource of another type.
        case note(id: String, language: String)
    }

    package let steps: [Step]
    /// Whether it throws at its end.
    package let fails: Bool
    package let isServers: Bool

    /// The id of the resource that says how many writes there were.
    package static let counter = "counter"
    package static let ids = 5

    /// - Parameter isCounted: whether it ends by storing its number.
    package init(seed: UInt64, number: Int, isCounted: Bool = false) {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        var steps = (0..<random.int(1...3)).map { _ in Self.step(&random) }
        if isCounted { steps.append(.note(id: Self.counter, language: "\(number)")) }
        self.steps = steps
        fails = !isCounted && random.percent(10)
        isServers = random.percent(15)
    }

    private static func step(_ random: inout SeededGenerator) -> Step {
        let id = "\(random.int(0...ids - 1))"
        let (year, name) = (random.int(1960...1966), "F\(random.int(0...3))")
        switch random.int(0...11) {
        case 0...4:
            let names = (0..<random.int(0...3)).map { _ in "F\(random.int(0...3))" }
            return .put(id: id, Content(isActive: random.percent(70), year: year, names: names))
        case 5: return .edit(id: id, .activate(random.percent(50)))
        case 6: return .edit(id: id, .bear(year))
        case 7: return .edit(id: id, .prepend(name))
        case 8: return .edit(id: id, .removeFirst)
        case 9: return .edit(id: id, .rename(random.int(0...1), name))
        case 10: return .delete(id: id)
        default: return .note(id: id, language: "l\(random.int(0...2))")
        }
    }

    private struct Failure: Error {}

    /// Does the write, in steps that each see the ones before.
    package func run(in store: FHIRStore) throws {
        do {
            try store.write(origin: isServers ? .server : .local) { tx in
                for step in steps {
                    switch step {
                    case .put(let id, let content): try tx.upsert(content.patient(id: id))
                    case .edit(let id, let edit): if let patient = try tx.resource(Patient.self, id: id) { edit.apply(to: patient) }
                    case .delete(let id): try tx.delete(Patient.self, id: id)
                    case .note(let id, let language):
                        try tx.upsert(
                            Basic {
                                $0.id = id
                                $0.language = language
                            })
                    }
                }
                if fails { throw Failure() }
            }
        } catch is Failure {}
    }
}

extension ModelWrite.Content {
    fileprivate func patient(id: String) -> Patient {
        Patient {
            $0.id = id
            $0.active = isActive
            $0.birthDate = FHIRDate("\(year)")
            $0.name = names.map { name in HumanName { $0.family = name } }
        }
    }

    /// The content of a stored patient.
    package init(_ patient: Patient) {
        self.init(
            isActive: patient.active ?? false, year: patient.birthDate.flatMap { Int("\($0)") } ?? 0,
            names: patient.name.map { $0.family ?? "" })
    }
}

extension ModelWrite.Edit {
    fileprivate func apply(to patient: Patient) {
        switch self {
        case .activate(let isActive): patient.active = isActive
        case .bear(let year): patient.birthDate = FHIRDate("\(year)")
        case .prepend(let name): patient.name.insert(HumanName { $0.family = name }, at: 0)
        case .removeFirst: if !patient.name.isEmpty { patient.name.removeFirst() }
        case .rename(let place, let name): if place < patient.name.count { patient.name[place].family = name }
        }
    }

    package func apply(to content: inout ModelWrite.Content) {
        switch self {
        case .activate(let isActive): content.isActive = isActive
        case .bear(let year): content.year = year
        case .prepend(let name): content.names.insert(name, at: 0)
        case .removeFirst: if !content.names.isEmpty { content.names.removeFirst() }
        case .rename(let place, let name): if place < content.names.count { content.names[place] = name }
        }
    }
}
