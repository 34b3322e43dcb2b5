/// How large the file is beside the same resources as NDJSON.
struct FileSizeWorkload: Workload {
    static let file = "file size"
    static let text = "file size, NDJSON"

    var names: [String] { [Self.file, Self.text] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let path = try bench.fixture.path()
        let isSound = try bench.openStore(path).check().isEmpty
        var measurements: [Measurement] = []
        for (name, bytes) in [(Self.file, ScratchFolder.size(of: path)), (Self.text, bench.corpus.bytes)] where bench.wants(name) {
            measurements.append(
                Measurement(
                    name: name, kind: bench.corpus.kind, size: bench.size, operations: 0, repetitions: [],
                    bytesPerResource: Double(bytes) / Double(bench.size),
                    peakMB: ProcessMemory.currentMB, isVerified: isSound))
        }
        return measurements
    }
}
