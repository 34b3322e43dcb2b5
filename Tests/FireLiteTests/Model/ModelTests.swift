import TestSupport
import Testing

/// Random sequences of everything users do to a store, compared with a plain model after each step. 2,000 where `FIRELITE_NIGHTLY` is set, else
/// 60 of them.
@Suite struct ModelTests {
    private static let blockSize: UInt64 = 100

    @Test(arguments: 0..<UInt64(20))
    func sequencesDoWhatTheModelDoes(block: UInt64) throws {
        for seed in Effort.sample(Array(block * Self.blockSize..<(block + 1) * Self.blockSize), 3) {
            if seed % 10 == 0 {
                try withTemporaryFolder { folder in try ModelSequence(seed: seed, path: folder + "/store.sqlite").run() }
            } else {
                try ModelSequence(seed: seed, path: nil).run()
            }
        }
    }
}
