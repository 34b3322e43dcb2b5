import FireLiteErasure
import FireLiteR4
import Foundation
import TestSupport

/// Tests with a store in a folder of their own, and with resources that have a text to look for.
protocol ErasureSuite {
    var folder: TestSupport.TemporaryFolder { get }
}

extension ErasureSuite {
    static var marker: String { "Zyxomma-Marker" }

    var path: String { folder.file("store.sqlite") }

    func open(busyTimeout: Swift.Duration = .seconds(5)) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.busyTimeout = busyTimeout
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    static func patient(_ id: String, _ family: String) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = family }]
        }
    }

    static func observation(_ id: String, of patient: String, _ text: String) -> Observation {
        Observation {
            $0.id = id
            $0.status = .final
            $0.code = CodeableConcept { $0.text = text }
            $0.subject = Reference { $0.reference = "Patient/\(patient)" }
        }
    }

    /// A list that refers to patients.
    static func list(_ id: String, of patients: String...) -> FireLiteR4.List {
        FireLiteR4.List { list in
            list.id = id
            list.status = .current
            list.mode = .working
            list.entry = patients.map { patient in ListEntry { $0.item = Reference { $0.reference = "Patient/\(patient)" } } }
        }
    }

    /// The names of the files beside the store, and of the store's own, that contain a text.
    func files(with text: String) throws -> [String] {
        let bytes = Data(text.utf8)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.file(name), isDirectory: &isFolder), !isFolder.boolValue else {
                return false
            }
            return try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).range(of: bytes) != nil
        }.sorted()
    }
}
