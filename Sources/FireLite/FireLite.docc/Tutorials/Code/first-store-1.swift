import FireLite
import FireLiteR4

struct Diary {
    let store: FHIRStore

    init(path: String) throws {
        store = try FHIRStore(path: path, release: .r4)
    }
}
