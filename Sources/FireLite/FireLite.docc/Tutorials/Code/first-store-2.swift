import FireLite
import FireLiteR4

struct Diary {
    let store: FHIRStore

    init(path: String) throws {
        store = try FHIRStore(path: path, release: .r4)
    }

    func add(family: String, born birthDate: FHIRDate) throws {
        let patient = Patient {
            $0.name = [HumanName { $0.family = family }]
            $0.birthDate = birthDate
            $0.active = true
        }
        try store.write { tx in try tx.add(patient) }
    }
}
