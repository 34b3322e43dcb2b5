import FireLite
import FireLiteDemonstration
import FireLiteR4
import FireLiteSynthetic
import Foundation

// `firelite demo` without the rest of the tool, so that `make demo` builds one release and the store, and nothing else.
let path = "firelite-demo.sqlite"
let widthOfFiles = 160
var size = winsize()
let width = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : widthOfFiles
do {
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    let store = try FHIRStore(path: path, release: .r4)
    try Demonstration(store: store, path: path, patients: SyntheticPatients(count: 100, seed: 1), width: width) { print($0) }.run()
} catch {
    FileHandle.standardError.write(Data("demo: \(error.localizedDescription)\n".utf8))
    exit(1)
}
