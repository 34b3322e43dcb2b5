import FireLiteCore
import TestSupport
import Testing

@testable import FireLiteXML

struct XMLSlotCacheTests {
    /// Ten times as many pairs as the cache has places, with addresses side by side as the parser's names have them.
    @Test func slotsOfManyPairsAreNeverMixedUp() throws {
        let names = UnsafeMutablePointer<UInt8>.allocate(capacity: 8_192)
        let tables = UnsafeMutableRawPointer.allocate(byteCount: 16_384, alignment: 16)
        defer {
            names.deallocate()
            tables.deallocate()
        }
        var generator = SeededGenerator(seed: 38)
        let cache = XMLSlotCache()
        var known: [Int: Int] = [:]
        var searches = 0
        for _ in 0..<50_000 {
            let (name, table) = (Int.random(in: 0..<64, using: &generator), Int.random(in: 0..<80, using: &generator))
            let pair = name * 80 + table
            let slot = cache.slot(
                UnsafePointer(names + name * 7), UnsafePointer((tables + table * 144).assumingMemoryBound(to: LayoutTable.self))
            ) {
                searches += 1
                // What a search says never changes.
                return known[pair, default: pair % 61 - 1]
            }
            known[pair] = known[pair] ?? slot
            #expect(slot == pair % 61 - 1)
        }
        #expect(searches > 5_120 && searches < 50_000)
    }

    @Test func aPairIsSearchedOnce() {
        let name: StaticString = "name"
        let table = UnsafePointer<LayoutTable>(bitPattern: 4_096)
        let cache = XMLSlotCache()
        var searches = 0
        for _ in 0..<3 {
            guard let table else { break }
            let slot = cache.slot(name.utf8Start, table) {
                searches += 1
                return 7
            }
            #expect(slot == 7)
        }
        #expect(searches == 1)
    }
}
